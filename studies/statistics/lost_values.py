"""How often the intervals about a mean of which verdicts are lost, and the intervals of shares, hold the truth.

Verdicts are lost at random, or among the worst or the best grades alone. Counted are: the interval of the grades that
are left; `lost_interval`, for the mean of all answers and for both bounds at once. Grades come from the reference's
logs, from a ceiling and from a system that abstains from nine questions in ten; posteriors are drawn with 1,000 values
instead of 10,000. One standard error is at most .006 with 2,000 samples.

The interval of a share (language consistency, precision and recall of abstaining) needs no simulation for one language:
the chance of each count is known, and the least and the mean coverage over shares in steps of .0005 are given. Over six
languages, in which a query's answers go together in nine cases of ten, samples are drawn.

    python studies/statistics/lost_values.py
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import Array, ceiling, logs, shares

from ragaliq.metrics.statistics import intervals
from ragaliq.metrics.statistics.clustered_share import share_of_marks
from ragaliq.metrics.statistics.intervals import Interval, share_interval, value_interval
from ragaliq.metrics.statistics.lost_values import lost_interval
from ragaliq.metrics.weights import WEIGHTS
from record import write

_HERE = Path(__file__).resolve().parent
_WEIGHTS = np.array(list(WEIGHTS.values()))
SIZES, LOST = (25, 70, 200), (0.06, 0.2)
LANGUAGES, TOGETHER = 6, 0.9


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=2000, help="samples for each cell (2000)")
    add("--out", type=Path, default=_HERE / "lost_values.json", help="file of the figures")
    options = parser.parse_args()
    intervals.RESAMPLES = 1000
    lost = [
        {"mix": name, "lost": reason, "share_lost": share, "n": n, **covered(mix, chances, n, options.runs)}
        for name, mix in mixes().items()
        for share in LOST
        for reason, chances in losses(mix, share).items()
        for n in SIZES
    ]
    exact = [{"n": n, **exact_coverage(n)} for n in (5, 10, 25, 70, 200)]
    clustered = [
        {"queries": n, "share": share, **clustered_coverage(n, share, options.runs)}
        for n in (10, 25, 70)
        for share in (0.5, 0.8, 0.95)
    ]
    task = {"runs": options.runs, "resamples": intervals.RESAMPLES, "level": 0.95}
    write(options.out, {"task": task, "rows": lost, "shares_exact": exact, "shares_six_languages": clustered})
    return 0


def mixes() -> dict[str, Array]:
    """Return shares of grades: the worst and the best system of the logs, a ceiling, an abstainer."""
    found = {}
    for lang in ("en", "zh"):
        names, values = logs(lang)
        place = int(values.mean(axis=0).argmin() if lang == "zh" else values.mean(axis=0).argmax())
        found[f"{lang} {names[place]}"] = shares(values[:, place])
    abstainer = {5: 0.05, 0: 0.9, 1: 0.05}
    return found | {
        "ceiling: 95 % fives": ceiling(logs("en")[1]),
        "abstainer: 90 % zeros": np.array([abstainer.get(grade, 0.0) for grade in WEIGHTS]),
    }


def losses(mix: Array, share: float) -> dict[str, Array]:
    """Return for each reason the chance that a verdict of each weight is lost; `share` of all are."""
    found = {"at random": np.full(len(mix), share)}
    for reason, order in (("the worst", np.argsort(_WEIGHTS)), ("the best", np.argsort(-_WEIGHTS))):
        left, chances = share, np.zeros(len(mix))
        for place in order:
            taken = min(left, mix[place])
            chances[place] = taken / mix[place] if mix[place] else 0.0
            left -= taken
        found[reason] = chances
    return found


def covered(mix: Array, chances: Array, n: int, runs: int) -> dict[str, float]:
    """Return how often each interval holds what it is about, and their mean widths."""
    generator = np.random.default_rng(0)
    mean, gone = float(mix @ _WEIGHTS), float(mix @ chances)
    low = float(mix @ (_WEIGHTS * (1 - chances)))
    left, hits, widths = 0, np.zeros(2), np.zeros(2)
    for seed in range(runs):
        drawn = generator.choice(len(mix), n, p=mix)
        lost = generator.random(n) < chances[drawn]
        weights = _WEIGHTS[drawn]
        plain = value_interval(weights[~lost], 0.0, 1.0, seed=seed) if not lost.all() else None
        whole = lost_interval(
            [None if is_lost else float(weight) for weight, is_lost in zip(weights, lost, strict=True)],
            0.0,
            1.0,
            seed=seed,
        )
        left += _holds(plain, mean)
        hits += [_holds(whole, mean), _holds(whole, low) and _holds(whole, low + gone)]
        widths += [0.0 if one is None else one.high - one.low for one in (plain, whole)]
    shares_held = {"ci95": left / runs, "lost_interval": hits[0] / runs, "both_bounds": hits[1] / runs}
    return {
        "truth": round(mean, 4),
        **{key: round(float(value), 4) for key, value in shares_held.items()},
        "se": round(max((value * (1 - value) / runs) ** 0.5 for value in shares_held.values()), 4),
        "width_ci95": round(float(widths[0]) / runs, 4),
        "width_lost_interval": round(float(widths[1]) / runs, 4),
    }


def _holds(interval: Interval | None, value: float) -> bool:
    return interval is not None and interval.low - 1e-9 <= value <= interval.high + 1e-9


def exact_coverage(n: int) -> dict[str, float]:
    """Return the least and the mean coverage of the interval of a share of n, over shares from .5 to 1."""
    grid = np.arange(0.5, 1.0, 0.0005)
    ends = np.array([share_interval(count, n) for count in range(n + 1)])
    chances = binom.pmf(np.arange(n + 1)[:, None], n, grid)
    inside = (ends[:, :1] <= grid) & (grid <= ends[:, 1:])
    coverage = (chances * inside).sum(axis=0)
    return {
        "least": round(float(coverage.min()), 4),
        "least_at": round(float(grid[coverage.argmin()]), 4),
        "mean": round(float(coverage.mean()), 4),
        "mean_above_.9": round(float(coverage[grid >= 0.9].mean()), 4),
    }


def clustered_coverage(queries: int, share: float, runs: int) -> dict[str, float]:
    """Return the coverage over six languages, with the query as the cluster and with every answer by itself."""
    generator = np.random.default_rng(0)
    names = [f"q{place}" for place in range(queries) for _ in range(LANGUAGES)]
    hits = np.zeros(2)
    for _ in range(runs):
        common = generator.random((queries, 1)) < share
        alone = generator.random((queries, LANGUAGES)) < share
        marks = np.where(generator.random((queries, LANGUAGES)) < TOGETHER, common, alone).ravel().tolist()
        hits += [_holds(share_of_marks(marks, own).interval, share) for own in (names, None)]
    held = hits / runs
    return {
        "clusters": round(float(held[0]), 4),
        "answers": round(float(held[1]), 4),
        "se": round(float(np.sqrt(held * (1 - held) / runs).max()), 4),
    }


if __name__ == "__main__":
    sys.exit(main())

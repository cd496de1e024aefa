"""How often the intervals of w̄ hold the truth: labels only, judge only, and prediction-powered.

    python studies/statistics/ppi.py --out studies/statistics/ppi.json

Labels are drawn from the grades of the reference's twelve graded logs, verdicts from a judge's shares of grades given
the label; 840 further answers (12 systems, 70 queries) have a verdict alone. The judges: `fair` has the noise of two
LLM judges with each other (QWK .89), `kind` and `stern` move a quarter of their verdicts by one grade up or down,
`refusals_missed` takes half of the abstentions for wrong answers, `noisy` guesses 40 % of its verdicts, `useless` all.
`ceiling` is the fair judge where 95 % of the labels are 5. In `languages` an answer has a twin in another language,
with the same label in half of the cases, and rows are labelled without regard to the twin; resampled are queries.
`difference` is w̄ of a second system, a grade better on 15 % of the queries, less the first, with labels for both.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.metrics.agreement.coefficients import measures
from ragaliq.metrics.answers.aggregates import WEIGHTS
from ragaliq.metrics.statistics.prediction_powered import MeanEstimate, Values, prediction_powered
from record import write

_HERE = Path(__file__).resolve().parent
Array = NDArray[np.float64]
Grades = NDArray[np.int64]
N_UNLABELLED = 840
SIZES = (60, 30, 15)
_WEIGHT = np.array([WEIGHTS[grade] for grade in range(6)])
# Shares of the grades 0..5.
MIX = np.array([0.094, 0.075, 0.043, 0.214, 0.110, 0.464])
CEILING = np.array([0.004, 0.006, 0.005, 0.015, 0.020, 0.950])
# Rows: label 0..5; columns: verdict 0..5.
FAIR = np.array([
    [0.82, 0.12, 0.05, 0.01, 0.00, 0.00],
    [0.10, 0.60, 0.20, 0.06, 0.03, 0.01],
    [0.06, 0.18, 0.45, 0.21, 0.09, 0.01],
    [0.02, 0.06, 0.15, 0.40, 0.32, 0.05],
    [0.00, 0.02, 0.06, 0.14, 0.58, 0.20],
    [0.00, 0.01, 0.01, 0.02, 0.10, 0.86],
])  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """One simulated study: values and queries of all rows, the labelled ones first."""

    labels: Array
    verdicts: Array
    clusters: Sequence[int]


@dataclass(frozen=True)
class Scenario:
    """A way to draw a study of `n` labelled rows, the true mean, and the joint law of label and verdict."""

    name: str
    draw: Callable[[np.random.Generator, int], Drawn]
    truth: float
    law: Array
    possible: Sequence[float] = tuple(WEIGHTS.values())


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=_HERE / "ppi.json")
    options = parser.parse_args()
    rows = []
    for scenario in scenarios():
        for n in SIZES:
            start = time.perf_counter()
            rows.append(simulated(scenario, n, options.runs))
            print(scenario.name, n, f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    write(options.out, {"runs": options.runs, "n_unlabelled": N_UNLABELLED, "nominal": 0.95, "rows": rows})
    return 0


def simulated(scenario: Scenario, n: int, runs: int) -> dict[str, object]:
    """Return coverage, mean width and bias of the three estimates over `runs` studies with `n` labels.

    A study without an interval (of `difference`, where no label differs) counts as missed, and is counted beside.
    """
    generator = np.random.default_rng(0)
    names = ("classical", "judge_only", "prediction_powered")
    found: dict[str, list[tuple[bool, float, float]]] = {name: [] for name in names}
    power = 0.0
    for seed in range(runs):
        drawn = scenario.draw(generator, n)
        labelled = Values(drawn.verdicts[:n], drawn.clusters[:n], drawn.labels[:n])
        others = Values(drawn.verdicts[n:], drawn.clusters[n:])
        result = prediction_powered(labelled, others, scenario.possible, seed=seed)
        if result is None:
            continue
        power += result.power / runs
        for name in names:
            found[name].append(_held(getattr(result, name), scenario.truth))
    table = measures(scenario.law)
    agreement = {name: _rounded(table[name]) for name in ("qwk", "weight_kappa")}
    head = {"judge": scenario.name, "n": n, **agreement, "lambda": _rounded(power)}
    return {**head, **{name: _summary(values, runs) for name, values in found.items()}}


def _held(estimate: MeanEstimate, truth: float) -> tuple[bool, float, float]:
    interval = estimate.interval
    if interval is None:
        return False, float("nan"), estimate.mean - truth
    return interval.low <= truth <= interval.high, interval.high - interval.low, estimate.mean - truth


def _summary(values: Sequence[tuple[bool, float, float]], runs: int) -> dict[str, float]:
    held, widths, errors = (np.array(column, dtype=np.float64) for column in zip(*values, strict=True))
    return {
        "coverage": float(held.sum() / runs),
        "mean_width": _rounded(np.nanmean(widths)),
        "bias": _rounded(errors.mean()),
        "no_interval": int(np.isnan(widths).sum()) + runs - len(values),
    }


def _rounded(value: Any) -> float:
    return round(float(value), 4) + 0.0


def scenarios() -> list[Scenario]:
    """Return what is simulated."""
    kind, stern = leaning(FAIR, 1), leaning(FAIR, -1)
    missed = FAIR.copy()
    missed[0] = 0.5 * FAIR[0] + 0.5 * np.eye(6)[1]
    useless = np.tile(MIX, (6, 1))
    judges = {
        "fair": FAIR,
        "kind": kind,
        "stern": stern,
        "refusals_missed": missed,
        "noisy": 0.6 * FAIR + 0.4 * useless,
        "useless": useless,
    }
    made = [_simple(name, MIX, noise) for name, noise in judges.items()]
    return [*made, _simple("ceiling", CEILING, FAIR), _languages(kind), _difference(kind)]


def leaning(noise: Array, step: int) -> Array:
    """Return the noise of a judge that moves a quarter of its verdicts of answers one grade up or down."""
    leaning = noise.copy()
    for grade in range(1, 6):
        if 1 <= grade + step <= 5:
            leaning[:, grade] -= 0.25 * noise[:, grade]
            leaning[:, grade + step] += 0.25 * noise[:, grade]
    return leaning


def judged(generator: np.random.Generator, labels: Grades, noise: Array) -> Grades:
    """Return a verdict for each label."""
    drawn: Grades = (generator.random(len(labels))[:, None] > np.cumsum(noise, axis=1)[labels, :-1]).sum(axis=1)
    return drawn


def _simple(name: str, mix: Array, noise: Array) -> Scenario:
    def draw(generator: np.random.Generator, n: int) -> Drawn:
        labels = generator.choice(6, size=n + N_UNLABELLED, p=mix)
        return Drawn(_WEIGHT[labels], _WEIGHT[judged(generator, labels, noise)], range(len(labels)))

    return Scenario(name, draw, float(mix @ _WEIGHT), (mix[:, None] * noise).T)


def _languages(noise: Array) -> Scenario:
    def draw(generator: np.random.Generator, n: int) -> Drawn:
        size = (n + N_UNLABELLED) // 2
        first, other = generator.choice(6, size=(2, size), p=MIX)
        second = np.where(generator.random(size) < 0.5, first, other)
        order = generator.permutation(2 * size)
        labels = np.concatenate([first, second])[order]
        queries = np.tile(np.arange(size), 2)[order].tolist()
        return Drawn(_WEIGHT[labels], _WEIGHT[judged(generator, labels, noise)], queries)

    return Scenario("languages", draw, float(MIX @ _WEIGHT), (MIX[:, None] * noise).T)


def _difference(noise: Array) -> Scenario:
    better = {0: 0, 1: 2, 2: 3, 3: 4, 4: 5, 5: 5}

    def draw(generator: np.random.Generator, n: int) -> Drawn:
        first, other = generator.choice(6, size=(2, n + N_UNLABELLED), p=MIX)
        same = np.where(generator.random(len(first)) < 0.7, first, other)
        gain = generator.random(len(first)) < 0.15
        second = np.where(gain, np.array([better[grade] for grade in range(6)])[same], same)
        judged = [_WEIGHT[judged(generator, labels, noise)] for labels in (first, second)]
        return Drawn(_WEIGHT[second] - _WEIGHT[first], judged[1] - judged[0], range(len(first)))

    gains = np.array([_WEIGHT[better[grade]] - _WEIGHT[grade] for grade in range(6)])
    return Scenario("difference", draw, 0.15 * float(MIX @ gains), (MIX[:, None] * noise).T, ())


if __name__ == "__main__":
    sys.exit(main())

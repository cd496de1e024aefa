"""How often the interval of a difference between two systems holds the true one, before and now.

Queries are drawn from paired weights of which the true mean is known (`paired_populations`). `now` is
`difference_interval` (with 1,000 draws instead of 10,000), `before` is bootstrap-t of the values observed, which has no
interval where they have no spread: such samples are in `without` and count as missed in `all`. `t` is Student's.

    python studies/statistics/difference_coverage.py
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import Array
from paired_populations import Clustered, Differences, clustered, of_the_logs, rare

from ragaliq.metrics.statistics import intervals
from ragaliq.metrics.statistics.differences import difference_interval
from ragaliq.metrics.statistics.intervals import Interval, mean_interval
from record import write

_HERE = Path(__file__).resolve().parent
RESAMPLES = 1000


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=2000, help="samples for each population and number of queries (2000)")
    add("--n", type=int, nargs="+", default=[10, 25, 70, 200], help="numbers of queries (10 25 70 200)")
    add("--out", type=Path, default=_HERE / "difference_coverage.json", help="file of the figures")
    options = parser.parse_args()
    intervals.RESAMPLES = RESAMPLES
    rows: list[dict[str, object]] = []
    sources: list[Differences | Clustered] = [*of_the_logs(), *rare(), *clustered()]
    for source in sources:
        for n in options.n:
            rows.append({"population": source.name, "n": n, **covered(source, n, options.runs)})
            print(rows[-1], file=sys.stderr)
    error = round((0.05 * 0.95 / options.runs) ** 0.5, 4)
    task = {"runs": options.runs, "draws": RESAMPLES, "level": 0.95, "standard_error": error}
    write(options.out, {"task": task, "rows": rows})
    return 0


def covered(source: Differences | Clustered, n: int, runs: int) -> dict[str, float]:
    """Return the shares of intervals that hold the truth, and the mean widths."""
    generator = np.random.default_rng(n)
    held: Counter[str] = Counter()
    widths = dict.fromkeys(("now", "before", "t"), 0.0)
    without = 0
    for run in range(runs):
        rows, truth = source.draw(run, n, generator)
        deltas = rows.ravel()
        names = None if rows.shape[1] == 1 else [str(place) for place in np.repeat(np.arange(n), rows.shape[1])]
        found: dict[str, Interval | None] = {
            "now": difference_interval(deltas, seed=run, clusters=names),
            "before": None
            if np.ptp(deltas) < 1e-9
            else mean_interval(deltas.tolist(), seed=run, clusters=names, resamples=RESAMPLES),
            "t": student(rows),
        }
        without += found["before"] is None
        for key, interval in found.items():
            if interval is not None:
                held[key] += interval.low - 1e-9 <= truth <= interval.high + 1e-9
                widths[key] += interval.high - interval.low
    return {
        "now": round(held["now"] / runs, 4),
        "before": round(held["before"] / max(1, runs - without), 4),
        "before_all": round(held["before"] / runs, 4),
        "before_without": round(without / runs, 4),
        "t": round(held["t"] / runs, 4),
        "width_now": round(widths["now"] / runs, 4),
        "width_t": round(widths["t"] / runs, 4),
    }


def student(rows: Array) -> Interval:
    """Return the interval of Student's t for the means of the rows."""
    means, n = rows.mean(axis=1), len(rows)
    half = float(stats.t.ppf(0.975, n - 1) * means.std(ddof=1) / n**0.5)
    return Interval(float(means.mean()) - half, float(means.mean()) + half)


if __name__ == "__main__":
    raise SystemExit(main())

"""How often the interval of a difference between two systems holds the true one.

Queries are drawn from the paired weights of the reference's English systems, all pairs in turn; counted are the samples
whose interval holds the pair's mean difference. Samples without any spread have no interval and are counted apart. With
3,600 samples one standard error is about .005.

    python studies/statistics/difference_coverage.py
"""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graded_logs import Array, logs

from ragaliq.metrics.statistics.intervals import mean_interval
from record import write

_HERE = Path(__file__).resolve().parent


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=3600, help="samples for each number of queries (3600)")
    add("--n", type=int, nargs="+", default=[10, 25, 70], help="numbers of queries (10 25 70)")
    add("--out", type=Path, default=_HERE / "difference_coverage.json", help="file of the figures")
    options = parser.parse_args()
    _, weights = logs("en")
    rows = [{"n": n, **covered(weights, n, options.runs)} for n in options.n]
    write(options.out, {"task": {"runs": options.runs, "level": 0.95}, "rows": rows})
    return 0


def covered(weights: Array, n: int, runs: int) -> dict[str, float | int]:
    """Return the share of intervals that hold the truth, and the number of samples without one."""
    generator = np.random.default_rng(n)
    pairs = list(itertools.combinations(range(weights.shape[1]), 2))
    held = without = 0
    for run in range(runs):
        first, second = pairs[run % len(pairs)]
        differences = weights[:, second] - weights[:, first]
        sample = differences[generator.integers(0, len(differences), n)]
        if np.ptp(sample) < 1e-9:
            without += 1
            continue
        interval = mean_interval(sample.tolist())
        assert interval is not None
        held += interval.low - 1e-12 <= differences.mean() <= interval.high + 1e-12
    return {"coverage": round(held / (runs - without), 4), "without_interval": without}


if __name__ == "__main__":
    raise SystemExit(main())

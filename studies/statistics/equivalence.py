"""How often two systems are called equal: that differ by exactly the margin, and that do not differ.

Queries are drawn from paired differences of which the true mean is known (`paired_populations`, `gate`): single
queries, and queries in six languages, which are one cluster. `now` is `equivalence`, which adds one query that has not
been seen; `before` is the pair of one-sided t tests of commit 8199a62, which adds two of them to the squares, whatever
the design effect; `plain` is the pair of t tests without any (asked of the first column: at most .05).

    python studies/statistics/equivalence.py
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gate import MARGIN, Source, populations
from graded_logs import Array

from ragaliq.metrics.statistics.clusters import clustered, standard_error
from ragaliq.metrics.statistics.equivalence import equivalence
from record import write

_HERE = Path(__file__).resolve().parent
NUMBERS = (25, 70, 200)
LEVEL = 0.05
UNSEEN = 2


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=1000, help="samples for each population and number of queries (1000)")
    add("--out", type=Path, default=_HERE / "equivalence.json", help="file of the figures")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    error = round((LEVEL * (1 - LEVEL) / options.runs) ** 0.5, 4)
    task = {"runs": options.runs, "margin": MARGIN, "level": LEVEL, "standard_error_at_.05": error}
    for at_margin, equal, _ in populations():
        for n in NUMBERS:
            row: dict[str, object] = {"population": at_margin.name, "n": n}
            for name, source in (("apart", at_margin), ("equal", equal)):
                row |= {f"{name}_{key}": share for key, share in called_equal(source, n, options.runs).items()}
            rows.append(row)
            print(row, file=sys.stderr)
    write(options.out, {"task": task, "rows": rows})
    return 0


def called_equal(source: Source, n: int, runs: int) -> dict[str, float]:
    """Return the shares of samples in which two systems are called equal."""
    generator = np.random.default_rng(n)
    count: Counter[str] = Counter(now=0, before=0, plain=0)
    for run in range(runs):
        rows, _ = source.draw(run, n, generator)
        deltas = rows.ravel()
        names = None if rows.shape[1] == 1 else [str(place) for place in np.repeat(np.arange(n), rows.shape[1])]
        result = equivalence(np.zeros(len(deltas)), deltas, MARGIN, names)
        count["now"] += result is not None and result.equivalent
        count["before"] += student(deltas, names, UNSEEN)
        count["plain"] += student(deltas, names, 0)
    return {key: round(value / runs, 4) for key, value in count.items()}


def student(deltas: Array, names: list[str] | None, unseen: int) -> bool:
    """Return whether two one-sided t tests call the systems equal, with unseen queries that differ by 1."""
    groups = clustered(deltas, names)
    n = len(groups.sizes)
    error = (standard_error(groups) ** 2 + unseen / n / (n - 1)) ** 0.5
    mean = abs(float(groups.mean[0]))
    return bool(mean < MARGIN if error == 0 else stats.t.cdf((mean - MARGIN) / error, n - 1) < LEVEL)


if __name__ == "__main__":
    raise SystemExit(main())

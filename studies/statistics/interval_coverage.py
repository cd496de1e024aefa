"""How often the interval of w̄ holds the true w̄: for the reference's mixes of grades, near the ceiling, abstainers.

Grades are drawn from a mix, `weight_interval` is taken as it is (with 1,000 draws instead of 10,000), and counted are
the intervals that hold the mix's w̄. With 4,000 runs one standard error is .0034. `before` is the share of the
intervals of commit 8199a62 (bootstrap-t, and a prior worth one answer where it was thin), by this script in that
commit. Cells that are in the file of the figures are not taken again.

    python studies/statistics/interval_coverage.py
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generated import abstaining_values
from graded_logs import Array, ceiling, logs, shares

from ragaliq.metrics.statistics import intervals
from ragaliq.metrics.statistics.intervals import weight_interval
from ragaliq.metrics.weights import WEIGHTS
from record import write

_HERE = Path(__file__).resolve().parent
RESAMPLES = 1000
# By grade, in the order of `WEIGHTS`.
ABSTAINER = np.array([{0: 0.9, 1: 0.05, 5: 0.05}.get(grade, 0.0) for grade in WEIGHTS])


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=4000, help="samples for each mix and number of queries (4000)")
    add("--n", type=int, nargs="+", default=[25, 70, 200], help="numbers of queries (25 70 200)")
    add("--out", type=Path, default=_HERE / "interval_coverage.json", help="file of the figures")
    options = parser.parse_args()
    rows = json.loads(options.out.read_bytes())["rows"] if options.out.exists() else []
    done = {(row["mix"], row["n"]) for row in rows}
    intervals.RESAMPLES = RESAMPLES
    error = round((0.05 * 0.95 / options.runs) ** 0.5, 4)
    task = {"runs": options.runs, "draws": RESAMPLES, "level": 0.95, "standard_error": error}
    for name, mix in mixes().items():
        for n in options.n:
            if (name, n) not in done:
                rows.append({"mix": name, "n": n, **covered(mix, n, options.runs)})
                print(rows[-1], file=sys.stderr)
                write(options.out, {"task": task, "rows": rows})
    return 0


def mixes() -> dict[str, Array]:
    """Return the shares of grades near the ceiling, of abstainers and of each system in the logs."""
    found = {"ceiling: 95 % fives": ceiling(logs("en")[1]), "90 % zeros, 5 % fives, 5 % ones": ABSTAINER}
    for share, column in zip((0, 30, 60, 90), abstaining_values().T, strict=True):
        found[f"abstains from {share} %"] = shares(column)
    for lang in ("zh", "en"):
        names, values = logs(lang)
        found |= {f"{lang} {name}": shares(column) for name, column in zip(names, values.T, strict=True)}
    return found


def covered(mix: Array, n: int, runs: int) -> dict[str, float]:
    """Return the share of intervals that hold the truth, that miss it on either side, and their mean width."""
    generator = np.random.default_rng(n)
    grades, truth = np.array(list(WEIGHTS)), float(mix @ list(WEIGHTS.values()))
    above = below = 0
    width = 0.0
    for run, counts in enumerate(generator.multinomial(n, mix, size=runs)):
        interval = weight_interval(np.repeat(grades, counts).tolist(), seed=run)
        assert interval is not None
        above += interval.low > truth + 1e-12
        below += interval.high < truth - 1e-12
        width += interval.high - interval.low
    figures = {"coverage": 1 - (above + below) / runs, "too_high": above / runs, "too_low": below / runs}
    return {key: round(value, 4) for key, value in {"truth": truth, **figures, "width": width / runs}.items()}


if __name__ == "__main__":
    sys.exit(main())

"""How often the gate errs and decides: a system that is worse by exactly the margin, one that is equal, and between.

Queries are drawn from paired differences of which the true mean is known (`paired_populations`): tilted to the margin,
or to 0, or made so that rare great differences do it. For one cell: how often a system at the margin passes (asked:
at most .03), an equal one fails (.03), an equal one passes, and one worse by twice the margin fails. `t` is the same by
Student's t without an unseen query. For a table of three systems in six languages: how often it passes where one cell
is worse by the margin and the others are equal, and fails where all are equal. For `needed`: how often so many queries
decide, where the estimate that they rest on is the truth.

    python studies/statistics/gate.py
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
from paired_populations import Clustered, Differences, clustered, of_the_logs, single

from ragaliq.metrics.statistics.noninferiority import ALPHA, GateOutcome, Noninferiority, PairedCell, gate
from record import write

_HERE = Path(__file__).resolve().parent
NUMBERS = (25, 70, 200)
MARGIN = 0.05
SYSTEMS, LANGS = 3, 6


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=1000, help="samples for each cell (1000)")
    add("--table_runs", type=int, default=300, help="tables for each population and number of queries (300)")
    add("--out", type=Path, default=_HERE / "gate.json", help="file of the figures")
    options = parser.parse_args()
    figures: dict[str, list[dict[str, object]]] = {"cells": [], "tables": [], "needed": []}
    task = {
        "runs": options.runs,
        "table_runs": options.table_runs,
        "margin": MARGIN,
        "alpha": ALPHA,
        "standard_error_at_.025": round((0.025 * 0.975 / options.runs) ** 0.5, 4),
    }
    for at_margin, equal, worse in populations():
        for n in NUMBERS:
            row = {"population": at_margin.name, "n": n, **cells(at_margin, equal, worse, n, options.runs)}
            figures["cells"].append(row)
            print(row, file=sys.stderr)
    for at_margin, equal, _ in populations()[:7]:
        for n in NUMBERS:
            row = {"population": at_margin.name, "n": n, **tables(at_margin, equal, n, options.table_runs)}
            figures["tables"].append(row)
            print(row, file=sys.stderr)
    for _, equal, worse in populations()[:3]:
        for source in (equal, worse):
            figures["needed"].append(enough(source, options.runs))
            print(figures["needed"][-1], file=sys.stderr)
    write(options.out, {"task": task, **figures})
    return 0


Source = Differences | Clustered


def populations() -> list[tuple[Source, Source, Source]]:
    """Return each population worse by the margin, equal, and worse by twice the margin."""
    logs = {source.name: source for source in of_the_logs()}
    found: list[tuple[Source, Source, Source]] = [
        (source.shifted(-MARGIN), source.shifted(0.0), source.shifted(-2 * MARGIN))
        for name in ("real pairs", "swapped within queries", "95 % fives")
        for source in [logs[name]]
    ]
    found += [
        (single(name, *worse), single(name, *equal), single(name, *twice))
        for name, worse, equal, twice in (
            ("rare losses of 1", ((-1.0, 0.05),), ((-1.0, 0.0),), ((-1.0, 0.1),)),
            ("small gains, rare losses of 1", ((0.2, 0.2), (-1.0, 0.09)), ((0.2, 0.2), (-1.0, 0.04)),
             ((0.2, 0.2), (-1.0, 0.14))),
            ("small losses, rare gains of 1", ((-0.2, 0.45), (1.0, 0.04)), ((-0.2, 0.45), (1.0, 0.09)),
             ((-0.2, 0.6), (1.0, 0.02))),
            ("small losses", ((-0.2, 0.25),), ((-0.2, 0.0),), ((-0.2, 0.5),)),
        )
    ]  # fmt: skip
    triples = zip(clustered(-MARGIN), clustered(0.0), clustered(-2 * MARGIN), strict=True)
    return [*found, *triples]


def tested(rows: Array) -> Noninferiority:
    """Return what the gate says of one cell."""
    deltas = rows.ravel()
    names = None if rows.shape[1] == 1 else [f"{place:04}" for place in np.repeat(np.arange(len(rows)), rows.shape[1])]
    return gate([PairedCell("", "", np.zeros(len(deltas)), deltas, names)], MARGIN).cells[0][1]


def cells(at_margin: Source, equal: Source, worse: Source, n: int, runs: int) -> dict[str, float]:
    """Return how often one cell passes and fails."""
    count: Counter[str] = Counter()
    generator = np.random.default_rng(n)
    for run in range(runs):
        rows, _ = at_margin.draw(run, n, generator)
        count["at_margin_passes"] += tested(rows).outcome is GateOutcome.PASS
        count["at_margin_passes_t"] += student(rows + MARGIN) < ALPHA
        rows, _ = equal.draw(run, n, generator)
        found = tested(rows)
        count["equal_fails"] += found.outcome is GateOutcome.FAIL
        count["equal_passes"] += found.outcome is GateOutcome.PASS
        count["equal_fails_t"] += student(-rows) < ALPHA
        rows, _ = worse.draw(run, n, generator)
        count["twice_fails"] += tested(rows).outcome is GateOutcome.FAIL
    return {key: round(value / runs, 4) for key, value in count.items()}


def student(rows: Array) -> float:
    """Return the p value of a mean above 0, without spread 0 or 1."""
    means = rows.mean(axis=1)
    error = float(means.std(ddof=1) / len(means) ** 0.5)
    mean = float(means.mean())
    return float(stats.t.sf(mean / error, len(means) - 1)) if error > 0 else float(mean <= 0)


def tables(at_margin: Source, equal: Source, n: int, runs: int) -> dict[str, float]:
    """Return how often a whole table passes with one cell at the margin, and how often one of equals fails."""
    generator = np.random.default_rng(n)
    passes = fails = 0
    for run in range(runs):
        table = [
            PairedCell(str(system), str(lang), np.zeros(n), equal.draw(run, n, generator)[0].ravel())
            for system in range(SYSTEMS)
            for lang in range(LANGS)
        ]
        fails += gate(table, MARGIN).outcome is GateOutcome.FAIL
        bad = PairedCell("0", "0", np.zeros(n), at_margin.draw(run, n, generator)[0].ravel())
        # The others are left as good as can be: only the one at the margin keeps the table from passing.
        passes += gate([bad], MARGIN).outcome is GateOutcome.PASS
    return {"one_at_margin_passes_at_most": round(passes / runs, 4), "equal_fails": round(fails / runs, 4)}


def enough(source: Source, runs: int) -> dict[str, object]:
    """Return how often the number of queries asked for decides, in the first list of differences."""
    first = Differences(source.name, source.lists[:1]) if isinstance(source, Differences) else source
    generator = np.random.default_rng(1)
    # A sample so like the population that its estimate is the truth, and too small to decide.
    rows, mean = first.draw(0, 40, generator)
    values, chances = first.lists[0] if isinstance(first, Differences) else (rows.ravel(), np.full(40, 1 / 40))
    sample = np.quantile(values, (np.arange(24) + 0.5) / 24, method="inverted_cdf", weights=chances)
    needed = tested(sample[:, None]).needed
    if needed is None:
        return {"population": source.name, "mean": round(mean, 4), "needed": None}
    decided = sum(
        tested(first.draw(0, needed, generator)[0]).outcome is not GateOutcome.INCONCLUSIVE for _ in range(runs)
    )
    return {
        "population": source.name,
        "mean": round(mean, 4),
        "sample_mean": round(float(sample.mean()), 4),
        "needed": needed,
        "decided": round(decided / runs, 4),
    }


if __name__ == "__main__":
    raise SystemExit(main())

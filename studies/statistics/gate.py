"""How often the gate errs and decides: a system that is worse by exactly the margin, one that is equal, and one worse.

Queries are drawn from paired differences of which the true mean is known (`paired_populations`): tilted to the margin,
to 0 and to twice the margin, or made so that rare great differences do it. Each run draws three systems in six
languages that are all equal to the baseline, one cell worse by the margin, and one worse by twice the margin.

- `cell`: each cell by itself. Asked: worse by the margin passes in at most .03, equal fails in at most .03. `t` is the
  same by Student's t without an unseen query. The 18 equal cells of a run all count.
- `table`: 18 equal cells; the same with one of them worse by the margin, or by twice the margin. A table with one cell
  at the margin never passes more often than that cell, which is what it comes to where all others are far better.
- `needed`, `margins`: see `gate_needed`. `logs`: see `gate_logs`.

The decision on a table is taken from its cells by Holm's method, and compared with `gate` on all 18 in some runs.

    RAGALIQ_SHARED_DATA=… python studies/statistics/gate.py
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import stdtr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gate_logs import reshuffled
from gate_needed import by_margin, from_pilots
from graded_logs import Array
from paired_populations import Clustered, Differences, clustered, of_the_logs, single

from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.noninferiority import ALPHA, GateOutcome, Noninferiority, PairedCell, gate
from record import write

_HERE = Path(__file__).resolve().parent
NUMBERS = (25, 70, 200)
MARGIN = 0.05
CELLS = 18
# Runs in which the decision on a table is taken by `gate` as well.
CHECKED = 5
PASS, FAIL = GateOutcome.PASS, GateOutcome.FAIL
Source = Differences | Clustered


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--runs", type=int, default=1000, help="samples of a cell, and tables (1000)")
    add("--pilots", type=int, default=300, help="tables from which the number of queries is taken (300)")
    add("--out", type=Path, default=_HERE / "gate.json", help="file of the figures")
    options = parser.parse_args()
    figures: dict[str, object] = {
        "task": {"runs": options.runs, "pilots": options.pilots, "margin": MARGIN, "alpha": ALPHA, "cells": CELLS,
                 "seed": "number of queries; 1 for pilots, margins and logs"},
    }  # fmt: skip
    figures["logs"] = reshuffled(MARGIN, options.runs)
    figures["margins"] = by_margin()
    sources = populations()
    figures["needed"] = [from_pilots(equal, MARGIN, CELLS, options.pilots) for _, equal, _ in sources]
    write(options.out, figures)
    rows: list[dict[str, object]] = []
    for triple in sources:
        for n in NUMBERS:
            rows.append({"population": triple[0].name, "n": n, **errors(triple, n, options.runs)})
            print(rows[-1], file=sys.stderr, flush=True)
            write(options.out, {**figures, "errors": rows})
    return 0


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


def cell(rows: Array) -> PairedCell:
    """Return a cell with these differences; the languages of a query are one cluster."""
    deltas = rows.ravel()
    names = None if rows.shape[1] == 1 else [f"{place:04}" for place in np.repeat(np.arange(len(rows)), rows.shape[1])]
    return PairedCell("", "", np.zeros(len(deltas)), deltas, names)


def errors(triple: tuple[Source, Source, Source], n: int, runs: int) -> dict[str, object]:
    """Return how often cells by themselves, and tables of 18, pass and fail."""
    at_margin, equal, twice = triple
    alone: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    generator = np.random.default_rng(n)
    for run in range(runs):
        # Another pair of systems in each cell.
        drawn = [equal.draw(run + place, n, generator)[0] for place in range(CELLS)]
        worse, far = (source.draw(run, n, generator)[0] for source in (at_margin, twice))
        cells = [cell(rows) for rows in (*drawn, worse, far)]
        found = [gate([one], MARGIN).cells[0][1] for one in cells]
        alone["equal_passes"] += sum(one.outcome is PASS for one in found[:CELLS])
        alone["equal_fails"] += sum(one.outcome is FAIL for one in found[:CELLS])
        alone["equal_fails_t"] += sum(student(-rows) < ALPHA for rows in drawn)
        alone["at_margin_passes"] += found[CELLS].outcome is PASS
        alone["at_margin_fails"] += found[CELLS].outcome is FAIL
        alone["at_margin_passes_t"] += student(worse + MARGIN) < ALPHA
        alone["twice_fails"] += found[CELLS + 1].outcome is FAIL
        chosen = [[*range(CELLS - 1), last] for last in (CELLS - 1, CELLS, CELLS + 1)]
        outcomes = [decided([found[place] for place in own]) for own in chosen]
        if run < CHECKED and outcomes != [gate([cells[place] for place in own], MARGIN).outcome for own in chosen]:
            raise AssertionError("the gate says something else of the whole table")
        tables["equal_passes"] += outcomes[0] is PASS
        tables["equal_fails"] += outcomes[0] is FAIL
        tables["one_at_margin_passes"] += outcomes[1] is PASS
        tables["one_twice_fails"] += outcomes[2] is FAIL
    return {
        "cell": {key: share(value, runs * CELLS if key.startswith("equal") else runs) for key, value in alone.items()},
        "table": {key: share(value, runs) for key, value in tables.items()},
    }


def decided(cells: Sequence[Noninferiority]) -> GateOutcome:
    """Return the outcome of a table from its cells."""
    p_fail = holm([one.p_fail for one in cells])
    passes = [one.p_pass is not None and one.p_pass < ALPHA for one in cells]
    if all(passes):
        return PASS
    fails = any(p is not None and p < ALPHA and not well for p, well in zip(p_fail, passes, strict=True))
    return FAIL if fails else GateOutcome.INCONCLUSIVE


def student(rows: Array) -> float:
    """Return the p value of a mean above 0; without spread it is 0 or 1."""
    means = rows.mean(axis=1)
    error = float(means.std(ddof=1) / len(means) ** 0.5)
    mean = float(means.mean())
    return float(stdtr(len(means) - 1, -mean / error)) if error > 0 else float(mean <= 0)


def share(count: int, runs: int) -> dict[str, float]:
    """Return a share with its standard error."""
    found = count / runs
    return {"share": round(found, 4), "se": round((found * (1 - found) / runs) ** 0.5, 4)}


if __name__ == "__main__":
    raise SystemExit(main())

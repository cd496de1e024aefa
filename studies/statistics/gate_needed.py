"""How often the number of queries that the gate asks for decides, and how many a system that is equal needs."""

from __future__ import annotations

import sys
from typing import Protocol

import numpy as np
from graded_logs import Array

from ragaliq.metrics.statistics.noninferiority import GateOutcome, GateResult, PairedCell, gate

# Queries of a pilot, and the most that are drawn: a number beyond is left out and counted.
PILOT, MOST = 70, 100_000
MARGINS, CHANGED = (0.02, 0.03, 0.05, 0.1), (0.0, 0.1, 0.3)
RUNS = 400


class Source(Protocol):
    """What rows of differences are drawn from."""

    @property
    def name(self) -> str:
        """What it is called."""

    def draw(self, run: int, n: int, generator: np.random.Generator, /) -> tuple[Array, float]:
        """Return n rows and their true mean."""


def from_pilots(source: Source, margin: float, cells: int, pilots: int) -> dict[str, object]:
    """Return how often a new sample of the size that a pilot of 70 asks for decides: one cell, and a table.

    Of one cell each pilot counts that is not decided; `median` and `tenth` to `ninetieth` are what they ask for.
    """
    generator = np.random.default_rng(1)
    found: dict[str, object] = {"population": source.name}
    for name, count in (("cell", 1), ("table", cells)):
        asked, decided, beyond = [], 0, 0
        for run in range(pilots):
            first = _table(source, run, count, PILOT, generator, margin)
            if first.outcome is not GateOutcome.INCONCLUSIVE:
                continue
            if first.needed is None or first.needed > MOST:
                beyond += 1
                continue
            again = _table(source, run, count, first.needed, generator, margin)
            asked.append(first.needed)
            decided += again.outcome is not GateOutcome.INCONCLUSIVE
        part = decided / len(asked) if asked else 0.0
        found[name] = {
            "pilots": len(asked),
            "beyond": beyond,
            "asked": [round(float(value)) for value in np.percentile(asked, (10, 50, 90))] if asked else None,
            "decided": round(part, 4) if asked else None,
            "se": round((part * (1 - part) / len(asked)) ** 0.5, 4) if asked else None,
        }
    print(found, file=sys.stderr, flush=True)
    return found


def _table(source: Source, run: int, count: int, n: int, generator: np.random.Generator, margin: float) -> GateResult:
    cells = []
    for place in range(count):
        rows = source.draw(run + place, n, generator)[0]
        width = rows.shape[1]
        names = None if width == 1 else [f"{query:06}" for query in np.repeat(np.arange(n), width)]
        cells.append(PairedCell(str(place), "", np.zeros(rows.size), rows.ravel(), names))
    return gate(cells, margin)


def by_margin() -> list[dict[str, object]]:
    """Return for each margin and share of answers that change how many queries an equal system needs to pass.

    A fifth of the changes is from right to wrong or back, the others are by one grade. It is the least number, to 2 %,
    with which it passes in .8 of 400 samples.
    """
    found: list[dict[str, object]] = []
    for margin in MARGINS:
        for changed in CHANGED:
            low, high = 1, 25
            while _passes(margin, changed, high) < 0.8:
                low, high = high, 2 * high
            while high - low > max(1, high // 50):
                middle = (low + high) // 2
                low, high = (middle, high) if _passes(margin, changed, middle) < 0.8 else (low, middle)
            found.append({"margin": margin, "changed": changed, "queries": high})
            print(found[-1], file=sys.stderr, flush=True)
    return found


def _passes(margin: float, changed: float, n: int) -> float:
    generator = np.random.default_rng(1)
    chances = [1 - changed, *[changed * 0.4] * 2, *[changed * 0.1] * 2]
    # Without changes every sample is the same.
    runs = RUNS if changed else 1
    passed = 0
    for _ in range(runs):
        deltas = generator.choice([0, 0.2, -0.2, 1, -1], n, p=chances)
        passed += gate([PairedCell("", "", np.zeros(n), deltas)], margin).outcome is GateOutcome.PASS
    return passed / runs

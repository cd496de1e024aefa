"""How near plain and shrunken means of systems in languages come to the truth, and how often their intervals hold it.

    python studies/statistics/shrinkage.py --out studies/statistics/shrinkage.json

Systems answer the same queries in six languages. A grade comes of a normal quality: 1 + system + language + interaction
+ query (shared by systems and languages) + system by query (shared by languages) + the rest, cut into grades so that
about half of the answers are fives; `interaction` is the standard deviation of that part. The truth of a table is the
mean over 20,000 queries. `mse_ratio`: squared error of the shrunken cells by that of the plain ones, each table's mean
error taken out, since the choice of queries moves all cells together. `coverage`: of estimate ± 1.96 standard errors.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ragaliq.metrics.statistics.shrinkage import shrunken_cells
from record import write

_HERE = Path(__file__).resolve().parent
Array = NDArray[np.float64]
LANGUAGES, MANY = 6, 20_000
CUTS, WEIGHTS = (-1.2, -0.9, -0.4, 0.4, 1.0), np.array([0.4, 0.0, 0.2, 0.6, 0.8, 1.0])


def main() -> int:
    """Read the options, simulate, write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--out", type=Path, default=_HERE / "shrinkage.json")
    options = parser.parse_args()
    rows = [
        simulated(systems, n, interaction, options.runs)
        for systems in (2, 4, 9)
        for n in (25, 70)
        for interaction in (0.0, 0.1, 0.2, 0.4)
    ]
    write(options.out, {"seed": 0, "runs": options.runs, "languages": LANGUAGES, "rows": rows})
    return 0


def simulated(systems: int, n: int, interaction: float, runs: int) -> dict[str, object]:
    """Return what becomes of plain and shrunken cells over tables of `systems` in six languages with n queries."""
    generator = np.random.default_rng(0)
    kept, errors, held, signals = [], [], [], []
    for _ in range(runs):
        quality = 1 + generator.normal(0, 0.25, systems) + generator.normal(0, 0.3, (LANGUAGES, 1))
        quality = quality + generator.normal(0, interaction, (LANGUAGES, systems))
        truth = _drawn(quality, MANY, generator).mean(axis=1)
        tables = _drawn(quality, n, generator)
        names = [[str(row) for row in range(n)]] * LANGUAGES
        found = shrunken_cells(list(tables), names)
        assert found is not None
        figures = np.array([[[cell.mean, cell.error, cell.shrunken, cell.shrunken_error] for cell in row]
                            for row in found.cells])  # fmt: skip
        left = truth - truth.mean(axis=0) - truth.mean(axis=1, keepdims=True) + truth.mean()
        signals.append((((found.variance or 0) - (found.noise or 0)), (left**2).sum() / (systems - 1) / 5))
        apart = figures[..., [0, 2]] - truth[..., None]
        held.append((np.abs(apart) <= 1.96 * figures[..., [1, 3]]).mean(axis=(0, 1)))
        errors.append(((apart - apart.mean(axis=(0, 1))) ** 2).mean(axis=(0, 1)))
        kept.append(found.kept)
    squares, shares, moments = np.array(errors), np.array(held), np.array(signals)
    # The error of a ratio of means, by the delta method.
    ratio = squares[:, 1].mean() / squares[:, 0].mean()
    spread = np.std(squares[:, 1] - ratio * squares[:, 0], ddof=1) / squares[:, 0].mean()
    return {
        "systems": systems, "n": n, "interaction": interaction,
        "kept": _rounded(np.mean(kept)),
        "mse_ratio": _rounded(ratio), "mse_ratio_se": _rounded(spread / runs**0.5),
        "signal": round(float(moments[:, 1].mean()), 6), "estimated_signal": round(float(moments[:, 0].mean()), 6),
        "estimated_signal_se": round(float(np.std(moments[:, 0] - moments[:, 1], ddof=1)) / runs**0.5, 6),
        "coverage_plain": _rounded(shares[:, 0].mean()), "coverage_shrunken": _rounded(shares[:, 1].mean()),
        "coverage_se": _rounded(np.std(shares[:, 1], ddof=1) / runs**0.5),
    }  # fmt: skip


def _drawn(quality: Array, n: int, generator: np.random.Generator) -> Array:
    """Return weights: languages × queries × systems."""
    languages, systems = quality.shape
    query = generator.normal(0, 0.6, (1, n, 1))
    own = generator.normal(0, 0.5, (1, n, systems))
    rest = generator.normal(0, 0.8, (languages, n, systems))
    drawn: Array = WEIGHTS[np.searchsorted(CUTS, quality[:, None, :] + query + own + rest - 0.3)]
    return drawn


def _rounded(value: float | np.floating) -> float:
    return round(float(value), 4)


if __name__ == "__main__":
    sys.exit(main())

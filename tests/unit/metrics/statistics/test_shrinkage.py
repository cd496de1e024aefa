"""Shrunken cells: hand-worked values, edges, invariances, less error than plain cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragaliq.metrics.statistics.shrinkage import ShrunkenCells, shrunken_cells

Array = NDArray[np.float64]


def found(values: list[Array], clusters: list[list[str]] | None = None) -> ShrunkenCells:
    cells = shrunken_cells(values, clusters)
    assert cells is not None
    return cells


def of(cells: ShrunkenCells, name: str) -> Array:
    return np.array([[getattr(cell, name) for cell in row] for row in cells.cells])


def test_two_systems_in_two_languages_by_hand() -> None:
    # Differences of the systems by query: en 1, 0, 1, 0 (mean .5), ru 0, 0, −1, 0 (mean −.25).
    en = np.array([[0.0, 1], [1, 1], [0, 1], [1, 1]])
    ru = np.array([[1.0, 1], [1, 1], [1, 0], [1, 1]])
    cells = found([en, ru])
    assert of(cells, "mean").tolist() == [[0.5, 1.0], [1.0, 0.75]]
    # Interactions ± (.5 + .25) / 4; their sum of squares has one degree of freedom: 4 · .1875².
    assert cells.variance == pytest.approx(4 * 0.1875**2)
    # An interaction is a quarter of the difference of differences: variance (1/3 + 1/4) / 4 / 16, four times.
    noise = 4 * ((1 / 3) / 4 + (1 / 4) / 4) / 16
    assert cells.noise == pytest.approx(noise)
    kept = 1 - noise / (4 * 0.1875**2)
    assert cells.kept == pytest.approx(kept) and 0.7 < kept < 0.8
    lost = (1 - kept) * 0.1875
    assert of(cells, "shrunken") == pytest.approx(np.array([[0.5 + lost, 1 - lost], [1 - lost, 0.75 + lost]]))
    assert of(cells, "error") == pytest.approx(np.array([[(1 / 3 / 4) ** 0.5, 0.0], [0.0, 0.25]]))
    assert (cells.n, cells.n_queries) == (16, 8)


def test_languages_of_a_query_are_told_from_independent_ones() -> None:
    generator = np.random.default_rng(3)
    difference = generator.normal(size=60)
    tables = [np.column_stack([np.zeros(60), difference + shift]) for shift in (0.0, 0.3, 0.6)]
    names = [[f"q{n}" for n in range(60)]] * 3
    shared, alone = found(tables, names), found(tables)
    # The same queries in every language: what they add to a system is the same everywhere, so no noise is left.
    assert shared.kept == pytest.approx(1) and shared.noise == pytest.approx(0, abs=1e-15)
    assert alone.noise == pytest.approx(float(np.var(difference, ddof=1)) / 60 / 2)
    assert alone.kept < 1 and shared.n_queries == 60 and alone.n_queries == 180


def test_one_language_one_system_and_nothing_but_noise_keep_nothing() -> None:
    generator = np.random.default_rng(0)
    tables = [generator.random((30, 3)) for _ in range(4)]
    for one in (found(tables[:1]), found([table[:, :1] for table in tables])):
        assert (one.kept, one.variance, one.noise) == (0.0, None, None)
        assert of(one, "shrunken") == pytest.approx(of(one, "mean"))
        assert of(one, "shrunken_error") == pytest.approx(of(one, "error"))
    same = found([np.tile([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (5, 1))] * 3)
    assert same.kept == 0 and same.variance == pytest.approx(0)
    drawn = generator.normal(size=(4, 10, 3))
    faint = drawn - drawn.mean(axis=1, keepdims=True) + generator.normal(0, 0.01, (4, 1, 3))
    noisy = found(list(faint))
    assert noisy.variance is not None and noisy.noise is not None and 0 < noisy.variance < noisy.noise
    # Nothing kept: the systems are as far apart in every language.
    assert noisy.kept == 0 and np.ptp(np.diff(of(noisy, "shrunken"), axis=1), axis=0) == pytest.approx([0, 0])


def test_what_cannot_be_told_and_what_is_wrong() -> None:
    table = np.zeros((3, 2))
    assert shrunken_cells([]) is None and shrunken_cells([table, table[:1]]) is None
    assert shrunken_cells([table], [["q", "q", "q"]]) is None
    for wrong, clusters in (
        ([table, np.zeros((3, 3))], None),
        ([np.full((3, 2), np.nan)], None),
        ([table], [["a", "b"]]),
        ([np.zeros(3)], None),
    ):
        with pytest.raises(ValueError, match=r"systems|finite|clusters"):
            shrunken_cells(wrong, clusters)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 6))
def test_order_changes_nothing_and_margins_stay(seed: int, systems: int, languages: int) -> None:
    generator = np.random.default_rng(seed)
    tables = [generator.choice([0, 0.2, 0.4, 0.6, 0.8, 1.0], (12, systems)) for _ in range(languages)]
    names = [[f"q{n}" for n in range(12)] for _ in range(languages)]
    cells = found(tables, names)
    means, shrunken = of(cells, "mean"), of(cells, "shrunken")
    assert 0 <= cells.kept <= 1
    assert shrunken.mean(axis=0) == pytest.approx(means.mean(axis=0))
    assert shrunken.mean(axis=1) == pytest.approx(means.mean(axis=1))
    order, columns, rows = generator.permutation(languages), generator.permutation(systems), generator.permutation(12)
    turned = found(
        [tables[place][rows][:, columns] for place in order], [[names[place][row] for row in rows] for place in order]
    )
    assert turned.kept == pytest.approx(cells.kept)
    assert of(turned, "shrunken") == pytest.approx(shrunken[order][:, columns])
    assert of(turned, "shrunken_error") == pytest.approx(of(cells, "shrunken_error")[order][:, columns])


def test_the_variance_of_interactions_is_estimated_without_bias_and_shrunken_cells_are_nearer() -> None:
    # Five systems in six languages on 40 shared queries; interactions of standard deviation .06.
    generator = np.random.default_rng(1)
    signals, plain, better = [], 0.0, 0.0
    for _ in range(300):
        interaction = generator.normal(0, 0.06, (6, 5))
        truth = 0.5 + generator.normal(0, 0.05, 5) + generator.normal(0, 0.1, (6, 1)) + interaction
        query, both = generator.normal(0, 0.2, (40, 1)), generator.normal(0, 0.1, (40, 5))
        tables = [truth[lang] + query + both + generator.normal(0, 0.25, (40, 5)) for lang in range(6)]
        cells = found(tables, [[f"q{n}" for n in range(40)]] * 6)
        assert cells.variance is not None and cells.noise is not None
        signals.append(cells.variance - cells.noise)
        # The queries are the same for all: they move all cells together, which is no matter of interactions.
        for name, moved in (("mean", of(cells, "mean")), ("shrunken", of(cells, "shrunken"))):
            error = float(((moved - moved.mean() - truth + truth.mean()) ** 2).sum())
            plain, better = (plain + error, better) if name == "mean" else (plain, better + error)
    error = float(np.std(signals, ddof=1)) / 300**0.5
    assert abs(float(np.mean(signals)) - 0.06**2) < 4 * error
    assert better < 0.9 * plain

"""How often each system comes first when the queries are drawn again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from ragaliq.metrics.statistics.ranks.selection import selection_frequency


def test_two_systems_are_a_binomial() -> None:
    # Nine queries for the first, six for the second: it comes first where more than 7 of 15 drawn are its own.
    values = np.array([[1.0, 0.0]] * 9 + [[0.0, 1.0]] * 6)
    expected = float(binom.sf(7, 15, 9 / 15))
    first, second = selection_frequency(values)
    assert first == pytest.approx(expected, abs=4 * 0.008) and first + second == pytest.approx(1)


def test_ties_are_split_and_order_changes_nothing() -> None:
    values = np.random.default_rng(0).choice([0.0, 0.4, 1.0], (30, 3))
    shares = selection_frequency(np.column_stack([values, values[:, 0]]))
    assert shares[0] == shares[3] and sum(shares) == pytest.approx(1)
    moved = selection_frequency(values[::-1][:, [2, 0, 1]])
    assert [moved[1], moved[2], moved[0]] == pytest.approx(selection_frequency(values))
    assert selection_frequency(np.full((5, 4), 0.6)) == (0.25,) * 4
    assert (selection_frequency(np.zeros((0, 2))), selection_frequency(np.zeros((3, 0)))) == ((0.5, 0.5), ())


def test_copies_of_queries_make_no_place_firmer() -> None:
    values = np.random.default_rng(1).choice([0.0, 0.4, 1.0], (30, 2))
    names = [f"q{place:02}" for place in range(30)]
    once = selection_frequency(values)
    copied = selection_frequency(np.repeat(values, 6, axis=0), clusters=[name for name in names for _ in range(6)])
    assert copied == pytest.approx(once)
    with pytest.raises(ValueError, match="clusters for 30 queries"):
        selection_frequency(values, clusters=names[1:])


def test_systems_that_nothing_tells_apart_have_the_same_share() -> None:
    assert selection_frequency(np.array([[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3)) == (0.5, 0.5)
    # Each of three is best on two queries, second on two, last on two.
    cycle = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.5], [0.5, 0.0, 1.0]] * 2)
    assert selection_frequency(cycle) == pytest.approx((1 / 3,) * 3)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=3, max_size=3), min_size=1, max_size=6), st.data())
def test_order_changes_nothing_in_symmetric_tables(rows: list[list[float]], data: st.DataObject) -> None:
    """With each row turned round as well, columns 0 and 2 are alike."""
    table = np.array([*rows, *(row[::-1] for row in rows)])
    columns = data.draw(st.permutations(range(3)))
    places = data.draw(st.permutations(range(len(table))))
    moved = selection_frequency(table[list(places)][:, list(columns)])
    assert moved == pytest.approx([selection_frequency(table)[column] for column in columns])

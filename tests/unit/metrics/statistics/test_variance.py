"""Variance components: sums of squares by hand, simulated designs, and what a design cannot tell."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.metrics.statistics.variance import JUDGE, QUERIES, READER, variance_components

DRAWS = st.dictionaries(st.sampled_from("pqrs"), st.lists(st.integers(0, 5).map(float), max_size=5))


def test_two_queries_worked_by_hand() -> None:
    # Within 2 + 8 over 2: 5. Between 2 · (2² + 2²) = 16 over 1, less 5, by 2: 5.5.
    found = variance_components({"p": [1, 3], "q": [4, 8]})
    assert (found.n, found.n_queries, found.n_answers) == (4, 2, 2)
    assert [found.judge_draws, found.unsplit] == pytest.approx([5, 5.5])
    assert (found.unsplit_sources, found.cut, found.queries, found.reader_draws) == ((QUERIES, READER), (), None, None)


def test_unlike_numbers_of_draws_worked_by_hand() -> None:
    # Means 2 and 5, of all 3. Within 2 over 1: 2. Between 2 · 1 + 4 = 6, less 2, by 3 − (4 + 1) / 3 = 4 / 3.
    found = variance_components({"p": [1, 3], "q": [5], "r": []})
    assert [found.judge_draws, found.unsplit] == pytest.approx([2, (6 - 2) / (4 / 3)])
    assert (found.n, found.n_queries) == (3, 2)


def test_single_draws_have_the_variance_of_all_together() -> None:
    found = variance_components({"p": [1.0], "q": [2.0], "r": [6.0]})
    assert found.unsplit == pytest.approx(np.var([1, 2, 6], ddof=1))
    assert (found.unsplit_sources, found.judge_draws) == ((QUERIES, READER, JUDGE), None)


def test_one_query_or_none_tells_nothing_about_queries() -> None:
    found = variance_components({"p": [1, 3, 4, 8]})
    assert found.judge_draws == pytest.approx(np.var([1, 3, 4, 8], ddof=1)) and found.unsplit is None
    none = variance_components({})
    assert (none.n, none.judge_draws, none.unsplit, none.unsplit_sources) == (0, None, None, ())


def test_a_negative_estimate_is_zero_and_named() -> None:
    found = variance_components({"p": [0.0, 5.0], "q": [0.1, 5.1]})
    assert (found.unsplit, found.cut) == (0.0, (QUERIES,))


def test_simulated_components_are_found_again() -> None:
    generator = np.random.default_rng(1)
    draws = {str(q): (generator.normal(0, 0.3) + generator.normal(0, 0.1, 1 + q % 4)).tolist() for q in range(600)}
    found = variance_components(draws)
    # The spread of an estimate of a variance from m values is about √(2 / m) of the variance.
    assert found.unsplit == pytest.approx(0.09, abs=4 * sqrt(2 / 600) * 0.1)
    assert found.judge_draws == pytest.approx(0.01, abs=4 * sqrt(2 / 900) * 0.01)


@settings(max_examples=30, deadline=None)
@given(DRAWS)
def test_order_changes_nothing_and_no_variance_is_negative(draws: dict[str, list[float]]) -> None:
    found = variance_components(draws)
    assert variance_components({name: values[::-1] for name, values in reversed(draws.items())}) == found
    assert all(part is None or part >= 0 for part in (found.judge_draws, found.unsplit))

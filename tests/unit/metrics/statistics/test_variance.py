"""Variance components: sums of squares by hand, simulated designs, and what a design cannot tell."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.metrics.statistics.variance import JUDGE, QUERIES, READER, Observation, variance_components

ROWS = st.lists(
    st.builds(Observation, st.sampled_from("pqr"), st.sampled_from("xy"), st.integers(0, 5).map(float)), max_size=20
)


def drawn(sds: tuple[float, float, float], counts: tuple[int, int, int], seed: int) -> list[Observation]:
    """Queries, answers and verdicts with the given standard deviations and numbers."""
    generator = np.random.default_rng(seed)
    rows = []
    for query in range(counts[0]):
        of_query = generator.normal(0, sds[0])
        for answer in range(counts[1]):
            of_answer = of_query + generator.normal(0, sds[1])
            for _ in range(counts[2]):
                rows.append(Observation(f"q{query}", str(answer), of_answer + generator.normal(0, sds[2])))
    return rows


def test_a_balanced_design_worked_by_hand() -> None:
    # Two queries, two answers each, two verdicts each. Query p: answers (1, 3) and (5, 7); q: (0, 2) and (0, 2).
    rows = [
        Observation(query, answer, float(value))
        for query, answers in {"p": {"x": (1, 3), "y": (5, 7)}, "q": {"x": (0, 2), "y": (0, 2)}}.items()
        for answer, values in answers.items()
        for value in values
    ]
    found = variance_components(rows)
    # Within answers 4 · 2 over 4 degrees of freedom: 2. Between answers 2 · (2² + 2²) = 16 over 2, less 2, by 2: 3.
    # Between queries 4 · (1.5² + 1.5²) = 18 over 1, less 8 (the mean square between answers), by 4: 2.5.
    assert (found.n, found.n_queries, found.n_answers) == (8, 2, 4)
    assert [found.judge_draws, found.reader_draws, found.queries] == pytest.approx([2, 3, 2.5])
    assert (found.unsplit, found.unsplit_sources, found.cut) == (None, (), ())
    assert found.standard_error(10, 2, 4) == pytest.approx(sqrt((2.5 + (3 + 2 / 4) / 2) / 10))


def test_verdicts_without_repeats_leave_the_judge_in_the_reader() -> None:
    found = variance_components(
        [Observation(q, a, v) for q, a, v in [("p", "x", 1), ("p", "y", 3), ("q", "x", 4), ("q", "y", 8)]]
    )
    # Within queries 2 + 8 over 2: 5. Between queries 2 · (2² + 2²) = 16 over 1, less 5, by 2: 5.5.
    assert found.unsplit == pytest.approx(5)
    assert found.unsplit_sources == (READER, JUDGE)
    assert found.queries == pytest.approx(5.5)
    assert (found.reader_draws, found.judge_draws, found.standard_error(10)) == (None, None, None)


def test_one_answer_each_leaves_the_reader_in_the_queries() -> None:
    found = variance_components([Observation(q, "x", v) for q, v in [("p", 1), ("p", 3), ("q", 4), ("q", 8)]])
    assert found.judge_draws == pytest.approx(5)
    assert found.unsplit == pytest.approx(5.5)
    assert found.unsplit_sources == (QUERIES, READER)
    assert (found.queries, found.reader_draws) == (None, None)


def test_single_draws_have_the_variance_of_all_together() -> None:
    found = variance_components([Observation(str(place), "x", value) for place, value in enumerate([1.0, 2.0, 6.0])])
    assert found.unsplit == pytest.approx(np.var([1, 2, 6], ddof=1))
    assert found.unsplit_sources == (QUERIES, READER, JUDGE)


def test_one_query_tells_nothing_about_queries() -> None:
    found = variance_components([Observation("p", a, v) for a, v in [("x", 1), ("x", 3), ("y", 4), ("y", 8)]])
    assert found.queries is None
    assert found.judge_draws == pytest.approx(5)
    assert found.reader_draws == pytest.approx((16 - 5) / 2)


def test_nothing_tells_nothing() -> None:
    found = variance_components([])
    assert (found.n, found.queries, found.reader_draws, found.judge_draws, found.unsplit) == (0, None, None, None, None)


def test_a_negative_estimate_is_zero_and_named() -> None:
    # The queries' means are equal, the answers are far apart.
    rows = [Observation(q, a, v) for q in "pq" for a, v in [("x", 0.0), ("x", 0.1), ("y", 5.0), ("y", 5.1)]]
    found = variance_components(rows)
    assert (found.queries, found.cut) == (0.0, (QUERIES,))


@pytest.mark.parametrize("counts", [(400, 3, 3), (600, 2, 2)])
def test_simulated_components_are_found_again(counts: tuple[int, int, int]) -> None:
    found = variance_components(drawn((0.3, 0.2, 0.1), counts, 1))
    # The spread of an estimate of a variance from m values is about √(2 / m) of the variance.
    assert found.queries == pytest.approx(0.09, abs=5 * sqrt(2 / counts[0]) * 0.12)
    assert found.reader_draws == pytest.approx(0.04, abs=5 * sqrt(2 / counts[0]) * 0.05)
    assert found.judge_draws == pytest.approx(0.01, abs=5 * sqrt(2 / counts[0] / counts[1]) * 0.01)


def test_an_unbalanced_design_is_not_biased() -> None:
    generator = np.random.default_rng(3)
    found = []
    for seed in range(60):
        rows = [row for row in drawn((0.3, 0.2, 0.1), (60, 3, 3), seed) if generator.random() < 0.6]
        parts = variance_components(rows)
        found.append([parts.queries or 0.0, parts.reader_draws or 0.0, parts.judge_draws or 0.0])
    error = np.std(found, axis=0) / sqrt(60)
    assert (np.abs(np.mean(found, axis=0) - [0.09, 0.04, 0.01]) < 4 * error).all()


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_order_changes_nothing_and_no_variance_is_negative(rows: list[Observation]) -> None:
    found = variance_components(rows)
    assert variance_components(rows[::-1]) == found
    parts = (found.queries, found.reader_draws, found.judge_draws, found.unsplit)
    assert all(part is None or part >= 0 for part in parts)
    assert (found.unsplit is None) == (found.unsplit_sources == ())

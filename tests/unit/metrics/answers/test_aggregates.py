from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragaliq.metrics.answers.aggregates import GRADES, aggregate
from ragaliq.metrics.statistics.intervals import weight_interval

TENTHS = {5: 10, 4: 8, 3: 6, 0: 4, 2: 2, 1: 0}
ROWS = st.lists(st.none() | st.integers(0, 5), max_size=12)
# The values are exact up to a few roundings of a double.
ROUNDING = 1e-14


def weight_sum(rows: Sequence[int | None]) -> Fraction:
    return sum((Fraction(TENTHS[grade], 10) for grade in rows if grade is not None), Fraction(0))


def test_every_value_of_a_small_run() -> None:
    found = aggregate([5, 4, None, 0, 2, 2], n_expected=8)
    assert (found.n, found.n_expected, found.n_scored) == (6, 8, 5)
    assert found.coverage == 5 / 8
    assert found.counts == {5: 1, 4: 1, 3: 0, 2: 2, 1: 0, 0: 1}
    assert found.mean_weight == approx((1 + 0.8 + 0.4 + 0.2 + 0.2) / 5, rel=ROUNDING)
    assert found.weighted_score == approx(((1 + 0.8 + 0.4 + 0.2 + 0.2) / 5) ** 2, rel=ROUNDING)
    assert found.mean_with_zeros == (5 + 4 + 0 + 2 + 2) / 5
    assert found.mean_nonzero == (5 + 4 + 2 + 2) / 4
    assert found.median_nonzero == (2 + 4) / 2
    assert found.percentage == approx((5 + 4 + 2 + 2) / 4 / 5 * 100, rel=ROUNDING)
    assert found.percentage_with_zero == approx((5 + 4 + 0 + 2 + 2) / 5 / 5 * 100, rel=ROUNDING)
    # Three of eight grades are missing: one row without a grade, two rows that are not there.
    assert found.weighted_score_bounds == approx((((2.6 + 3 * 0) / 8) ** 2, ((2.6 + 3 * 1) / 8) ** 2), rel=ROUNDING)
    # As if the three were wrong answers, and as if they were right ones.
    least, greatest = weight_interval([5, 4, 0, 2, 2, 1, 1, 1]), weight_interval([5, 4, 0, 2, 2, 5, 5, 5])
    assert least is not None
    assert greatest is not None
    assert found.weighted_score_bounds_ci == approx((least.low**2, greatest.high**2), rel=ROUNDING)
    assert aggregate([5, 4, 0]).weighted_score_bounds_ci == aggregate([5, 4, 0]).weighted_score_ci


def test_saying_nothing_is_worth_more_than_being_wrong() -> None:
    cases = [
        ([5, 4, 0], ((1 + 0.8 + 0.4) / 3) ** 2),
        ([0, 0], 0.4**2),
        ([1, 1, 2], ((0 + 0 + 0.2) / 3) ** 2),
        ([1, 0], (0.4 / 2) ** 2),
        ([3], 0.6**2),
        ([1], 0.0),
        ([5, 5], 1.0),
    ]
    for grades, score in cases:
        assert aggregate(grades).weighted_score == approx(score, rel=ROUNDING), grades


def test_nothing_scored_leaves_every_value_undefined() -> None:
    for rows in [[], [None, None]]:
        found = aggregate(rows, n_expected=4)
        assert (found.n, found.n_scored, found.coverage) == (len(rows), 0, 0 / 4), rows
        assert found.counts == dict.fromkeys(GRADES, 0), rows
        assert (found.weighted_score, found.mean_weight, found.weighted_score_ci) == (None, None, None), rows
        assert (found.mean_with_zeros, found.mean_nonzero, found.median_nonzero) == (None, None, None), rows
        assert (found.percentage, found.percentage_with_zero) == (None, None), rows
        assert found.weighted_score_bounds == found.weighted_score_bounds_ci == (0, 1), rows


def test_only_zeros_have_a_mean_but_no_mean_above_zero() -> None:
    found = aggregate([0, 0, 0])
    assert (found.mean_with_zeros, found.percentage_with_zero) == (0, 0)
    assert (found.mean_nonzero, found.median_nonzero, found.percentage) == (None, None, None)


def test_the_interval_is_that_of_the_mean_weight_squared() -> None:
    assert aggregate([4]).weighted_score_ci is None
    for grades in [[2, 4], [5] * 25, [5] * 30 + [3] * 20 + [1] * 20]:
        interval = weight_interval(grades, seed=3)
        assert interval is not None, grades
        assert aggregate(grades, seed=3).weighted_score_ci == (interval.low**2, interval.high**2), grades


def test_bounds_count_missing_rows_only_where_their_number_is_known() -> None:
    assert aggregate([]).weighted_score_bounds is None
    assert (aggregate([]).coverage, aggregate([], 0).coverage) == (None, None)
    assert aggregate([5, 5], n_expected=4).weighted_score_bounds == ((2 / 4) ** 2, 1)
    assert aggregate([5, 5]).weighted_score_bounds == (1, 1)


def test_grades_off_the_scale_and_more_rows_than_expected_are_refused() -> None:
    for grade in [6, -1]:
        with pytest.raises(ValueError, match=f"0..5, not {grade}"):
            aggregate([5, grade])
    with pytest.raises(ValueError, match="3 rows are more than the 2 expected"):
        aggregate([5, None, 1], n_expected=2)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows: list[int | None], random: Random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert aggregate(shuffled, seed=7) == aggregate(rows, seed=7)


@given(ROWS, st.integers(0, 5))
def test_rows_grades_and_coverage_add_up(rows: list[int | None], missing: int) -> None:
    found = aggregate(rows, len(rows) + missing)
    assert found.n == len(rows)
    assert found.n_scored == sum(found.counts.values()) == len(rows) - rows.count(None)
    assert all(found.counts[grade] == rows.count(grade) for grade in GRADES)
    if rows:
        assert found.coverage == found.n_scored / (found.n + missing)


@given(ROWS.filter(bool), st.integers(0, 5))
def test_score_and_bounds_equal_exact_arithmetic(rows: list[int | None], missing: int) -> None:
    found = aggregate(rows, len(rows) + missing)
    n, lost = len(rows) + missing, rows.count(None) + missing
    low, high = (weight_sum(rows) / n) ** 2, ((weight_sum(rows) + lost) / n) ** 2
    assert found.weighted_score_bounds == approx((float(low), float(high)), rel=ROUNDING)
    if found.n_scored:
        assert found.weighted_score == approx(float((weight_sum(rows) / found.n_scored) ** 2), rel=ROUNDING)


@given(ROWS, st.integers(1, 5))
def test_bounds_hold_the_score_whatever_the_missing_grades_are(rows: list[int | None], missing: int) -> None:
    found = aggregate(rows, len(rows) + missing)
    assert found.weighted_score_bounds is not None
    low, high = found.weighted_score_bounds
    assert 0 <= low <= high <= 1
    if found.weighted_score is not None:
        assert low <= found.weighted_score <= high

"""Paired comparisons: hand-worked values, scipy as the independent count, and what holds for any values."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.significance import (
    Effect,
    Wins,
    effect,
    paired_bootstrap,
    paired_t,
    sign_flip,
    wins,
)

VALUE = st.sampled_from([0.0, 0.25, 0.5, 0.63, 1.0]) | st.floats(0, 1, allow_nan=False)
PAIRS = st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=12)
P_VALUES = st.lists(st.floats(1e-300, 1), max_size=12)


def split(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [first for first, _ in pairs], [second for _, second in pairs]


def graded(n: int, seed: int) -> tuple[list[float], list[float]]:
    """Two systems of which 70 % of the queries tie."""
    generator = np.random.default_rng(seed)
    first = generator.random(n)
    second = first + np.where(generator.random(n) < 0.7, 0, generator.normal(0.05, 0.2, n))
    return first.tolist(), second.tolist()


def mid_p(a: list[float], b: list[float]) -> float:
    """The mid-p value from scipy's count of all assignments of signs."""
    deltas = np.subtract(b, a)
    found = stats.permutation_test((deltas,), np.sum, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    sums = np.abs(found.null_distribution)
    observed = abs(found.statistic)
    return float((np.mean(sums > observed + 1e-9) + np.mean(sums >= observed - 1e-9)) / 2)


def test_effect_wins_and_losses_worked_by_hand() -> None:
    baseline, compared = [0.5, 0.5, 1.0, 0.0], [1.0, 0.5, 0.7, 0.2]
    found = effect(baseline, compared)
    assert (found.n, found.baseline) == (4, 2 / 4)
    assert found.compared == pytest.approx(2.4 / 4)
    assert found.difference == pytest.approx((0.5 + 0 - 0.3 + 0.2) / 4)
    assert found.percent == pytest.approx(100 * 0.1 / 0.5)
    assert wins(baseline, compared) == Wins(2, 1, 1)


def test_a_baseline_of_zero_has_no_relative_difference() -> None:
    assert effect([0, 0], [0, 1]) == Effect(2, 0.0, 0.5, 0.5, None)


def test_sums_in_another_order_are_no_difference() -> None:
    baseline, compared = [0.1 + 0.2 + 0.3, 0.5], [0.3 + 0.2 + 0.1, 0.5]
    assert baseline != compared
    assert wins(baseline, compared) == Wins(0, 2, 0)
    assert sign_flip(baseline, compared) == 1.0


def test_t_worked_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, standard deviation 1, t = 2 / (1 / √3); with 2 degrees of freedom the two-sided
    # p value is 1 − t / √(t² + 2).
    t = 2 * sqrt(3)
    assert paired_t([0, 0, 0], [1, 2, 3]) == pytest.approx(1 - t / sqrt(t * t + 2))


def test_t_is_that_of_scipy() -> None:
    for n, seed in ((5, 0), (25, 1), (70, 2), (1000, 3)):
        a, b = graded(n, seed)
        assert paired_t(a, b) == pytest.approx(stats.ttest_rel(b, a).pvalue)


def test_sign_flips_worked_by_hand() -> None:
    # Sums of ±1 ±2 ±3: 6, 4, 2, 0 and 0, −2, −4, −6; 6 is as far as it gets, with one assignment on either side.
    assert sign_flip([0, 0, 0], [1, 2, 3]) == 2 / 8 / 2
    # −1 + 2 + 3 = 4: two of 8 are further, two as far.
    assert sign_flip([0, 0, 0], [-1, 2, 3]) == (2 + 2 / 2) / 8
    # Ties carry no sign.
    assert sign_flip([0, 0, 0, 7, 7], [-1, 2, 3, 7, 7]) == (2 + 2 / 2) / 8


def test_all_sign_flips_are_counted_as_scipy_counts_them() -> None:
    generator = np.random.default_rng(1)
    weights = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    for seed in range(2):
        untied = [(x, y) for x, y in zip(*graded(30, seed), strict=True) if x != y][:10]
        grades = [(x, y) for x, y in zip(*(generator.choice(weights, 11).tolist() for _ in "ab"), strict=True)]
        for pairs in (untied, grades):
            a, b = split(pairs)
            found = sign_flip(a, b)
            assert found == pytest.approx(mid_p(a, b)), pairs


def test_many_equal_differences_are_counted_as_a_binomial() -> None:
    for better, worse in ((15, 6), (40, 40), (300, 240)):
        n = better + worse
        found = sign_flip([0] * n, [1] * better + [-1] * worse)
        as_far = 2 * stats.binom.pmf(better, n, 0.5) if better > worse else stats.binom.pmf(better, n, 0.5)
        expected = (2 * stats.binom.sf(better, n, 0.5) if better > worse else 1 - as_far) + as_far / 2
        assert found == pytest.approx(expected)


def test_drawn_sign_flips_are_near_the_exact_count() -> None:
    # Grades' differences can be counted; less than a hair of noise, and they have to be drawn.
    generator = np.random.default_rng(9)
    whole = generator.choice([-0.4, -0.2, 0.2, 0.4, 0.6], 60)
    counted, drawn = sign_flip(np.zeros(60), whole), sign_flip(np.zeros(60), whole + generator.normal(0, 1e-6, 60))
    assert counted is not None and counted == sign_flip(np.zeros(60), whole, seed=1)
    assert drawn is not None and drawn != counted
    # Sums as far as the one observed are no longer as far: up to half of what they are is added to or taken away.
    lower, upper = counted * 0.85, counted * 1.15
    assert lower - 0.01 < drawn < upper + 0.01


def test_the_least_p_value_of_draws_is_not_zero() -> None:
    values = [1 + place / 997 for place in range(60)]
    assert sign_flip([0] * 60, values, draws=99) == 0.5 / 100


def test_a_cluster_changes_sign_as_one() -> None:
    # Sums of the clusters: 1 + 2 and 4 − 1; both the same way in 1 of 2 assignments.
    a, b, names = [0, 0, 0, 0], [1, 2, 4, -1], ["q1", "q1", "q2", "q2"]
    assert sign_flip(a, b, clusters=names) == (1 / 2) / 2
    # Copies of a query are no evidence.
    single = sign_flip([0, 0, 0], [1, 2, 3])
    copied = sign_flip([0] * 9, [1] * 3 + [2] * 3 + [3] * 3, clusters=[name for name in "abc" for _ in range(3)])
    assert copied == single


def test_t_over_clusters_is_that_of_their_sums_where_they_are_of_one_size() -> None:
    a, b = graded(60, 11)
    names = [f"q{place // 3}" for place in range(60)]
    sums = np.subtract(b, a).reshape(20, 3).sum(axis=1)
    assert paired_t(a, b, clusters=names) == pytest.approx(stats.ttest_1samp(sums, 0).pvalue)


def test_clusters_for_other_queries_are_refused() -> None:
    with pytest.raises(ValueError, match="1 clusters for 2 queries"):
        sign_flip([0, 0], [1, 2], clusters=["q1"])


@pytest.mark.slow
def test_mid_p_values_of_equal_systems_are_not_too_careful() -> None:
    # Both systems draw from the same values, and three queries of four tie: near .05 of the tests reject at .05.
    generator = np.random.default_rng(4)
    rejected = 0
    for _ in range(400):
        a = generator.choice([0, 0.5, 1], 60)
        b = np.where(generator.random(60) < 0.7, a, generator.choice([0, 0.5, 1], 60))
        found = sign_flip(a, b, draws=400)
        rejected += found is not None and found < 0.05
    assert 0.03 < rejected / 400 < 0.08


@pytest.mark.slow
def test_the_interval_covers_the_true_difference_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    values, chances = [0, 0.1, 0.2, 0.37, 0.6, -1, -0.5], [0.62, 0.12, 0.1, 0.06, 0.03, 0.03, 0.04]
    truth = float(np.dot(values, chances))
    covered = 0
    for _ in range(300):
        found = paired_bootstrap(np.zeros(70), generator.choice(values, 70, p=chances), resamples=500)
        covered += found is not None and found.interval.low <= truth <= found.interval.high
    assert 0.90 < covered / 300 < 0.98


def test_a_bootstrap_of_many_queries_is_near_students_interval_and_p_value() -> None:
    a, b = graded(2000, 6)
    found, student, expected = paired_bootstrap(a, b), paired_t(a, b), stats.ttest_rel(b, a).confidence_interval(0.95)
    assert found is not None and student is not None
    near = 0.05 * (expected.high - expected.low)
    assert list(found.interval) == pytest.approx([expected.low, expected.high], abs=near)
    assert found.p == pytest.approx(student, abs=0.01)


def test_the_bootstrap_p_value_and_its_interval_agree() -> None:
    for shift in (0.0, 0.02, 0.05, 0.2):
        generator = np.random.default_rng(7)
        found = paired_bootstrap(np.zeros(60), generator.normal(shift, 0.15, 60))
        assert found is not None
        assert (found.p < 0.05) == (not found.interval.low <= 0 <= found.interval.high)


def test_no_query_says_nothing_and_one_has_neither_spread_nor_interval() -> None:
    assert effect([], []) == Effect(0, None, None, None, None)
    assert wins([], []) == Wins(0, 0, 0)
    assert (paired_t([], []), sign_flip([], []), paired_bootstrap([], [])) == (None, None, None)
    assert holm([]) == []
    assert (paired_t([0.2], [0.9]), paired_bootstrap([0.2], [0.9])) == (None, None)
    # Both signs are as far from 0 as the difference observed.
    assert sign_flip([0.2], [0.9]) == 1 / 2


def test_the_same_difference_everywhere_leaves_t_undefined() -> None:
    assert paired_t([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]) is None
    found = paired_bootstrap([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    assert found is not None
    assert list(found.interval) == pytest.approx([0.3, 0.3])


def test_systems_that_tie_everywhere_do_not_differ() -> None:
    for n in (2, 3, 50):
        values = [place / n for place in range(n)]
        bootstrap = paired_bootstrap(values, values)
        assert bootstrap is not None
        assert (bootstrap.interval, bootstrap.p) == ((0, 0), 1)
        assert sign_flip(values, values) == 1.0
        assert paired_t(values, values) == 1.0
        assert wins(values, values) == Wins(0, n, 0)


def test_values_that_are_not_paired_numbers_are_refused() -> None:
    functions: tuple[Callable[..., object], ...] = (effect, wins, paired_t, sign_flip, paired_bootstrap)
    for function in functions:
        for a, b, says in (([1, 2], [1], "same queries"), ([np.nan], [1], "finite"), ([1], [np.inf], "finite")):
            with pytest.raises(ValueError, match=says):
                function(a, b)


def test_the_seed_decides() -> None:
    a, b = graded(90, 8)
    assert sign_flip(a, b, seed=1) == sign_flip(a, b, seed=1) != sign_flip(a, b, seed=2)
    assert paired_bootstrap(a, b, seed=1) == paired_bootstrap(a, b, seed=1) != paired_bootstrap(a, b, seed=2)


@settings(max_examples=25, deadline=None)
@given(PAIRS, st.randoms(use_true_random=False), st.integers(1, 3))
def test_neither_the_order_of_queries_nor_that_of_systems_matters(
    pairs: list[tuple[float, float]], random: Random, copies: int
) -> None:
    pairs = pairs * copies
    a, b = split(pairs)
    shuffled = list(pairs)
    random.shuffle(shuffled)
    c, d = split(shuffled)
    flip = sign_flip(a, b, draws=100)
    assert flip is not None and 0 < flip <= 1
    # Sums in another order may differ in their last digit, which is taken as rounding.
    assert sign_flip(b, a, draws=100) == flip == sign_flip(c, d, draws=100)
    student = paired_t(a, b)
    assert student is None or 0 < student <= 1
    assert paired_t(b, a) == (student and pytest.approx(student))
    assert paired_bootstrap(c, d, resamples=100) == paired_bootstrap(a, b, resamples=100)


@settings(max_examples=25, deadline=None)
@given(PAIRS, st.integers(0, 3))
def test_the_bootstrap_interval_of_swapped_systems_is_the_mirror_image(
    pairs: list[tuple[float, float]], seed: int
) -> None:
    # With its own mirror image appended, a sample is symmetric about 0, and so is its interval.
    for own in (pairs, pairs + [(second, first) for first, second in pairs]):
        a, b = split(own)
        found, back = paired_bootstrap(a, b, seed, resamples=50), paired_bootstrap(b, a, seed, resamples=50)
        assert (found is None) == (back is None) == (len(own) < 2)
        if found and back:
            assert back.interval == (-found.interval.high, -found.interval.low)
            assert 0 < back.p == found.p <= 1
            assert own is pairs or back == found


def test_holm_worked_by_hand() -> None:
    # In order: 4 · .01, 3 · .02, then 2 · .03 = .06 and 1 · .04, which may not fall below .06.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]


def test_holm_passes_over_tests_without_a_value() -> None:
    assert holm([None, 0.01, None, 0.02]) == [None, 0.02, None, 0.02]


@settings(max_examples=40, deadline=None)
@given(P_VALUES)
def test_holm_is_monotone_at_least_the_raw_value_and_at_most_that_of_bonferroni(p_values: list[float]) -> None:
    corrected = [value for value in holm(list(p_values)) if value is not None]
    assert len(corrected) == len(p_values)
    for raw, value in zip(p_values, corrected, strict=True):
        assert raw <= value <= min(1, raw * len(p_values))
    ordered = [value for _, value in sorted(zip(p_values, corrected, strict=True))]
    assert ordered == sorted(ordered)

"""Intervals of means: scipy's bootstrap and distributions as oracles, what holds for any values, and coverage."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.intervals import Interval, mean_interval, value_interval, weight_interval
from ragaliq.metrics.weights import WEIGHTS

VALUES = st.lists(st.integers(0, 5), min_size=2, max_size=40)


def binomial_quantile(n: int, p: float, level: float) -> float:
    """The mean of n draws of 0 or 1, at the given level of its exact distribution."""
    below = 0.0
    for k in range(n + 1):
        below += comb(n, k) * p**k * (1 - p) ** (n - k)
        if below >= level:
            return k / n
    raise AssertionError("the distribution does not sum to 1")


def student_resamples(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Bootstrap-t the long way: each resample's values are drawn, averaged and spread."""
    sample, generator = np.asarray(values), np.random.default_rng(seed)
    drawn = sample[generator.integers(0, len(sample), (20_000, len(sample)))]
    t = (drawn.mean(axis=1) - sample.mean()) / (drawn.std(axis=1, ddof=1) / sqrt(len(sample)))
    low, high = np.quantile(t, [0.025, 0.975])
    error = sample.std(ddof=1) / sqrt(len(sample))
    return sample.mean() - high * error, sample.mean() - low * error


def test_resampling_few_ones_and_zeros_is_binomial() -> None:
    for n, ones in ((10, 1), (10, 4), (20, 7), (22, 12)):
        # The percentiles taken are those of a normal at Student's quantile, √(n / (n − 1)) further out.
        tail = stats.norm.cdf(sqrt(n / (n - 1)) * stats.t.ppf(0.025, n - 1))
        expected = (binomial_quantile(n, ones / n, tail), binomial_quantile(n, ones / n, 1 - tail))
        assert mean_interval([1.0] * ones + [0.0] * (n - ones)) == expected


def test_the_interval_ends_at_the_least_and_the_greatest_value() -> None:
    assert mean_interval([2, 4]) == (2, 4)
    assert mean_interval([3, 3, 3]) == (3, 3)


def test_the_interval_is_bootstrap_t() -> None:
    for n in (20, 60):
        values = np.random.default_rng(n).gamma(1.5, 1, n).tolist()
        found = mean_interval(values)
        assert found is not None
        # Both ends are quantiles of draws; a tenth of a standard error is more than three of a quantile's.
        assert list(found) == pytest.approx(student_resamples(values, 0), abs=0.15 * np.std(values) / sqrt(n))


def test_a_sample_of_a_normal_has_students_interval() -> None:
    values = stats.norm.ppf((np.arange(400) + 0.5) / 400).tolist()
    found, expected = mean_interval(values), stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found is not None
    assert list(found) == pytest.approx([expected.low, expected.high], abs=0.06 * expected.high)


def test_many_mixed_grades_have_nearly_the_second_order_interval_of_their_weights() -> None:
    grades = [5] * 39 + [4] * 9 + [3] * 10 + [1] * 3 + [0] * 9
    found = weight_interval(grades)
    weights = [WEIGHTS[grade] for grade in grades]
    assert found == value_interval(weights, 0, 1)
    expected = stats.bootstrap(
        (weights,), np.mean, method="BCa", random_state=np.random.default_rng(1)
    ).confidence_interval
    # Another second-order interval: BCa. The two are nearer to each other than a tenth of their width.
    assert found is not None
    assert list(found) == pytest.approx([expected.low, expected.high], abs=0.1 * (expected.high - expected.low))


def test_nothing_but_fives_still_leaves_doubt() -> None:
    for n in (2, 10, 25, 200):
        found = weight_interval([5] * n)
        # Of Clopper and Pearson, as if all other answers were worth 0.
        assert found == pytest.approx((stats.binomtest(n, n).proportion_ci(0.95, "exact").low, 1.0))


def test_values_of_a_known_range_have_the_posterior_of_their_shares() -> None:
    # Zeros and ones with Jeffreys' prior: a beta distribution.
    for n, ones in ((20, 3), (70, 60), (5, 1)):
        found = value_interval([1.0] * ones + [0.0] * (n - ones), 0, 1)
        expected = stats.beta.ppf([0.025, 0.975], ones + 0.5, n - ones + 0.5)
        assert found is not None
        assert list(found) == pytest.approx(expected, abs=0.01)
    # A range of another size and place is the same, moved.
    moved = value_interval([3.0] * 3 + [-1.0] * 17, -1, 3)
    once = value_interval([1.0] * 3 + [0.0] * 17, 0, 1)
    assert moved is not None and once is not None
    assert list(moved) == pytest.approx([4 * end - 1 for end in once])


def test_one_value_says_little_and_none_nothing() -> None:
    # A share p of other values, at an end of the range, is not seen with a chance of 1 − p: .025 at p = .975.
    assert value_interval([0.2], -1, 1) == pytest.approx((0.2 - 0.975 * 1.2, 0.2 + 0.975 * 0.8))
    assert value_interval([], 0, 1) is None


def test_values_out_of_the_range_are_refused() -> None:
    with pytest.raises(ValueError, match="within 0 and 1"):
        value_interval([0.5, 1.2], 0, 1)


def test_two_grades_without_the_others_have_nearly_a_beta_interval() -> None:
    # 300 answers, of which 8 got grade 1 (worth 0): the other grades' share of the prior hardly counts.
    found = weight_interval([5] * 292 + [1] * 8)
    assert found is not None
    expected = stats.beta.ppf([0.025, 0.975], 292 + 0.5, 8 + 0.5)
    assert list(found) == pytest.approx(expected, abs=0.004)


def test_a_posterior_of_few_grades_is_that_of_its_moments() -> None:
    # The mean of a Dirichlet posterior is (Σ weights of the answers + 1 / 2) / (n + 1): here (17.6 + .5) / 21.
    # The narrow interval lies around it, and is widened to hold the mean of the sample, 17.6 / 20.
    found = weight_interval([5] * 16 + [0] * 4, level=0.02)
    assert found is not None
    assert found.low == pytest.approx((16 + 1.6 + 0.5) / 21, abs=0.01)
    assert found.high == pytest.approx((16 + 1.6) / 20)


def test_an_interval_holds_its_own_mean_where_all_grades_are_the_same() -> None:
    best, worst = weight_interval([5] * 70), weight_interval([1] * 70)
    assert best is not None and worst is not None
    assert best.high == 1 and 0.9 < best.low < 1
    assert worst.low == 0 and 0 < worst.high < 0.1


def test_fewer_than_two_clusters_have_no_interval() -> None:
    for values, clusters in (([], None), ([5], None), ([5, 4, 3], ["a"] * 3)):
        assert mean_interval(values, clusters=clusters) is weight_interval(values, clusters=clusters) is None


def test_grades_off_the_scale_and_values_without_their_clusters_are_refused() -> None:
    for grade in (-1, 6):
        with pytest.raises(ValueError, match=f"0..5, not {grade}"):
            weight_interval([5, grade])
    with pytest.raises(ValueError, match="2 clusters for 3 queries"):
        mean_interval([1, 2, 3], clusters=["a", "b"])
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1, float("nan")])


def test_the_seed_decides() -> None:
    values = [i / 7 for i in range(25)]
    assert mean_interval(values, seed=3) == mean_interval(values, seed=3) != mean_interval(values, seed=4)
    assert weight_interval([5, 4], seed=3) == weight_interval([5, 4], seed=3) != weight_interval([5, 4], seed=4)


def test_the_same_question_in_six_languages_counts_once() -> None:
    generator = np.random.default_rng(2)
    values = generator.random(60)
    six = np.repeat(values, 6).tolist()
    names = [f"q{place:02}" for place in range(60) for _ in range(6)]
    once, pooled, alone = mean_interval(values.tolist()), mean_interval(six, clusters=names), mean_interval(six)
    assert once is not None and pooled is not None and alone is not None
    assert list(pooled) == pytest.approx(list(once))
    # Six copies taken as sixfold evidence are √6 too sure.
    assert (once.high - once.low) / (alone.high - alone.low) == pytest.approx(sqrt(6), rel=0.05)


def test_fives_in_clusters_weigh_as_much_as_clusters() -> None:
    names = [f"q{place:02}" for place in range(20) for _ in range(6)]
    clustered, few, many = (
        weight_interval([5] * 120, clusters=names),
        weight_interval([5] * 20),
        weight_interval([5] * 120),
    )
    assert clustered == few != many
    # Also where the clusters are of unlike sizes, which is no spread.
    uneven = weight_interval([5] * 120, clusters=names[:30] + [f"r{place:02}" for place in range(90)])
    assert uneven is not None
    assert uneven.low < 0.99


@settings(max_examples=15, deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_the_interval_is_inside_the_values_and_blind_to_their_order(values: list[int], random: Random) -> None:
    places = list(range(len(values)))
    random.shuffle(places)
    names = [f"q{place // 2}" for place in range(len(values))]
    found = mean_interval(values, resamples=200)
    assert found is not None
    assert min(values) <= found.low <= found.high <= max(values)
    assert mean_interval([values[place] for place in places], resamples=200) == found
    for function in (mean_interval, weight_interval):
        grouped = function(values, clusters=names)
        moved = function([values[p] for p in places], clusters=[names[p] for p in places])
        assert (grouped is None) == (moved is None)
        assert list(grouped or ()) == pytest.approx(list(moved or ()))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.4, -0.2, 0.0, 0.2, 0.6]), min_size=2, max_size=60), st.integers(1, 3))
def test_values_with_the_other_sign_have_the_mirrored_interval(values: list[float], size: int) -> None:
    # Followed by its own mirror image, a sample is symmetric about 0.
    for own in (values, [each for value in values for each in (value, -value)]):
        names = [f"q{place // size}" for place in range(len(own))]
        found, back = (mean_interval([sign * v for v in own], clusters=names, resamples=100) for sign in (1, -1))
        assert (found is None) == (back is None)
        if found and back:
            assert back == (-found.high, -found.low)
        ranged, turned = (value_interval([sign * v for v in own], -1, 1, clusters=names) for sign in (1, -1))
        assert ranged is not None and turned == (-ranged.high, -ranged.low)


@settings(max_examples=15, deadline=None)
@given(VALUES)
def test_the_interval_of_grades_is_within_the_scale_and_never_a_point(grades: list[int]) -> None:
    found = weight_interval(grades)
    assert found is not None
    assert 0 <= found.low < found.high <= 1


@settings(max_examples=15, deadline=None)
@given(VALUES)
def test_more_confidence_is_a_wider_interval(values: list[int]) -> None:
    for function in (mean_interval, weight_interval):
        narrow, wide = (function(values, level=level) for level in (0.5, 0.99))
        assert narrow is not None and wide is not None
        assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 70])
@pytest.mark.parametrize(
    "mix",
    [
        {5: 0.55, 4: 0.13, 3: 0.14, 1: 0.05, 0: 0.13},
        {5: 0.95, 3: 0.03, 0: 0.02},
        {5: 0.3, 4: 0.15, 3: 0.3, 2: 0.1, 1: 0.15},
    ],
)
def test_the_interval_covers_the_truth_about_as_often_as_it_says(mix: dict[int, float], n: int) -> None:
    generator, truth = np.random.default_rng(n), sum(share * WEIGHTS[grade] for grade, share in mix.items())
    covered = 0
    for run in range(250):
        found = weight_interval(generator.choice(list(mix), n, p=list(mix.values())).tolist(), seed=run)
        covered += found is not None and found.low - 1e-12 <= truth <= found.high + 1e-12
    # 250 runs at .92 … .975: four standard errors either way.
    assert 0.92 - 4 * sqrt(0.92 * 0.08 / 250) <= covered / 250 <= min(1.0, 0.975 + 4 * sqrt(0.975 * 0.025 / 250))


@pytest.mark.slow
def test_clusters_keep_the_coverage_that_single_queries_lose() -> None:
    generator = np.random.default_rng(6)
    names = [f"q{place:02}" for place in range(40) for _ in range(5)]
    held = {"clusters": 0, "queries": 0}
    for run in range(150):
        values = (np.repeat(generator.normal(0, 1, 40), 5) + generator.normal(0, 1, 200)).tolist()
        intervals: dict[str, Interval | None] = {
            "clusters": mean_interval(values, seed=run, clusters=names, resamples=200),
            "queries": mean_interval(values, seed=run, resamples=200),
        }
        for key, found in intervals.items():
            held[key] += found is not None and found.low <= 0 <= found.high
    assert held["clusters"] / 150 > 0.95 - 4 * sqrt(0.95 * 0.05 / 150)
    # Nothing is left of 95 %: the standard error is short by √(6 / 2).
    assert held["queries"] / 150 < 0.85

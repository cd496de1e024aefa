from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.equivalence import equivalence

WEIGHTS = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
PAIRS = st.lists(st.tuples(WEIGHTS, WEIGHTS), min_size=2, max_size=30)


def test_ties_alone_are_those_of_a_binomial() -> None:
    # A query that differs by 1 is not seen in 58 with a chance of .95^58 = .051, in 59 of .0485.
    for n, equal in ((58, False), (59, True)):
        found = equivalence(np.zeros(n), np.zeros(n), margin=0.05)
        assert found is not None
        assert found.p == pytest.approx(0.95**n) and found.equivalent == equal
        end = 1 - 0.05 ** (1 / n)
        assert found.interval == pytest.approx((-end, end), abs=2e-6)


def test_shares_have_the_exact_interval_of_clopper_and_pearson() -> None:
    for n, ones in ((40, 3), (25, 20)):
        # Differences of 1 and −1: shares of ones, twice as wide and moved by one.
        found = equivalence(np.zeros(n), [1.0] * ones + [-1.0] * (n - ones), margin=0.9)
        exact = stats.binomtest(ones, n).proportion_ci(0.9, "exact")
        assert found is not None
        assert found.interval == pytest.approx((2 * exact.low - 1, 2 * exact.high - 1), abs=4e-6)


def test_many_queries_have_students_interval_moved_by_little() -> None:
    d = np.random.default_rng(1).normal(0.03, 0.1, 2000)
    found, expected = equivalence(np.zeros(2000), d, margin=0.05), stats.ttest_1samp(d, 0).confidence_interval(0.9)
    assert found is not None and found.equivalent
    # One unseen query of 2,001 moves an end by up to 1 / 2,001.
    assert list(found.interval) == pytest.approx([expected.low, expected.high], abs=1.5 / 2001)


def test_agreeing_on_a_few_queries_is_not_being_equal() -> None:
    for n, equal in ((10, False), (25, False), (70, False), (98, False), (99, True)):
        found = equivalence(np.zeros(n), np.zeros(n), margin=0.03)
        assert found is not None
        assert found.equivalent == equal


def test_copies_of_queries_are_no_evidence() -> None:
    d = np.random.default_rng(2).choice([-0.2, 0.0, 0.0, 0.2], 60)
    once = equivalence(np.zeros(60), d, margin=0.05)
    names = [f"q{place}" for place in range(60) for _ in range(3)]
    copied = equivalence(np.zeros(180), np.repeat(d, 3), margin=0.05, clusters=names)
    assert once is not None and copied is not None
    # The design effect is all but the clusters' size: 3 · 179 / 177 at most.
    assert [copied.p, *copied.interval] == pytest.approx([once.p, *once.interval], rel=0.02)


def test_languages_that_differ_by_themselves_tell_more_than_copies() -> None:
    generator = np.random.default_rng(3)
    names = [f"q{place}" for place in range(70) for _ in range(6)]
    own = generator.choice([0.0, 0.0, 0.2, -0.2], 420)
    found = equivalence(np.zeros(420), own, margin=0.05, clusters=names)
    copied = equivalence(np.zeros(420), np.repeat(own[::6], 6), margin=0.05, clusters=names)
    assert found is not None and copied is not None
    assert found.equivalent and not copied.equivalent


def test_few_clusters_prove_nothing_however_independent_their_queries_look() -> None:
    generator = np.random.default_rng(4)
    for n, equal in ((58, False), (59, True)):
        names = [f"q{place}" for place in range(n) for _ in range(6)]
        small = generator.permuted(np.tile([0.05, -0.05], 3 * n))
        found = equivalence(np.zeros(6 * n), small, margin=0.05, clusters=names)
        assert found is not None and found.equivalent == equal


def test_a_margin_is_above_zero_and_one_query_says_nothing() -> None:
    for margin in (0.0, -0.1):
        with pytest.raises(ValueError, match="greater than 0"):
            equivalence([1, 2], [1, 2], margin)
    assert equivalence([1], [1], 0.1) is None
    assert equivalence([], [], 0.1) is None


@settings(max_examples=20, deadline=None)
@given(PAIRS, st.floats(0.01, 2))
def test_it_says_what_its_interval_says_either_way_round(pairs: list[tuple[float, float]], margin: float) -> None:
    a, b = [first for first, _ in pairs], [second for _, second in pairs]
    found, back = equivalence(a, b, margin), equivalence(b, a, margin)
    assert found is not None and back is not None
    assert found.p == pytest.approx(back.p)
    low, high = found.interval
    if abs(found.p - 0.05) > 1e-9:
        assert found.equivalent == (-margin < low and high < margin)


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 70, 200])
def test_systems_apart_by_the_margin_are_rarely_called_equal(n: int) -> None:
    # 10 % of the queries differ, five ways out of six by the same small amount: the mean difference is .05.
    generator, margin = np.random.default_rng(n), 0.05
    called = 0
    for _ in range(400):
        d = generator.choice([0.0, 0.2, 1.0], 1 * n, p=[0.885, 0.08125, 0.03375])
        found = equivalence(np.zeros(n), d, margin)
        called += found is not None and found.equivalent
    assert called / 400 <= 0.06 + 4 * sqrt(0.06 * 0.94 / 400)

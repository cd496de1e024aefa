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


def test_worked_by_hand() -> None:
    # Differences 0, .2, 0, −.2: mean 0; squares .08, and 2 for two unseen queries; error √(2.08 / (4 · 3)).
    found = equivalence([0, 0, 0, 0.2], [0, 0.2, 0, 0], margin=0.5)
    assert found is not None
    error = sqrt(2.08 / 12)
    assert found.p == pytest.approx(stats.t.sf(0.5 / error, 3))
    assert found.interval == pytest.approx((-stats.t.ppf(0.95, 3) * error, stats.t.ppf(0.95, 3) * error))
    assert not found.equivalent


def test_it_is_the_greater_of_two_one_sided_t_tests() -> None:
    for shift in (0.0, 0.03, -0.08):
        a, d = np.zeros(200), np.random.default_rng(1).normal(shift, 0.2, 200)
        found = equivalence(a, d, margin=0.05, greatest=0.0)
        assert found is not None
        above = stats.ttest_1samp(d, -0.05, alternative="greater").pvalue
        below = stats.ttest_1samp(d, 0.05, alternative="less").pvalue
        assert found.p == pytest.approx(max(above, below))
        expected = stats.ttest_1samp(d, 0).confidence_interval(0.9)
        assert list(found.interval) == pytest.approx([expected.low, expected.high])


def test_agreeing_on_a_few_queries_is_not_being_equal() -> None:
    for n, equal in ((10, False), (25, False), (70, False), (150, True)):
        found = equivalence(np.zeros(n), np.zeros(n), margin=0.03)
        assert found is not None
        assert found.equivalent == equal


def test_copies_of_queries_are_no_evidence() -> None:
    d = np.random.default_rng(2).choice([-0.2, 0.0, 0.0, 0.2], 60)
    once = equivalence(np.zeros(60), d, margin=0.05)
    names = [f"q{place}" for place in range(60) for _ in range(3)]
    copied = equivalence(np.zeros(180), np.repeat(d, 3), margin=0.05, clusters=names)
    assert once is not None and copied is not None
    assert [copied.p, *copied.interval] == pytest.approx([once.p, *once.interval])


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

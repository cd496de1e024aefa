from __future__ import annotations

from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.metrics.intervals import mean_interval

VALUES = st.lists(st.integers(0, 5), min_size=2, max_size=12)


def binomial_quantile(n: int, p: float, level: float) -> float:
    """The mean of n draws of 0 or 1, at the given level of its exact distribution."""
    below = 0.0
    for k in range(n + 1):
        below += comb(n, k) * p**k * (1 - p) ** (n - k)
        if below >= level:
            return k / n
    raise AssertionError("the distribution does not sum to 1")


@pytest.mark.parametrize(("n", "ones"), [(2, 1), (10, 1), (10, 4), (20, 19), (30, 15)])
def test_resampling_ones_and_zeros_is_binomial(n: int, ones: int) -> None:
    values = [1.0] * ones + [0.0] * (n - ones)
    expected = (binomial_quantile(n, ones / n, 0.025), binomial_quantile(n, ones / n, 0.975))
    assert mean_interval(values) == expected


def test_the_least_and_the_greatest_of_two_values_bound_their_mean() -> None:
    # Resamples of two values: both low 1/4, mixed 1/2, both high 1/4; at the 50 % level the ends are within ±1/4 … 3/4.
    assert mean_interval([2, 4]) == (2, 4)
    assert mean_interval([2, 4], level=0.4) == (3, 3)


def test_equal_values_leave_no_doubt() -> None:
    assert mean_interval([3, 3, 3]) == (3, 3)


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    assert mean_interval(values) is None


def test_the_seed_decides() -> None:
    values = [i / 7 for i in range(15)]
    assert mean_interval(values, seed=3) == mean_interval(values, seed=3)
    assert mean_interval(values, seed=3) != mean_interval(values, seed=4)


@settings(max_examples=50, deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_the_interval_is_inside_the_values_and_blind_to_their_order(values: list[int], random: Random) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    found = mean_interval(values)
    assert found is not None
    assert mean_interval(shuffled) == found
    assert min(values) <= found.low <= found.high <= max(values)


@settings(max_examples=50, deadline=None)
@given(VALUES)
def test_more_confidence_is_a_wider_interval(values: list[int]) -> None:
    narrow, wide = mean_interval(values, level=0.5), mean_interval(values, level=0.99)
    assert narrow is not None and wide is not None
    assert wide.low <= narrow.low <= narrow.high <= wide.high

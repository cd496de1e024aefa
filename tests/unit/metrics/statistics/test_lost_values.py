"""What a mean can be where values are lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from ragaliq.metrics.statistics.intervals import value_interval
from ragaliq.metrics.statistics.lost_values import lost_bounds, lost_interval

WEIGHTS = st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])


def test_bounds_by_hand() -> None:
    # (1 + .4 + 0 · 2) / 4 and (1 + .4 + 1 · 2) / 4.
    assert lost_bounds([1.0, None, 0.4, None], 0.0, 1.0) == pytest.approx((0.35, 0.85))
    # From −1 to 3: (1 − 1) / 2 and (1 + 3) / 2.
    assert lost_bounds([1.0, None], -1.0, 3.0) == (0.0, 2.0)
    assert lost_bounds([0.5], 0.0, 1.0) == (0.5, 0.5)
    assert lost_bounds([], 0.0, 1.0) is None


def test_ends_are_those_of_the_two_extremes() -> None:
    # 60 ones and 30 zeros, ten lost: with values at the ends alone the posterior is Beta(ones + ½, zeros + ½).
    found = lost_interval([1.0] * 60 + [0.0] * 30 + [None] * 10, 0.0, 1.0)
    assert found is not None
    assert found.low == pytest.approx(beta(60.5, 40.5).ppf(0.025), abs=0.004)
    assert found.high == pytest.approx(beta(70.5, 30.5).ppf(0.975), abs=0.004)


def test_without_a_loss_it_is_the_interval_of_the_values() -> None:
    values = [1.0, 0.8, 0.0, 0.2, 0.2]
    assert lost_interval(values, 0.0, 1.0, seed=3) == value_interval(values, 0.0, 1.0, seed=3)
    assert lost_interval([], 0.0, 1.0) is None


def test_nothing_but_losses_leaves_the_whole_range() -> None:
    assert lost_interval([None, None], -1.0, 2.0) == (-1.0, 2.0)


def test_clusters_widen_it() -> None:
    values = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, None]
    alone = lost_interval(values, 0.0, 1.0)
    together = lost_interval(values, 0.0, 1.0, clusters=["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"])
    assert alone is not None
    assert together is not None
    assert together.low < alone.low < alone.high < together.high


@given(st.lists(WEIGHTS, min_size=2, max_size=12), st.integers(1, 6))
def test_it_holds_the_bounds_and_mirrors(values: list[float], lost: int) -> None:
    items = [*values, *[None] * lost]
    found, bounds = lost_interval(items, 0.0, 1.0), lost_bounds(items, 0.0, 1.0)
    assert found is not None
    assert bounds is not None
    assert 0 <= found.low <= bounds.low + 1e-12
    assert bounds.high - 1e-12 <= found.high <= 1
    mirrored = lost_interval([None if value is None else -value for value in items], -1.0, 0.0)
    assert mirrored == (-found.high, -found.low)

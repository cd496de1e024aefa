"""The interval of the mean of other queries."""

from __future__ import annotations

import pytest

from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.ranks.new_sample import new_sample_interval


def test_each_half_is_widened_and_cut_to_the_range() -> None:
    interval = Interval(0.4, 0.65)
    assert new_sample_interval(0.5, interval, 70) == pytest.approx((0.5 - 0.1 * 2**0.5, 0.5 + 0.15 * 2**0.5))
    # Three times as many new queries: √(1 + 1/3); ever more leave today's interval.
    assert new_sample_interval(0.5, interval, 70, 210) == pytest.approx((0.5 - 0.2 / 3**0.5, 0.5 + 0.3 / 3**0.5))
    assert new_sample_interval(0.5, interval, 70, 10**12) == pytest.approx((0.4, 0.65))
    assert new_sample_interval(0.9, Interval(0.7, 0.99), 25).high == 1
    assert new_sample_interval(4.0, Interval(3.5, 4.5), 25, within=Interval(0, 5)).high == pytest.approx(
        4 + 0.5 * 2**0.5
    )


@pytest.mark.parametrize(("n", "m"), [(0, None), (5, 0)])
def test_no_queries_are_refused(n: int, m: int | None) -> None:
    with pytest.raises(ValueError, match="above 0"):
        new_sample_interval(0.5, Interval(0.4, 0.6), n, m)

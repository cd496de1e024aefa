"""Means of which some values are lost: what they could be, whatever was lost."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from ragaliq.metrics.statistics.intervals import Interval, value_interval

Values = Sequence[float | None]


def lost_bounds(values: Values, low: float, high: float) -> Interval | None:
    """Return the mean if all that is lost (None) were `low`, and if it were `high`; None without values and losses."""
    if not values:
        return None
    known = fsum(value for value in values if value is not None)
    lost = sum(value is None for value in values)
    return Interval((known + lost * low) / len(values), (known + lost * high) / len(values))


def lost_interval(
    values: Values,
    low: float,
    high: float,
    level: float = 0.95,
    seed: int = 0,
    clusters: Sequence[str] | None = None,
) -> Interval | None:
    """Return an interval of the mean of all values, lost ones (None) included, that holds whatever was lost.

    From the lower end of `value_interval` with everything lost at `low` to the upper end with everything lost at
    `high`. Each end leaves out its bound (`lost_bounds`) with a chance of half of 1 − `level`, so both bounds are
    within with a chance of `level`, and the mean with at least that (Horowitz and Manski 2000, Journal of the American
    Statistical Association 95, 77–84). The narrower interval for the mean alone (Imbens and Manski 2004, Econometrica
    72, 1845–1857) needs bounds that are known to lie apart; few lost values do not. Without a loss it is
    `value_interval`. It holds the bounds. None without values and losses.

    Raises:
        ValueError: as `value_interval`.
    """
    if not values:
        return None
    ends = [
        value_interval([end if value is None else value for value in values], low, high, level, seed, clusters)
        for end in ((low, high) if None in values else (low,))
    ]
    first, last = ends[0], ends[-1]
    return None if first is None or last is None else Interval(first.low, last.high)

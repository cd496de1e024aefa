"""A figure with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragaliq.metrics.statistics.intervals import quantiles, share_interval

_ENDS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the two ends of its 95 % interval; without an interval the ends are None."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Proportion:
    """`count` of `n`, their share, and its 95 % Wilson interval; of none the share is None."""

    count: int
    n: int
    share: Estimate | None


def with_draws(value: float | None, draws: Sequence[float | None]) -> Estimate | None:
    """Return a value with the middle 95 % of what draws gave, widened where it leaves the value out.

    None if the value is None. A draw without a value does not count; without any the ends are None.
    """
    if value is None:
        return None
    defined = [draw for draw in draws if draw is not None]
    if not defined:
        return Estimate(value)
    ends = quantiles(np.array(defined), _ENDS)
    return Estimate(value, min(ends.low, value), max(ends.high, value))


def share_of(count: int, n: int) -> Proportion:
    """Return a share with its interval."""
    if not n:
        return Proportion(0, 0, None)
    ends = share_interval(count, n)
    return Proportion(count, n, Estimate(count / n, ends.low, ends.high))

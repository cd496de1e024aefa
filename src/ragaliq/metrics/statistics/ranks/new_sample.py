"""Where the mean would be on other queries."""

from __future__ import annotations

from math import sqrt

from ragaliq.metrics.statistics.intervals import Interval

# The means of weights, and of all measures that are shares.
_RANGE = Interval(0.0, 1.0)


def new_sample_interval(
    mean: float, interval: Interval, n: int, m: int | None = None, within: Interval = _RANGE
) -> Interval:
    """Return the interval for the mean of a new sample of `m` queries from the same source; m is n by default.

    `interval` is that of the true mean from `n` queries (clusters). A new mean differs from the old one by the errors
    of both: each half of the interval is widened by √(1 + n/m) (a prediction interval; Hahn and Meeker 1991,
    Statistical Intervals, section 4.4), which is √2 for as many queries, and cut to the range `within`.

    Raises:
        ValueError: if `n` or `m` is not above 0.
    """
    if n <= 0 or (m is not None and m <= 0):
        raise ValueError(f"numbers of queries are above 0, not {n} and {m}")
    wider = sqrt(1 + n / (m or n))
    low, high = mean - wider * (mean - interval.low), mean + wider * (interval.high - mean)
    return Interval(max(low, within.low), min(high, within.high))

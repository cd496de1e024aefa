"""What a number of queries can show, for a paired t test of the mean difference between two systems.

The power is exact for normal differences (noncentral t; Cohen 1988, Statistical Power Analysis, chapter 2); the
sign-flip test has about the same where enough queries differ. `sd` is the standard deviation of the differences per
query.
"""

from __future__ import annotations

from bisect import bisect_left

# On fewer queries that differ the spread is hardly known, and the signs of fewer than five cannot be significant.
ENOUGH_UNTIED = 10
_LEVEL, _POWER = 0.05, 0.8
_MOST_QUERIES = 10**9


def detectable_difference(sd: float, n: int) -> float | None:
    """Return the least true difference that a two-sided test at .05 sees with a chance of 80 %.

    0 where nothing varies; None for fewer than two queries.

    Raises:
        ValueError: if `sd` is negative.
    """
    _check(sd)
    if n < 2:
        return None
    low, high = 0.0, 1.0
    while _power(high, n) < _POWER:
        low, high = high, 2 * high
    # Halved until neighbouring numbers: the power grows with the difference.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, n) < _POWER else (low, middle)
    return sd * high


def queries_needed(sd: float, difference: float) -> int | None:
    """Return the least number of queries with which a true `difference` is seen with a chance of 80 %.

    At least 2. None for a difference of 0, which no number shows, and where more than 1e9 would be needed.

    Raises:
        ValueError: as `detectable_difference`.
    """
    _check(sd)
    if difference == 0:
        return None
    if sd == 0:
        return 2
    effect, sizes = abs(difference) / sd, range(2, _MOST_QUERIES + 1)
    place = bisect_left(sizes, True, key=lambda n: _power(effect, n) >= _POWER)
    return sizes[place] if place < len(sizes) else None


def _power(effect: float, n: int) -> float:
    from scipy.special import nctdtr, stdtrit

    critical, shift = float(stdtrit(n - 1, 1 - _LEVEL / 2)), effect * n**0.5
    # Here it is above .99; from 37 on the noncentral t is not a number.
    if shift > critical + 30:
        return 1.0
    # The other tail is less than a normal's beyond the shift, and not always found where it is next to nothing.
    other = float(nctdtr(n - 1, shift, -critical)) if shift < 6 else 0.0
    return float(1 - nctdtr(n - 1, shift, critical)) + other


def _check(sd: float) -> None:
    if sd < 0:
        raise ValueError(f"a standard deviation is not negative: {sd}")

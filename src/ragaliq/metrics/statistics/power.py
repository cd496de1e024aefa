"""What a number of queries can show, for a paired t test of the mean difference between two systems.

The power is exact for normal differences (noncentral t; Cohen 1988, Statistical Power Analysis, chapter 2); the
sign-flip test has about the same where enough queries differ. `sd` is the standard deviation of the differences per
query.
"""

from __future__ import annotations

# On fewer queries that differ the spread is hardly known, and the signs of fewer than five cannot be significant.
ENOUGH_UNTIED = 10
_MOST_QUERIES = 10**9


def power_of(difference: float, sd: float, n: int, level: float = 0.05) -> float | None:
    """Return the chance, in (0, 1], that a two-sided test at `level` sees a true difference.

    Without any spread it is 1 for a difference and None for none; None for fewer than two queries.

    Raises:
        ValueError: if `sd` is negative, or `level` not within (0, 1).
    """
    _check(sd, level)
    if n < 2 or (sd == 0 and difference == 0):
        return None
    if sd == 0:
        return 1.0
    return _power(abs(difference) / sd, n, level)


def detectable_difference(sd: float, n: int, power: float = 0.8, level: float = 0.05) -> float | None:
    """Return the least true difference that a two-sided test at `level` sees with a chance of `power`.

    0 where nothing varies; None for fewer than two queries.

    Raises:
        ValueError: if `sd` is negative, or `power` not within (`level`, 1), or `level` not within (0, 1).
    """
    _check(sd, level, power)
    if n < 2:
        return None
    low, high = 0.0, 1.0
    while _power(high, n, level) < power:
        low, high = high, 2 * high
    # Halved until neighbouring numbers: the power grows with the difference.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, n, level) < power else (low, middle)
    return sd * high


def queries_needed(sd: float, difference: float, power: float = 0.8, level: float = 0.05) -> int | None:
    """Return the least number of queries with which a true `difference` is seen with a chance of `power`.

    At least 2. None for a difference of 0, which no number shows, and where more than 1e9 would be needed.

    Raises:
        ValueError: as `detectable_difference`.
    """
    _check(sd, level, power)
    if difference == 0:
        return None
    if sd == 0:
        return 2
    effect = abs(difference) / sd
    high = 2
    while _power(effect, high, level) < power:
        high *= 2
        if high > _MOST_QUERIES:
            return None
    low = max(1, high // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _power(effect, middle, level) < power else (low, middle)
    return high


def _power(effect: float, n: int, level: float) -> float:
    from scipy.special import nctdtr, stdtrit

    critical, shift = float(stdtrit(n - 1, 1 - level / 2)), effect * n**0.5
    # From here on the chance is 1 to the last digit, where the noncentral t gives up.
    if shift > critical + 40:
        return 1.0
    # The other tail is less than a normal's beyond the shift, and not always found where it is next to nothing.
    other = float(nctdtr(n - 1, shift, -critical)) if shift < 6 else 0.0
    return float(1 - nctdtr(n - 1, shift, critical)) + other


def _check(sd: float, level: float, power: float = 0.8) -> None:
    if sd < 0:
        raise ValueError(f"a standard deviation is not negative: {sd}")
    if not 0 < level < 1:
        raise ValueError(f"a level is within 0 and 1: {level}")
    if not level < power < 1:
        raise ValueError(f"a power is within the level {level} and 1: {power}")

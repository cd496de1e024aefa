"""What a number of queries can show, for a paired t test of the mean difference between two systems.

The power is exact for normal differences (noncentral t; Cohen 1988, Statistical Power Analysis, chapter 2); the
sign-flip test has about the same where enough queries differ. `sd` is the standard deviation of the differences per
query. For many tests at once `level` is that of each.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

# On fewer queries that differ the spread is hardly known, and the signs of fewer than five cannot be significant.
ENOUGH_UNTIED = 10
LEVEL, POWER = 0.05, 0.8
_MOST_QUERIES = 10**9
# Quantiles of the standard deviation of a sample, over which is averaged.
_QUANTILES = 4000
_GREATEST_SHIFT = 30.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What comes of a true difference in a sample.

    Attributes:
        power: chance that the test is significant, in 0..1.
        wrong_sign: chance that a significant difference has the wrong sign (type S error), from 0 to .5.
        exaggeration: mean size of a significant difference by the true one (type M error), at least 1; None for a true
            difference of 0.
    """

    power: float
    wrong_sign: float
    exaggeration: float | None


def detectable_difference(sd: float, n: int, level: float = LEVEL, power: float = POWER) -> float | None:
    """Return the least true difference that a two-sided test at `level` sees with a chance of `power`.

    0 where nothing varies; None for fewer than two queries.

    Raises:
        ValueError: if `sd` is negative.
    """
    _check(sd)
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


def queries_needed(sd: float, difference: float, level: float = LEVEL, power: float = POWER) -> int | None:
    """Return the least number of queries with which a true `difference` is seen with a chance of `power`.

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
    place = bisect_left(sizes, True, key=lambda n: _power(effect, n, level) >= power)
    return sizes[place] if place < len(sizes) else None


def seen_difference(sd: float, difference: float, n: int, level: float = LEVEL) -> Seen:
    """Return the chance to see a true difference, and how far a significant one misleads.

    Wrong signs and exaggeration: Gelman and Carlin 2014, Perspectives on Psychological Science 9, "Beyond power
    calculations"; here for the t test, whose standard error is that of the sample.

    Raises:
        ValueError: as `detectable_difference`, or for fewer than two queries.
    """
    from scipy.special import chdtri, ndtr, stdtrit

    _check(sd)
    if n < 2:
        raise ValueError(f"two queries or more are needed, not {n}")
    if sd == 0:
        return Seen(1.0, 0.0, 1.0) if difference else Seen(0.0, 0.5, None)
    # All in units of the true standard error.
    truth = abs(difference) / sd * n**0.5
    upper = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    least = stdtrit(n - 1, 1 - level / 2) * np.sqrt(chdtri(n - 1, upper) / (n - 1))
    right, wrong = ndtr(truth - least), ndtr(-truth - least)
    size = truth * (right - wrong) + _density(least - truth) + _density(least + truth)
    significant = float((right + wrong).mean())
    power = _power(truth / n**0.5, n, level)
    return Seen(power, float(wrong.mean()) / significant, float(size.mean()) / significant / truth if truth else None)


def _density(z: NDArray[np.float64]) -> NDArray[np.float64]:
    density: NDArray[np.float64] = np.exp(-(z**2) / 2) / (2 * np.pi) ** 0.5
    return density


def _power(effect: float, n: int, level: float) -> float:
    from scipy.special import chdtr, nctdtr, stdtrit

    critical, shift = float(stdtrit(n - 1, 1 - level / 2)), effect * n**0.5
    # From 37 on the noncentral t is not a number; the spread of a few queries may then still hide the difference.
    if shift > _GREATEST_SHIFT:
        return float(chdtr(n - 1, (n - 1) * (shift / critical) ** 2))
    # The other tail is less than a normal's beyond the shift, and not a number where it is next to nothing.
    other = float(nctdtr(n - 1, shift, -critical)) if shift < 6 else 0.0
    return float(1 - nctdtr(n - 1, shift, critical)) + (0.0 if isnan(other) else other)


def _check(sd: float) -> None:
    if sd < 0:
        raise ValueError(f"a standard deviation is not negative: {sd}")

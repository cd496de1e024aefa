"""The greatest of all pairwise differences between systems, and how great it is by chance alone.

A studentised max-t test by joint sign flips: under the hypothesis that two systems do not differ, their difference on
each query could as well have the other sign. All differences of a query (of a cluster of queries) change sign together,
so that what the systems have in common stays; each pair's sum is divided by its spread, which no flip changes; and each
pair is held against the greatest of all pairs. The pairs that do not differ keep their joint distribution whatever the
others do, so the chance of any false difference in the whole table is held, also where some pairs do differ (Westfall
and Young 1993, Resampling-Based Multiple Testing, section 2.3).

The spread is √(Σ d² + 4 D²), where D is the greatest difference of any pair on any query: as if four more queries could
turn out like that (a constant in the divisor is Tusher et al. 2001, PNAS 98(9)). Without it, two systems that are alike
but for ten small differences, all in one direction, are told apart before one rare great difference shows up; with it
the test holds its level also for systems that are equal on average and unlike in shape, and sees no less.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.sign_flips import ROUNDING, drawn_signs

Array = NDArray[np.float64]
Places = NDArray[np.intp]

# Up to so many rows all assignments of signs are counted.
_EXACT_UP_TO = 14
# Flips are made some at a time, so that memory does not grow with the systems.
_CELLS = 2_000_000
_REFINEMENTS = 3
# How many queries with the greatest difference the spread of each pair allows for.
UNSEEN = 4
# Digits of the values, of which rounding must not tell rows apart.
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class MaxT:
    """What was observed, and what the signs alone make of it.

    Attributes:
        first: column of each pair's first system.
        second: column of its second system, the greater of the two.
        statistics: |Σ d| / √(Σ d² + floor) of each pair.
        floor: four times the square of the greatest difference of any pair on any query.
        alone: mid-p value of each pair by itself, by the same flips.
        greatest: the greatest of all pairs under each assignment of signs, in ascending order.
        exact: whether all assignments were counted, instead of some drawn.
    """

    first: Places
    second: Places
    statistics: Array
    floor: float
    alone: Array
    greatest: Array
    exact: bool

    def p(self, statistic: float) -> float:
        """Return the mid-p value of one pair."""
        if statistic == 0:
            return 1.0
        further = len(self.greatest) - int(np.searchsorted(self.greatest, statistic * (1 + ROUNDING), "right"))
        as_far = len(self.greatest) - int(np.searchsorted(self.greatest, statistic * (1 - ROUNDING), "left")) - further
        if self.exact:
            return (further + as_far / 2) / len(self.greatest)
        return (further + (as_far + 1) / 2) / (len(self.greatest) + 1)

    def critical(self, alpha: float) -> float:
        """Return the greatest statistic that is not significant, or what is just below the least that is."""
        values = self.greatest.tolist()
        place = bisect_left(values, True, key=lambda value: self.p(value * (1 + 4 * ROUNDING)) < alpha)
        if place == len(values):
            return math.inf
        least: float = values[place]
        return least * (1 - 4 * ROUNDING) if self.p(least) < alpha else least * (1 + 2 * ROUNDING)


def max_t(sums: Array, seed: int, draws: int) -> MaxT:
    """Flip the signs of `sums` (one row per cluster, one column per system).

    Up to 14 rows in which systems differ all assignments are counted, else `draws` are drawn. The order of the rows
    changes nothing; that of the columns changes nothing but the order of the pairs.
    """
    first, second = np.triu_indices(sums.shape[1], 1)
    # What all systems share drops out of every pair; without it, rows of ties are rows of zeros.
    centred = np.round(sums - sums.mean(axis=1, keepdims=True), _DIGITS) if sums.size else sums
    used = _ordered(centred[centred.any(axis=1)])
    apart = used[:, second] - used[:, first]
    floor = UNSEEN * float((apart**2).max(initial=0.0))
    scale = np.sqrt((apart**2).sum(axis=0) + floor)
    weights = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    total = used.sum(axis=0)
    statistics = np.abs(total[second] - total[first]) * weights
    exact = len(used) <= _EXACT_UP_TO
    generator = np.random.default_rng(seed)
    count = 2 ** max(0, len(used) - 1) if exact else draws
    rows = max(1, _CELLS // max(1, len(first), len(used)))
    greatest, further, as_far = [], np.zeros(len(first)), np.zeros(len(first))
    for start in range(0, count, rows):
        size = min(rows, count - start)
        positive = _assignments(start, size, len(used)) if exact else drawn_signs(generator, size, len(used))
        flipped = 2 * (positive @ used) - total
        drawn = np.abs(flipped[:, second] - flipped[:, first]) * weights
        greatest.append(drawn.max(axis=1, initial=0.0))
        beyond = (drawn > statistics * (1 + ROUNDING)).sum(axis=0)
        further += beyond
        as_far += (drawn >= statistics * (1 - ROUNDING)).sum(axis=0) - beyond
    alone = (further + as_far / 2) / count if exact else (further + (as_far + 1) / 2) / (count + 1)
    return MaxT(first, second, statistics, floor, alone, np.sort(np.concatenate(greatest)), exact)


def _assignments(start: int, count: int, width: int) -> Array:
    """Return rows `start` … of all assignments of signs, 1 for plus; the last sign is fixed, as they come in pairs."""
    numbers = np.arange(start, start + count)
    bits: Array = (numbers[:, None] >> np.arange(width) & 1).astype(np.float64)
    return bits


def _ordered(sums: Array) -> Array:
    """Return the rows in an order that depends on neither the order of the rows nor that of the columns.

    Rows and columns are told apart by the values in them, then by the kinds of columns and rows that these stand in,
    and so on (colour refinement). Rows that stay alike are alike, but for rare symmetries.
    """
    if not sums.size:
        return sums
    _, codes = np.unique(sums, return_inverse=True)
    codes = codes.reshape(sums.shape)
    span = codes.max(initial=0) + 1
    columns = np.zeros(sums.shape[1], dtype=np.intp)
    for _ in range(_REFINEMENTS):
        _, rows = np.unique(np.sort(codes + span * columns, axis=1), axis=0, return_inverse=True)
        _, columns = np.unique(np.sort(codes.T + span * rows.ravel(), axis=1), axis=0, return_inverse=True)
        columns = columns.ravel()
    return sums[np.lexsort(sums[:, np.argsort(columns, kind="stable")].T[::-1])]

"""All pairwise differences between systems at once, and how great they are by chance alone.

A studentised max-t test by joint sign flips: under the hypothesis that two systems do not differ, their difference on
each query could as well have the other sign. All differences of a query (of a cluster of queries) change sign together,
in every table that has it, so that what systems and languages have in common stays; each pair's sum is divided by its
spread, which no flip changes.

The test steps down (Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.6; Romano and Wolf 2005,
Journal of the American Statistical Association 100): the pair of the greatest statistic is held against the greatest of
all pairs, the next against the greatest of the others, and so on; no p value is less than one before it. The pairs that
do not differ keep their joint distribution whatever the others do, so the chance of any false difference in all tables
is held. One step, where each pair is held against all, lets one bad system take the power from the others.

The spread is √(Σ d² + 4 D²), where D is the greatest difference of any pair of any table on any query: as if four more
queries could turn out like that (a constant in the divisor is Tusher et al. 2001, PNAS 98(9)). Without it, two systems
that are alike but for ten small differences, all in one direction, are told apart before one rare great difference
shows up; with it the test holds its level also for systems that are equal on average and unlike in shape. A floor for
each table would not do: in some language the great difference has not shown up.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.ranks.row_order import ordered_rows
from ragaliq.metrics.statistics.sign_flips import ROUNDING, drawn_signs

Array = NDArray[np.float64]
Places = NDArray[np.intp]

# Up to this number of rows, every assignment of signs is counted.
_EXACT_UP_TO = 14
# Flips are made some at a time, so that memory does not grow with the systems.
_CELLS = 1_000_000
# How many queries with the greatest difference the spread of each pair allows for.
UNSEEN = 4
# Digits of the values, of which rounding must not tell rows apart.
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class MaxT:
    """What was observed, and what the signs alone make of it; pairs are table by table.

    Attributes:
        first: column of each pair's first system, the columns of all tables being counted on.
        second: column of its second system, the greater of the two.
        statistics: |Σ d| / √(Σ d² + floor) of each pair.
        floor: four times the square of the greatest difference of any pair of any table on any query.
        stepped: mid-p value of each pair, stepping down over all pairs of all tables.
        alone: mid-p value of each pair by itself, by the same flips.
        greatest: the greatest of all pairs under each assignment of signs, in ascending order.
        exact: whether all assignments were counted, instead of some drawn.
    """

    first: Places
    second: Places
    statistics: Array
    floor: float
    stepped: Array
    alone: Array
    greatest: Array
    exact: bool

    def p(self, statistic: float) -> float:
        """Return the mid-p value of one pair in one step: against the greatest of all pairs."""
        if statistic == 0:
            return 1.0
        further = len(self.greatest) - int(np.searchsorted(self.greatest, statistic * (1 + ROUNDING), "right"))
        as_far = len(self.greatest) - int(np.searchsorted(self.greatest, statistic * (1 - ROUNDING), "left")) - further
        return float(_mid_p(np.array(further), np.array(as_far), len(self.greatest), self.exact))

    def critical(self, alpha: float) -> float:
        """Return the greatest statistic that is not significant in one step, or what is just below the least that is.

        Beyond it the intervals of all pairs at once begin.
        """
        values = self.greatest.tolist()
        place = bisect_left(values, True, key=lambda value: self.p(value * (1 + 4 * ROUNDING)) < alpha)
        if place == len(values):
            return math.inf
        least: float = values[place]
        return least * (1 - 4 * ROUNDING) if self.p(least) < alpha else least * (1 + 2 * ROUNDING)


class _Pairs(NamedTuple):
    """The pairs of all tables, from the least statistic to the greatest; `order` holds their places."""

    order: Places
    first: Places
    second: Places
    weights: Array
    statistics: Array


def max_t(tables: Sequence[Array], seed: int, draws: int) -> MaxT:
    """Flip the signs of `tables`, each with the same rows (one per cluster) and a column per system.

    A cluster that a table lacks is a row of zeros in it. Up to 14 rows in which systems differ all assignments are
    counted, else `draws` are drawn. The order of the rows changes nothing; that of the columns and of the tables
    changes nothing but the order of the pairs.
    """
    # What all systems of a table share drops out of every pair; without it, rows of ties are rows of zeros.
    centred = np.hstack(
        [np.round(own - own.mean(axis=1, keepdims=True), _DIGITS) if own.size else own for own in tables]
    )
    used = ordered_rows(centred[centred.any(axis=1)])
    first, second = _columns([own.shape[1] for own in tables])
    squares = (used[:, second] - used[:, first]) ** 2
    floor = UNSEEN * float(squares.max(initial=0.0))
    scale = np.sqrt(squares.sum(axis=0) + floor)
    weights = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    total = used.sum(axis=0)
    statistics = np.abs(total[second] - total[first]) * weights
    statistics[statistics <= ROUNDING] = 0.0
    order = np.argsort(statistics, kind="stable")
    pairs = _Pairs(order, first[order], second[order], weights[order], statistics[order])
    exact = len(used) <= _EXACT_UP_TO
    stepped, alone, greatest = _counted(used, pairs, seed, 2 ** max(0, len(used) - 1) if exact else draws)
    return MaxT(first, second, statistics, floor, stepped, alone, greatest, exact)


def _columns(widths: Sequence[int]) -> tuple[Places, Places]:
    """Return the two columns of each pair within a table, the columns of all tables side by side."""
    starts = np.cumsum([0, *widths[:-1]])
    pairs = [np.triu_indices(width, 1) for width in widths]
    first, second = (
        np.concatenate([start + own[side] for start, own in zip(starts, pairs, strict=True)]) for side in (0, 1)
    )
    return first, second


def _counted(used: Array, pairs: _Pairs, seed: int, count: int) -> tuple[Array, Array, Array]:
    """Return the p values of pairs stepping down and by themselves, at their places, and the greatest of each flip."""
    exact = len(used) <= _EXACT_UP_TO
    above, below = pairs.statistics[:, None] * (1 + ROUNDING), pairs.statistics[:, None] * (1 - ROUNDING)
    # Further and as far: first of the greatest of a pair and all less than it, then of the pair by itself.
    beyond, as_far = np.zeros((2, len(pairs.order))), np.zeros((2, len(pairs.order)))
    greatest = []
    for positive in _assignments(len(used), len(pairs.order), count, None if exact else seed):
        flipped = 2 * (used.T @ positive.T) - used.sum(axis=0)[:, None]
        drawn = np.abs(flipped[pairs.second] - flipped[pairs.first]) * pairs.weights[:, None]
        for place in (1, 0):
            further = (drawn > above).sum(axis=1)
            beyond[place] += further
            as_far[place] += (drawn >= below).sum(axis=1) - further
            if place:
                np.maximum.accumulate(drawn, axis=0, out=drawn)
        greatest.append(drawn[-1] if len(drawn) else np.zeros(len(positive)))
    p = _mid_p(beyond, as_far, count, exact)
    # No p value is less than that of a greater statistic.
    p[0] = np.maximum.accumulate(p[0][::-1])[::-1]
    placed = np.empty_like(p)
    placed[:, pairs.order] = np.where(pairs.statistics > 0, p, 1.0)
    return placed[0], placed[1], np.sort(np.concatenate(greatest))


def _mid_p(beyond: Array, as_far: Array, count: int, exact: bool) -> Array:
    """Return the share of flips that are further, and half of those as far; the observed one is among those drawn."""
    p: Array = (beyond + as_far / 2) / count if exact else (beyond + (as_far + 1) / 2) / (count + 1)
    return p


def _assignments(width: int, pairs: int, count: int, seed: int | None) -> Iterator[Array]:
    """Yield rows of signs, 1 for plus: drawn ones, without a seed all; the last is fixed, as they come in pairs."""
    generator = None if seed is None else np.random.default_rng(seed)
    rows = max(1, _CELLS // max(1, pairs, width))
    for start in range(0, count, rows):
        size = min(rows, count - start)
        if generator is None:
            numbers = np.arange(start, start + size)
            yield (numbers[:, None] >> np.arange(width) & 1).astype(np.float64)
        else:
            yield drawn_signs(generator, size, width)

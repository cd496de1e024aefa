"""Means over queries, one of which has not been seen: tests of a mean that hold whatever the distribution.

Values have a known range, and no test that looks at the spread alone holds where rare great values have not been seen.
Here the weights of the queries are drawn at random (Dirichlet, each with shape 1), with one more query that has the
worst value there is for the statement (Gaffke 2005, Journal of Nonparametric Statistics 17; Learned-Miller and Thomas
2019, arXiv 1905.06208, who conjecture the level for all distributions). Where values are 0 or 1, this is the exact test
of Clopper and Pearson (1934, Biometrika 26).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import Clustered

Array = NDArray[np.float64]

# Points of the integral, and how far out it goes: with more the chance is the same to twelve digits. They are added up
# in groups until what is left is rounding.
_POINTS, _REACH, _GROUP, _ROUNDING = 300, 18.0, 50, 1e-17
# Steps to a saddlepoint, and how near to it is enough, in widths of the integrand: any line near it will do.
_STEPS, _NEAR = 60, 1e-3
# What is left of a value less the mean is rounded, so that rounding is not taken for a value off 0.
_DIGITS = 12
# How exact an end is, as a share of the range in which it is searched, and after how many secants it is halved.
_END_EXACT, _SECANTS = 1e-7, 20
# Chances beyond these have no normal quantile.
_LEAST_CHANCE, _GREATEST_CHANCE = 1e-300, 1 - 1e-16


def chance_at_most(groups: Clustered, mean: float, least: float, size: float) -> float:
    """Return the chance that the mean with random weights is at most `mean`: the p value of "it is more".

    Args:
        groups: values of one column, by cluster; at least one.
        mean: what the mean is held against, `least` or more; the chance grows with it.
        least: the least value that a query can have, and that of the unseen one.
        size: for how many queries the unseen one counts: 1, or more for a cluster.
    """
    return _chance(*_counted(groups), mean, (least - mean) * size)


def lower_end(groups: Clustered, least: float, size: float, alpha: float) -> float:
    """Return the greatest mean that is rejected at `alpha` (below .5) in favour of a greater one: an interval's end."""
    rows, counts = _counted(groups)
    aim = NormalDist().inv_cdf(alpha)

    def height(mean: float) -> float:
        chance = _chance(rows, counts, mean, (least - mean) * size)
        return NormalDist().inv_cdf(min(max(chance, _LEAST_CHANCE), _GREATEST_CHANCE)) - aim

    # The normal quantile of the chance is nearly a straight line in the mean: start where it would be 0.
    weight = float(groups.sizes.sum()) + size
    centre = (float(groups.sums[:, 0].sum()) + least * size) / weight
    spread = math.sqrt(float(counts @ (rows @ (1, -centre)) ** 2) + ((least - centre) * size) ** 2) / weight
    return _root(height, (least, float(groups.mean[0])), centre + aim * spread, spread)


def _root(height: Callable[[float], float], ends: tuple[float, float], place: float, run: float) -> float:
    """Return where a height that grows is 0, by secants; `run` is about how far it takes to grow by 1."""
    low, high = ends
    exact, before, step = (high - low) * _END_EXACT, (0.0, 0.0), 0
    while high - low > exact:
        if step > _SECANTS or not low < place < high:
            place = (low + high) / 2
        reached = height(place)
        low, high = (place, high) if reached < 0 else (low, place)
        if step and reached != before[1]:
            run = (place - before[0]) / (reached - before[1])
        if abs(reached * run) <= exact:
            return place
        before, step = (place, reached), step + 1
        place -= reached * run
    return low


def _counted(groups: Clustered) -> tuple[Array, Array]:
    """Return the different pairs of sum and size, and how many clusters have each."""
    rows, counts = np.unique(np.column_stack([groups.sums[:, 0], groups.sizes]), axis=0, return_counts=True)
    return rows, counts.astype(np.float64)


def _chance(rows: Array, counts: Array, mean: float, unseen: float) -> float:
    values = np.append(np.round(rows[:, 0] - mean * rows[:, 1], _DIGITS), unseen)
    return _below_zero(values, np.append(counts, 1.0))


def _below_zero(values: Array, shapes: Array) -> float:
    """Return the chance that Σ gᵢ vᵢ ≤ 0, where gᵢ has a gamma distribution of shape sᵢ ≥ 1.

    By inverting the moment generating function Π (1 − vᵢ t)^−sᵢ along a line near its saddlepoint (Daniels 1954, Annals
    of Mathematical Statistics 25), which keeps small chances as exact as great ones. 1 where no value is above 0, else
    0 where none is below. A mean with these weights is at most c where the sum of the values less c is at most 0.
    """
    used = values != 0
    values, shapes = values[used], shapes[used]
    if not (values > 0).any():
        return 1.0
    if not (values < 0).any():
        return 0.0
    if float(values @ shapes) < 0:
        return 1 - _below_zero(-values, shapes)
    line = _saddlepoint(values, shapes)
    # The integrand has a pole at 0, from which the line keeps half a standard deviation.
    line = min(line, max(-0.5 / math.sqrt(float(shapes @ values**2)), 0.5 / float(values.min())))
    scale = 1 / math.sqrt(float(shapes @ (values / (1 - values * line)) ** 2))
    step, total = _REACH / _POINTS, 0.0
    for first in range(0, _POINTS + 1, _GROUP):
        u = np.arange(first, min(first + _GROUP, _POINTS + 1)) * step
        t = line + 1j * scale * np.sinh(u)
        heights = np.exp(-(shapes @ np.log(1 - values[:, None] * t))) / -t * np.cosh(u)
        # The two halves of the line are alike, and share the point in the middle.
        total += float(heights.real.sum()) - (0.0 if first else float(heights[0].real) / 2)
        if abs(heights[-1]) <= _ROUNDING * abs(total):
            break
    return min(1.0, max(0.0, total * scale * step / math.pi))


def _saddlepoint(values: Array, shapes: Array) -> float:
    """Return about where Σ sᵢ vᵢ / (1 − vᵢ t), which grows with t, is 0; the sum of sᵢ vᵢ is not below 0."""
    low, high, place = 1 / float(values.min()), 0.0, 0.0
    for _ in range(_STEPS):
        tilted = values / (1 - values * place)
        reached, slope = float(shapes @ tilted), float(shapes @ tilted**2)
        if abs(reached) <= _NEAR * math.sqrt(slope):
            break
        low, high = (low, place) if reached > 0 else (place, high)
        place -= reached / slope
        if not low < place < high:
            place = (low + high) / 2
    return place

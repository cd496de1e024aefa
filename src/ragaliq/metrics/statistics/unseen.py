"""Means over queries, one of which has not been seen: tests of a mean that hold whatever the distribution.

Values have a known range, and no test that looks at the spread alone holds where rare great values have not been seen.
Here the weights of the queries are drawn at random (Dirichlet, each with shape 1), with one more query that has the
worst value there is for the statement (Gaffke 2005, Journal of Nonparametric Statistics 17; Learned-Miller and Thomas
2019, arXiv 1905.06208, who conjecture the level for all distributions). Where values are 0 or 1, this is the exact test
of Clopper and Pearson (1934, Biometrika 26).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import Clustered

Array = NDArray[np.float64]

# Points of the integral, and how far out it goes: with more the chance is the same to twelve digits.
_POINTS, _REACH = 300, 18.0
_HALVINGS = 60
# What is left of a value less the mean is rounded, so that rounding is not taken for a value off 0.
_DIGITS = 12
# Halvings of the range in which an end is searched: to a millionth of it.
_END_HALVINGS = 21


def chance_at_most(groups: Clustered, mean: float, least: float, size: float) -> float:
    """Return the chance that the mean with random weights is at most `mean`: the p value of "it is more".

    Args:
        groups: values of one column, by cluster; at least one.
        mean: what the mean is held against, `least` or more; the chance grows with it.
        least: the least value that a query can have, and that of the unseen one.
        size: for how many queries the unseen one counts: 1, or more for a cluster.
    """
    rows, counts = np.unique(np.column_stack([groups.sums[:, 0], groups.sizes]), axis=0, return_counts=True)
    values = np.append(np.round(rows[:, 0] - mean * rows[:, 1], _DIGITS), (least - mean) * size)
    return _below_zero(values, np.append(counts, 1.0))


def lower_end(groups: Clustered, least: float, size: float, alpha: float) -> float:
    """Return the greatest mean that is rejected at `alpha` in favour of a greater one: the end of an interval."""
    low, high = least, float(groups.mean[0])
    for _ in range(_END_HALVINGS):
        middle = (low + high) / 2
        rejected = chance_at_most(groups, middle, least, size) < alpha
        low, high = (middle, high) if rejected else (low, middle)
    return low


def _below_zero(values: Array, shapes: Array) -> float:
    """Return the chance that Σ gᵢ vᵢ ≤ 0, where gᵢ has a gamma distribution of shape sᵢ ≥ 1.

    By inverting the moment
    generating function Π (1 − vᵢ t)^−sᵢ along the line through its saddlepoint (Daniels 1954, Annals of Mathematical
    Statistics 25), which keeps small chances as exact as great ones. 1 where no value is above 0, else 0 where none is
    below. A mean with these weights is at most c where the sum of the values less c is at most 0.
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
    u = np.arange(_POINTS + 1) * (_REACH / _POINTS)
    t = line + 1j * scale * np.sinh(u)
    logs = -(shapes @ np.log(1 - values[:, None] * t))
    heights = (np.exp(logs) / -t).real * np.cosh(u)
    heights[0] /= 2
    return min(1.0, max(0.0, float(heights.sum()) * scale * _REACH / _POINTS / math.pi))


def _saddlepoint(values: Array, shapes: Array) -> float:
    """Return where Σ sᵢ vᵢ / (1 − vᵢ t), which grows with t, is 0; the sum of sᵢ vᵢ is not below 0."""
    low, high = 1 / float(values.min()), 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        grows = float(shapes @ (values / (1 - values * middle))) > 0
        low, high = (low, middle) if grows else (middle, high)
    return (low + high) / 2

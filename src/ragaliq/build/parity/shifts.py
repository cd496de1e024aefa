"""Whether an item is harder or easier in one language than its difficulty elsewhere explains: robust shifts, p values.

Values of one item under many retrievers are not independent, so the retrievers say how hard an item is, and chance is
read off the items: how far an equally hard item usually is from its difficulty elsewhere. Most items are taken to be
equal; up to a seventh in one language may be unequal at little loss (`studies/parity/`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Of all values, those of similar difficulty that say how far chance reaches.
_NEIGHBOURS = 1 / 6
# The least spread, in units of the spread of all values: items that every retriever finds do not differ at all.
_LEAST_SPREAD = 0.25
# Turns a median of absolute deviations into the standard deviation of normal values.
_MAD = 1.4826
# Up to this quantile of |shift| chance explains what there is; the tail beyond is where unequal items are.
_CENTRE = 0.7
_FREEDOMS = np.geomspace(1.0, 50.0, 200)


def local_shifts(values: Array) -> Array:
    """Return how far each value is from its item's level in the other languages, in units of its neighbours' spread.

    Args:
        values: a row for each of at least two languages, a column for each item; greater is easier.

    The level is the median over the other languages, after each language's own median is taken out. The spread is the
    median absolute difference over the sixth of all pairs of item and language whose level is most similar, as items
    that all languages find differ less than those that none does. Negative is harder than elsewhere.
    """
    centred = values - np.median(values, axis=1, keepdims=True)
    levels = np.array([np.median(np.delete(centred, place, axis=0), axis=0) for place in range(len(centred))])
    apart = centred - levels
    apart -= np.median(apart, axis=1, keepdims=True)
    # What is left of equal values is rounding, and would be divided by itself.
    apart = np.round(apart, 9)
    sizes = np.abs(apart)
    spread = np.hypot(_local_medians(sizes, levels), _LEAST_SPREAD * np.median(sizes)) * _MAD
    shifts: Array = np.divide(apart, spread, out=np.zeros_like(apart), where=spread > 0)
    return shifts


def _local_medians(sizes: Array, levels: Array) -> Array:
    """Return for each size the median of those whose level is nearest in rank."""
    order = np.argsort(levels.ravel(), kind="stable")
    width = max(1, round(len(order) * _NEIGHBOURS))
    medians = np.median(np.lib.stride_tricks.sliding_window_view(sizes.ravel()[order], width), axis=1)
    nearest = np.empty(len(order))
    nearest[order] = medians[np.clip(np.arange(len(order)) - width // 2, 0, len(medians) - 1)]
    return nearest.reshape(sizes.shape)


def stronger(one: Array, two: Array) -> Array:
    """Return of two shifts the one that is further from 0."""
    return np.where(np.abs(one) >= np.abs(two), one, two)


def chance_p(shifts: Array) -> Array:
    """Return the two-sided p value of each shift, in (0, 1], against what chance among the items explains.

    Shifts are centred in each language. Chance is Student's t, its scale and degrees of freedom (1 to 50) fitted to the
    median and the .7 quantile of |shift|: an empirical null (Efron 2004, JASA 99) that unequal items, which lie in the
    tail, hardly change. Without any spread all p values are 1.
    """
    from scipy.special import stdtr, stdtrit

    sizes = np.abs(shifts - np.median(shifts, axis=1, keepdims=True))
    middle, centre = np.quantile(sizes, [0.5, _CENTRE])
    if not middle > 0:
        return np.ones_like(sizes)
    ratios = stdtrit(_FREEDOMS, (1 + _CENTRE) / 2) / stdtrit(_FREEDOMS, 0.75)
    freedom = _FREEDOMS[np.abs(ratios - centre / middle).argmin()]
    p_values: Array = 2 * stdtr(freedom, -sizes / middle * stdtrit(freedom, 0.75))
    return np.maximum(p_values, np.finfo(np.float64).tiny)

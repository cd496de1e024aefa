"""Do two measures order the same items alike?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rank_correlation(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Return Spearman's ρ of paired values, in −1..1; equal values share their mean rank.

    None for fewer than two pairs, and where one side is the same throughout.

    Raises:
        ValueError: if the two are not of the same length.
    """
    if len(one) != len(two):
        raise ValueError(f"{len(one)} and {len(two)} values are no pairs")
    first, second = _centred_ranks(one), _centred_ranks(two)
    spread = float(first @ first) * float(second @ second)
    return float(first @ second) / spread**0.5 if spread else None


def _centred_ranks(values: Sequence[float]) -> Array:
    _, places, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    return centred_ranks(counts.astype(np.float64))[places]


def centred_ranks(counts: Array) -> Array:
    """Return twice the mean rank of each rising value, less its mean, from how often each occurs (the last axis).

    They are whole numbers, so that equal values give exactly 0.
    """
    centred: Array = 2 * np.cumsum(counts, axis=-1) - counts - counts.sum(axis=-1, keepdims=True)
    return centred


def kendall_tau(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Return Kendall's τ_b of paired values, in −1..1: how far two measures order the same items alike.

    Concordant pairs less discordant ones, divided by the geometric mean of the pairs that each side does not tie. The
    order of the items does not matter. None for fewer than two items, and where one side is the same throughout.

    Raises:
        ValueError: if the two are not of the same length.
    """
    first, second = _signs(one, two)
    untied = float(np.abs(first).sum()) * float(np.abs(second).sum())
    return float((first * second).sum()) / untied**0.5 if untied else None


def tau_ap(estimated: Sequence[float], reference: Sequence[float]) -> float | None:
    """Return τ_AP of an estimated ranking with a reference, in −1..1: as τ, but errors near the top weigh more.

    2/(n − 1) · Σ C(i)/(i − 1) − 1 over the ranks i = 2..n of the estimated ranking, where C(i) counts the items above
    rank i that the reference, too, puts above the item at rank i (Yilmaz, Aslam and Robertson, SIGIR 2008). Greater
    values are better, and the two sides may not be exchanged. Ties of either side count as broken at random: the value
    is the mean over all ways to break them, so that the order of the items does not matter. None for fewer than two
    items, and where one side is the same throughout.

    Raises:
        ValueError: if the two are not of the same length.
    """
    order, truth = _signs(estimated, reference)
    n = len(order)
    if not order.any() or not truth.any():
        return None
    # Row x, column y: y is above x; and how likely the reference puts it there, too.
    is_above = order > 0
    right = (is_above * (1 + truth) / 2).sum(axis=1)
    above = is_above.sum(axis=1)
    total = 0.0
    for first in np.unique(above):
        tied = above == first
        # The members of a group of ties take its ranks in a random order: of those above within it, half are right.
        for inside in range(int(tied.sum())):
            if first + inside:
                total += (float(right[tied].mean()) + inside / 2) / float(first + inside)
    return 2 * total / (n - 1) - 1


def _signs(one: Sequence[float], two: Sequence[float]) -> tuple[Array, Array]:
    """Return for each side +1 where the item of the column has the greater value than that of the row, −1, or 0."""
    if len(one) != len(two):
        raise ValueError(f"{len(one)} and {len(two)} values are no pairs")
    first, second = (np.asarray(values, dtype=np.float64) for values in (one, two))
    return np.sign(first[None, :] - first[:, None]), np.sign(second[None, :] - second[:, None])

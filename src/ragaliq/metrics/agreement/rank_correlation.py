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
    """Return twice the mean rank of each rising value, less its mean, from how often each stands (the last axis).

    They are whole numbers, so that equal values give exactly 0.
    """
    centred: Array = 2 * np.cumsum(counts, axis=-1) - counts - counts.sum(axis=-1, keepdims=True)
    return centred

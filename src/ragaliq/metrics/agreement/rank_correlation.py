"""Do two measures order the same items alike?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


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


def _centred_ranks(values: Sequence[float]) -> NDArray[np.float64]:
    _, places, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    # Twice the mean rank of each value, less its mean: a whole number, so that equal sides give exactly 0.
    centred: NDArray[np.float64] = (2 * np.cumsum(counts) - counts - len(places))[places].astype(np.float64)
    return centred

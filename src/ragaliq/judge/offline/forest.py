"""Sums of regression trees, read from plain data and evaluated in whole numbers, so that every machine agrees.

A feature enters in thousandths. A tree is a list of nodes in depth-first order, so that a node's left child is the
next one; three parallel lists hold, per node, the feature (-1 at a leaf), the greatest value that goes left (the leaf's
value at a leaf), and how far ahead the right child stands (0 at a leaf).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The unit of features, and that of leaf values.
FEATURE_UNIT, VALUE_UNIT = 1000, 100_000
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Forest:
    """The trees of one sum, laid end to end: `roots` says where each begins."""

    base: int
    roots: _Ints
    feature: _Ints
    split: _Ints
    left: _Ints
    right: _Ints
    value: _Ints

    def value_of(self, features: _Ints) -> float:
        """Return the base and the trees' values added up, for one row of features in thousandths."""
        at = self.roots.copy()
        while True:
            step = np.where(features[self.feature[at]] <= self.split[at], self.left[at], self.right[at])
            if not step.any():
                return (self.base + int(self.value[at].sum())) / VALUE_UNIT
            at += step


def forest(data: Mapping[str, Any]) -> Forest:
    """Read `{"base", "roots", "feature", "split", "right"}`."""
    feature = np.asarray(data["feature"], dtype=np.int64)
    split = np.asarray(data["split"], dtype=np.int64)
    leaf = feature < 0
    return Forest(
        base=int(data["base"]),
        roots=np.asarray(data["roots"], dtype=np.int64),
        feature=np.where(leaf, 0, feature),
        split=np.where(leaf, 0, split),
        left=np.where(leaf, 0, 1),
        right=np.asarray(data["right"], dtype=np.int64),
        value=np.where(leaf, split, 0),
    )


def in_units(values: Sequence[float]) -> _Ints:
    """Return features in thousandths; halves go to the even neighbour."""
    return np.asarray([round(value * FEATURE_UNIT) for value in values], dtype=np.int64)

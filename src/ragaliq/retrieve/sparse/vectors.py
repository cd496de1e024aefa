"""Sparse vectors: the IDF of a corpus, and queries weighted by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve.counts import idf
from ragaliq.retrieve.index.inverted import SparseQuery

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Dimension → weight; what is not there is 0.
SparseVector = Mapping[int, float]
Idf = NDArray[np.float32]


def compute_idf(corpus_matrix: csr_matrix) -> Idf:
    """Return the `idf` of each column, of which each row holds those that are not 0; of no rows all get ln 2."""
    rows = corpus_matrix
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    held = rows.indices[rows.data != 0]
    return idf(rows.shape[0], np.bincount(held, minlength=rows.shape[1])).astype(np.float32)


def weighted_query(vector: SparseVector, idf: Idf) -> SparseQuery:
    """Return the dimensions of a query, ascending, and their weights times `idf`.

    Raises:
        InputError: if `idf` lacks a dimension, or a weight is no finite number.
    """
    terms = np.fromiter(vector, dtype=np.int64, count=len(vector))
    # What is too great for float32 becomes infinite, and is refused for that.
    with np.errstate(over="ignore"):
        weights = np.fromiter(vector.values(), dtype=np.float64, count=len(vector)).astype(np.float32)
    if len(terms) and not (0 <= terms.min() <= terms.max() < len(idf) and np.isfinite(weights).all()):
        raise InputError(
            f"sparse query: a dimension is not in 0 to {len(idf) - 1}, or a weight no finite number; "
            "encode queries and documents with the same model"
        )
    order = np.argsort(terms)
    return terms[order], weights[order] * idf[terms[order]]

"""Latent semantic analysis: texts as points in the few directions in which a corpus differs most.

Deerwester, Dumais, Furnas, Landauer and Harshman, Indexing by latent semantic analysis, JASIS 41 (1990).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve.counts import idf
from ragaliq.retrieve.embed.rows import unit_rows

Vectors = NDArray[np.float32]
# A direction with less than this share of the greatest is rounding.
_SMALLEST = 1e-6
# Directions that are followed beside the wanted ones, and how often they are multiplied: the ranking is then as good as
# with the exact decomposition.
_SPARE = 16
_ITERATIONS = 8


@dataclass(frozen=True, slots=True)
class LatentSpace:
    """What texts are projected by.

    Attributes:
        idf: weight of each term.
        axes: one column for each direction, one row for each term; dense or sparse.
    """

    idf: NDArray[np.float64]
    axes: Any

    @property
    def dimension(self) -> int:
        """Number of directions."""
        return int(self.axes.shape[1])

    def project(self, counts: Any) -> Vectors:
        """Return vectors of unit length, one for each row of a sparse matrix of counts; no known term gives zeros."""
        product = tfidf_rows(counts, self.idf) @ self.axes
        return unit_rows(product.toarray() if hasattr(product, "toarray") else np.asarray(product))


def fit_latent_space(counts: Any, dimension: int) -> LatentSpace:
    """Return the space of the `dimension` greatest singular values of a corpus's TF-IDF matrix.

    A corpus of fewer texts has at most as many directions and loses nothing: the cosines are then those of TF-IDF,
    measured within the corpus.

    Args:
        counts: sparse matrix of texts by terms.
        dimension: most directions, at least 1.
    """
    n = counts.shape[0]
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = idf(n, frequency)
    matrix = tfidf_rows(counts, weights)
    spread = matrix.T @ _main_directions(matrix, min(n, dimension + _SPARE))
    # Both eigh and the singular values that it stands for come in ascending order.
    squares, turns = np.linalg.eigh(spread.T @ spread)
    values = np.sqrt(np.maximum(squares[-dimension:], 0))
    real = values > _SMALLEST * values.max(initial=0)
    return LatentSpace(weights, spread @ (turns[:, -dimension:][:, real] / values[real]))


def _main_directions(matrix: Any, size: int) -> NDArray[np.float64]:
    """Return an orthonormal basis, one row for each text, that holds nearly all of the greatest singular values.

    Subspace iteration from a seeded start: Halko, Martinsson and Tropp, Finding structure with randomness, SIAM Review
    53 (2011), algorithm 4.4.
    """
    basis = np.random.default_rng(0).standard_normal((matrix.shape[0], size))
    for _ in range(_ITERATIONS):
        basis, _ = np.linalg.qr(matrix @ (matrix.T @ basis))
    return basis


def tfidf_rows(counts: Any, idf: NDArray[np.float64]) -> Any:
    """Return the TF-IDF matrix, `(1 + ln tf) · idf`, of rows of unit length."""
    matrix = counts.tocsr().astype(np.float64)
    matrix.data = (1 + np.log(matrix.data)) * idf[matrix.indices]
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(matrix.indptr))
    return matrix

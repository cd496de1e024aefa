"""Exact search over dense vectors: the greatest inner products, block by block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.index.coded import HALF, UNIT, CodedVectors, coded_matrix, compiled_dots
from ragaliq.retrieve.ranking import DIGITS, top_docs

Vectors = NDArray[np.float32]
# So many queries are searched for at once, and so many products are held: 8 MB, whatever the number of documents.
QUERIES = 256
PRODUCTS = 2**21
_ROWS = 4096
# So few queries are quicker one by one through the coded vectors than together through a matrix product.
FEW = 4
# Multiplying so many numbers for queries that come alone takes as long as compiling and coding.
COMPILE_AFTER = 2_000_000_000


class ExactIndex:
    """The vectors of documents, one row for each."""

    def __init__(
        self,
        matrix: Vectors,
        compiled: bool | None = None,
        coded: Mapping[str, NDArray[Any]] | None = None,
        longest: float | None = None,
    ) -> None:
        """Take the vectors.

        Args:
            matrix: one row for each document; not copied.
            compiled: whether queries that come alone go through numba, which takes a quarter of the vectors' memory
                more; None does so, if numba is installed, once so many have come that compiling pays. The results are
                the same.
            coded: what `code_rows` returns of all vectors; None works it out when it is needed.
            longest: the greatest length of a vector; None works it out.

        Raises:
            ImportError: if `compiled` is True without numba.
        """
        self._matrix = matrix
        squares = np.einsum("ij,ij->i", matrix, matrix) if longest is None else np.zeros(0)
        self._longest = float(np.sqrt(squares.max(initial=0.0))) if longest is None else longest
        self._codes = coded
        self._coded = self._compile() if compiled else None
        self._may_compile = compiled is None and find_spec("numba") is not None
        self._read = 0

    def search_many(self, queries: Vectors, k: int, products: int = PRODUCTS) -> list[TopDocs]:
        """Return for each query the `k` documents of greatest inner product.

        The score is the inner product in double precision, rounded to six digits, so a query finds the same alone and
        among others, on any machine. Documents that score 0 or less are left out; of equal scores the greater document
        number goes first. The products of all documents are never held at once, only so many as `products`, beside the
        best so far and what ties with them.

        Args:
            queries: one row for each query.
            k: how many documents are wanted; all that score above 0, if there are fewer.
            products: how many inner products are held at once, at least one for each query.
        """
        if k < 1:
            return [top_docs(np.zeros(0), np.zeros(0), 0) for _ in queries]
        best: list[TopDocs] = []
        for start in range(0, len(queries), QUERIES):
            some = np.ascontiguousarray(queries[start : start + QUERIES], dtype=np.float32)
            candidates = self._few(some, k) if len(some) <= FEW else None
            if candidates is None:
                # Off by less than this (Higham, Accuracy and Stability of Numerical Algorithms, §3.1).
                off = self._matrix.shape[1] * UNIT * self._longest * np.linalg.norm(some, axis=1)
                candidates = _candidates(self._matrix, some, k, max(products // len(some), 1), off)
            best += [_measured(self._matrix, query, docs, k) for query, docs in zip(some, candidates, strict=True)]
        return best

    def _few(self, queries: Vectors, k: int) -> list[NDArray[np.intp]] | None:
        """Return what `_candidates` returns by the coded vectors, or None as long as these do not pay."""
        self._read += len(queries) * self._matrix.size
        if self._may_compile and self._read > COMPILE_AFTER:
            self._may_compile = False
            try:
                self._coded = self._compile()
            except ImportError:
                # A numba that does not know this numpy; what is found is the same without it.
                return None
        return None if self._coded is None else [self._coded.near(query, k) for query in queries]

    def _compile(self) -> CodedVectors:
        dots = compiled_dots()
        return CodedVectors(coded_matrix(self._matrix) if self._codes is None else self._codes, dots)


def inner_products(rows: Vectors, query: Vectors) -> NDArray[np.float64]:
    """Return the inner product of each row with a query in double precision, rounded to six digits.

    Row by row and not as a matrix product: the sum of a row then does not depend on the other rows.
    """
    exact: NDArray[np.float64] = np.einsum("ij,j->i", rows.astype(np.float64), query.astype(np.float64))
    return np.round(exact, DIGITS)


def _candidates(
    matrix: Vectors, queries: Vectors, k: int, block: int, off: NDArray[np.float64]
) -> list[NDArray[np.intp]]:
    """Return for each query all documents whose score may be among its `k` greatest, and some whose score is not.

    `off` is the greatest error of a query's products in single precision.
    """
    # Rounding moves a score by half a digit: from 0, or from the score at the cut, which may be off as well.
    margins = 2 * off + 2 * HALF
    kept = [_Running(k, margin) for margin in margins]
    least = (HALF - off).astype(np.float32)
    pending: list[tuple[NDArray[np.intp], NDArray[np.intp], Vectors]] = []
    for number, start in enumerate(range(0, len(matrix), block)):
        products = queries @ matrix[start : start + block].T
        if start == 0 and k <= products.shape[1]:
            least = np.maximum(least, np.partition(products, -k, axis=1)[:, -k] - margins).astype(np.float32)
        rows, columns = np.divmod(np.flatnonzero(products >= least[:, None]), products.shape[1])
        pending.append((rows, columns + start, products[rows, columns]))
        # Blocks 0, 1, 3, 7, …: each round of sorting out sees about as many candidates as all before it.
        if number & (number + 1) == 0 or start + block >= len(matrix):
            _sort_out(pending, kept, least)
            pending = []
    return [running.docs for running in kept]


def _sort_out(
    pending: Sequence[tuple[NDArray[np.intp], NDArray[np.intp], Vectors]], kept: Sequence[_Running], least: Vectors
) -> None:
    """Give new candidates (query, document, product) to their queries, and raise the least product of each."""
    rows, docs, scores = (np.concatenate(parts) for parts in zip(*pending, strict=True))
    order = np.argsort(rows, kind="stable")
    docs, scores = docs[order], scores[order]
    ends = np.searchsorted(rows[order], np.arange(len(kept) + 1))
    for row in np.flatnonzero(np.diff(ends)).tolist():
        part = slice(ends[row], ends[row + 1])
        least[row] = max(least[row], kept[row].add(docs[part], scores[part]))


class _Running:
    """The candidates of one query so far."""

    def __init__(self, k: int, margin: float) -> None:
        self._k, self._margin = k, margin
        self.docs = np.zeros(0, dtype=np.intp)
        self._scores = np.zeros(0, dtype=np.float32)

    def add(self, docs: NDArray[np.intp], scores: Vectors) -> float:
        """Take candidates; return the least score that a candidate can have from now on."""
        self.docs, self._scores = np.concatenate([self.docs, docs]), np.concatenate([self._scores, scores])
        if len(self.docs) < self._k:
            return -np.inf
        least = float(np.partition(self._scores, -self._k)[-self._k]) - self._margin
        near = self._scores >= least
        self.docs, self._scores = self.docs[near], self._scores[near]
        return least


def _measured(matrix: Vectors, query: Vectors, docs: NDArray[np.intp], k: int) -> TopDocs:
    parts = [inner_products(matrix[docs[start : start + _ROWS]], query) for start in range(0, len(docs), _ROWS)]
    return top_docs(docs, np.concatenate([np.zeros(0), *parts]), k)

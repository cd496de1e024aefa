"""Exact search over an inverted matrix: for each term the documents that hold it, with their weights.

A query is the few terms it holds, so only their postings are read, term at a time, and no score matrix of queries by
documents is ever made. Learned sparse vectors and BM25 weights are both searched so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.index.inverted_numba import Heaps, Postings, QueryTerms, compiled_scan
from ragaliq.retrieve.ranking import top_docs

Weights = NDArray[np.float32]
# The terms of a query and their weights.
SparseQuery = tuple[NDArray[np.integer[Any]], Weights]
# So many queries go through a block of documents together: the first brings its postings into the cache.
GROUP = 64
# Reading so many postings with numpy takes as long as loading numba and compiling, some 1.5 s.
COMPILE_AFTER = 300_000_000
# So many scores are looked at through the greatest of them.
_ROW = 128
_PART = 1 << 20


class InvertedIndex:
    """The postings of a corpus, by term and then by document."""

    def __init__(
        self,
        starts: NDArray[np.int64],
        docs: NDArray[np.int32],
        weights: NDArray[np.float32],
        n_docs: int,
        compiled: bool | None = None,
        checked: bool = False,
    ) -> None:
        """Take the postings; arrays of the right types are not copied.

        Args:
            starts: those of term `t` are at `starts[t]:starts[t + 1]`, so it has one entry more than there are terms.
            docs: document numbers from 0, ascending within a term.
            weights: of the documents, for the terms; any finite numbers.
            n_docs: number of documents, those without terms included.
            compiled: whether searches run through numba; None takes it, if it is installed, once the searches have
                read so much that compiling pays. The results are the same bit for bit.
            checked: the postings are known to be so; reading all of a mapped file would take long.

        Raises:
            ValueError: if the postings are not so.
            ImportError: if `compiled` is True without numba.
        """
        self.starts = np.ascontiguousarray(starts, dtype=np.int64)
        self.docs = np.ascontiguousarray(docs, dtype=np.int32)
        self.weights = np.ascontiguousarray(weights, dtype=np.float32)
        self.n_docs = int(n_docs)
        if not checked:
            _check_postings(self.starts, self.docs, self.weights, self.n_docs)
        self._scan = compiled_scan() if compiled else None
        self._may_compile = compiled is None and find_spec("numba") is not None
        self._read = 0

    @classmethod
    def from_csr(cls, matrix: Any, compiled: bool | None = None) -> InvertedIndex:
        """Build the index of a sparse matrix of scipy with one row for each document and one column for each term.

        Entries that occur twice are added up, as scipy does.
        """
        columns = matrix.tocsc()
        if not columns.has_canonical_format:
            columns = columns.copy()
            columns.sum_duplicates()
        return cls(columns.indptr, columns.indices, columns.data, matrix.shape[0], compiled)

    @property
    def n_terms(self) -> int:
        """Number of terms, those without postings included."""
        return len(self.starts) - 1

    def search_many(self, queries: Sequence[SparseQuery], k: int) -> list[TopDocs]:
        """Return for each query the `k` documents of greatest score, or as many as score above 0.

        The score is the inner product, `Σ query weight · document weight`, in float32, added up in the order of the
        query's terms (ascending terms give, bit for bit, what scipy's product of two CSR matrices gives). A term that
        occurs twice counts twice. Of equal scores the greater document number goes first. A query by itself and in
        company gives the same. Beside index and result a search needs at most 28 bytes a document (numpy), or 4 bytes a
        document of one block (compiled), and some for the queries' own terms, however many queries there are.

        Args:
            queries: for each its terms and their weights, which may be negative.
            k: at most so many documents; 0 or less gives none.

        Raises:
            ValueError: if a query names a term that the index has not, or lacks a weight.
        """
        size = min(k, self.n_docs)
        best: list[TopDocs] = []
        for start in range(0, len(queries), GROUP):
            group = [self._checked(query) for query in queries[start : start + GROUP]]
            if size < 1:
                best += [top_docs(np.zeros(0), np.zeros(0), 0) for _ in group]
                continue
            self._choose(group)
            best += self._each(group, size) if self._scan is None else self._together(group, size)
        return best

    def _checked(self, query: SparseQuery) -> SparseQuery:
        terms, weights = np.asarray(query[0], dtype=np.int64), np.asarray(query[1], dtype=np.float32)
        if terms.ndim != 1 or terms.shape != weights.shape:
            raise ValueError(f"a query needs one weight for each term: {len(terms)} terms, {len(weights)} weights")
        if len(terms) and not 0 <= terms.min() <= terms.max() < self.n_terms:
            wrong = terms[(terms < 0) | (terms >= self.n_terms)][0]
            raise ValueError(f"a query names term {wrong}; the index has terms 0 to {self.n_terms - 1}")
        return terms, weights

    def _choose(self, queries: Sequence[SparseQuery]) -> None:
        """Compile the search as soon as that pays."""
        if not self._may_compile:
            return
        self._read += sum(int((self.starts[terms + 1] - self.starts[terms]).sum()) for terms, _ in queries)
        if self._read > COMPILE_AFTER:
            self._may_compile = False
            try:
                self._scan = compiled_scan()
            except ImportError:
                # A numba that does not know this numpy; what is found is the same without it.
                return

    def _together(self, queries: Sequence[SparseQuery], k: int) -> Iterator[TopDocs]:
        """Search a group of queries through the compiled loop."""
        assert self._scan is not None
        starts = np.cumsum([0, *(len(terms) for terms, _ in queries)], dtype=np.int64)
        terms, weights = (np.concatenate(arrays) for arrays in zip(*queries, strict=True))
        heaps = Heaps(
            np.zeros((len(queries), k), np.float32),
            np.zeros((len(queries), k), np.int32),
            np.zeros(len(queries), np.int64),
        )
        postings = Postings(self.starts, self.docs, self.weights, self.n_docs)
        self._scan(postings, QueryTerms(starts, terms, weights), heaps)
        for scores, docs, size in zip(*heaps, strict=True):
            yield top_docs(docs[:size], scores[:size], k)

    def _each(self, queries: Sequence[SparseQuery], k: int) -> Iterator[TopDocs]:
        """Search one query after the other with numpy."""
        sums = np.zeros(self.n_docs, dtype=np.float32)
        for terms, weights in queries:
            sums.fill(0)
            for start, end, weight in zip(self.starts[terms], self.starts[terms + 1], weights, strict=True):
                # Numpy takes places of its own type several times faster.
                places = self.docs[start:end].astype(np.intp)
                sums[places] += weight * self.weights[start:end]
            yield _best(sums, k)


def _best(sums: Weights, k: int) -> TopDocs:
    """Return the `k` greatest of the sums above 0.

    The k-th greatest of the rows' maxima is at most the k-th greatest sum, so that few rows need a look.
    """
    whole = len(sums) // _ROW * _ROW
    rows = sums[:whole].reshape(-1, _ROW)
    greatest = rows.max(axis=1) if whole else rows
    docs = np.arange(len(sums))
    if len(greatest) > k:
        least = np.partition(greatest, -k)[-k]
        docs = np.flatnonzero(greatest >= least)
        docs = np.concatenate([(docs[:, None] * _ROW + np.arange(_ROW)).ravel(), np.arange(whole, len(sums))])
    docs = docs[sums[docs] > 0]
    if len(docs) > k:
        scores = sums[docs]
        cut = np.partition(scores, -k)[-k]
        above = docs[scores > cut]
        docs = np.concatenate([docs[scores == cut][len(above) - k :], above])
    return top_docs(docs, sums[docs], k)


def _check_postings(starts: NDArray[np.int64], docs: NDArray[np.int32], weights: Weights, n_docs: int) -> None:
    """Refuse postings that a search would read past their end, or add up wrong.

    Raises:
        ValueError: saying which.
    """
    if not len(starts) or starts[0] != 0 or starts[-1] != len(docs) or (np.diff(starts) < 0).any():
        raise ValueError("the starts of an inverted index ascend from 0 to the number of its postings")
    if len(docs) != len(weights):
        raise ValueError(f"an inverted index needs a weight for each posting: {len(docs)}, {len(weights)} weights")
    # Part by part: the differences of all postings at once would need as much memory as they.
    for low in range(0, len(docs), _PART):
        part = docs[low : low + _PART + 1]
        if part.min() < 0 or part.max() >= n_docs:
            raise ValueError(f"an inverted index of {n_docs} documents names document {part.max()} or {part.min()}")
        falls = np.flatnonzero(part[1:] <= part[:-1]) + low + 1
        # A search in the sorted starts: to sort the falls, as a set would, takes minutes.
        if not (starts[np.searchsorted(starts, falls)] == falls).all():
            raise ValueError("the documents of a term must ascend in an inverted index")

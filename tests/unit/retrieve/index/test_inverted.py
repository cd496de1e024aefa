from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, random_array

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.index.inverted import GROUP, InvertedIndex
from ragaliq.retrieve.index.inverted_numba import BLOCK, Heaps, Postings, QueryTerms, make_scan

Pairs = list[tuple[int, float]]
Dense = NDArray[np.float32]
SparseQuery = tuple[NDArray[Any], Dense]
# Eighths: their products and sums are exact in float32, so that equal scores are equal everywhere.
eighths = st.integers(-16, 40).map(lambda number: number / 8)


@st.composite
def searches(draw: st.DrawFn) -> tuple[Dense, Dense, int]:
    """A corpus and queries as dense matrices with many zeros and ties, and k."""
    n_docs, n_terms, n_queries = draw(st.integers(0, 150)), draw(st.integers(1, 6)), draw(st.integers(1, 4))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    low = draw(st.sampled_from([-16, 0]))
    held = rng.random((n_docs, n_terms)) < draw(st.sampled_from([0.2, 1]))
    corpus = rng.integers(low, 9, (n_docs, n_terms)) / 8 * held
    row = st.lists(eighths, min_size=n_terms, max_size=n_terms)
    queries = np.array(draw(st.lists(row, min_size=n_queries, max_size=n_queries)))
    return corpus.astype(np.float32), queries.astype(np.float32), draw(st.integers(0, 160))


def index_of(corpus: Dense, compiled: bool | None = False) -> InvertedIndex:
    return InvertedIndex.from_csr(csr_matrix(corpus), compiled)


def query_of(row: Dense) -> SparseQuery:
    terms = np.flatnonzero(row)
    return terms, row[terms]


def pairs(found: TopDocs) -> Pairs:
    return list(zip(found.docs.tolist(), found.scores.tolist(), strict=True))


def alone(index: InvertedIndex, terms: ArrayLike, weights: ArrayLike, k: int) -> TopDocs:
    return index.search_many([(np.asarray(terms, np.int64), np.asarray(weights, np.float32))], k)[0]


def ranked(corpus: Dense, row: Dense, k: int) -> Pairs:
    """The definition, in double precision."""
    scores = corpus.astype(np.float64) @ row.astype(np.float64)
    best = sorted(((score, doc) for doc, score in enumerate(scores.tolist()) if score > 0), reverse=True)
    return [(doc, score) for score, doc in best[: max(k, 0)]]


def scanned(index: InvertedIndex, queries: Sequence[SparseQuery], k: int) -> list[Pairs]:
    """What the compiled loop does, run as the Python that it is, over blocks of 64 documents."""
    n = len(queries)
    heaps = Heaps(np.zeros((n, k), np.float32), np.zeros((n, k), np.int32), np.zeros(n, np.int64))
    starts = np.cumsum([0, *(len(terms) for terms, _ in queries)], dtype=np.int64)
    terms, weights = (np.concatenate(arrays) for arrays in zip(*queries, strict=True))
    scan = make_scan(lambda function: function, block=64)
    scan(Postings(index.starts, index.docs, index.weights, index.n_docs), QueryTerms(starts, terms, weights), heaps)
    found = [(docs[:size].tolist(), scores[:size].tolist()) for scores, docs, size in zip(*heaps, strict=True)]
    return [sorted(zip(*one, strict=True), key=lambda pair: (pair[1], pair[0]), reverse=True) for one in found]


def test_the_best_documents_by_hand() -> None:
    corpus = np.array([[1, 0, 2], [0, 3, 0], [1, 1, 1], [0, 0, 0]], dtype=np.float32)
    found = alone(index_of(corpus), [0, 2], [2, 0.5], 10)
    # 2·1 + .5·2 = 3 and 2·1 + .5·1 = 2.5; documents 1 and 3 hold no term of the query.
    assert pairs(found) == [(0, 3.0), (2, 2.5)]
    assert found.docs.dtype == np.int32
    assert found.scores.dtype == np.float32


def test_of_equal_scores_the_greater_number_goes_first_also_at_the_cut() -> None:
    corpus = np.ones((1000, 1), dtype=np.float32)
    corpus[7] = 2
    found = alone(index_of(corpus), [0], [1], 4)
    assert pairs(found) == [(7, 2.0), (999, 1.0), (998, 1.0), (997, 1.0)]


@settings(max_examples=40, deadline=None)
@given(searches())
def test_numpy_ranks_as_the_definition(search: tuple[Dense, Dense, int]) -> None:
    corpus, queries, k = search
    found = index_of(corpus).search_many([query_of(row) for row in queries], k)
    assert [pairs(one) for one in found] == [ranked(corpus, row, k) for row in queries]


@settings(max_examples=40, deadline=None)
@given(searches())
def test_the_compiled_loop_ranks_as_the_definition(
    search: tuple[Dense, Dense, int],
) -> None:
    corpus, queries, k = search
    size = min(k, len(corpus))
    if size:
        found = scanned(index_of(corpus), [query_of(row) for row in queries], size)
        assert found == [ranked(corpus, row, k) for row in queries]


@pytest.mark.parametrize("seed", range(5))
def test_of_many_ties_the_compiled_loop_keeps_the_greatest_numbers(seed: int) -> None:
    corpus = np.random.default_rng(seed).integers(1, 6, (400, 1)).astype(np.float32)
    one = np.ones(1, np.float32)
    for k in (1, 7, 100, 399):
        assert scanned(index_of(corpus), [query_of(one)], k) == [ranked(corpus, one, k)]


@settings(max_examples=60, deadline=None)
@given(searches())
def test_a_batch_gives_what_its_queries_give_alone(
    search: tuple[Dense, Dense, int],
) -> None:
    corpus, queries, k = search
    index = index_of(corpus)
    together = index.search_many([query_of(row) for row in queries], k)
    assert [pairs(one) for one in together] == [pairs(alone(index, *query_of(row), k)) for row in queries]


def sparse(rows: int, columns: int, density: float, seed: int) -> csr_matrix:
    """Random weights that are no round numbers."""
    rng = np.random.default_rng(seed)
    return csr_matrix(random_array((rows, columns), density=density, rng=rng, dtype=np.float32))


def rows_of(matrix: csr_matrix) -> list[SparseQuery]:
    return [(row.indices, row.data) for row in (matrix[[number]] for number in range(matrix.shape[0]))]


def test_scores_are_bit_for_bit_those_of_scipys_product() -> None:
    corpus, queries = sparse(3000, 50, 0.3, 1), sparse(8, 50, 0.5, 2)
    product = queries.dot(corpus.T).toarray()
    lists = InvertedIndex.from_csr(corpus, False).search_many(rows_of(queries), 100)
    for row, found in zip(product, lists, strict=True):
        best = np.lexsort((np.arange(len(row)), row))[::-1][:100]
        assert found.docs.tolist() == best.tolist()
        assert found.scores.tobytes() == row[best].tobytes()


@pytest.mark.slow
@pytest.mark.numba
@pytest.mark.parametrize("k", [1, 100, 5000])
def test_numba_and_numpy_agree_bit_for_bit(k: int) -> None:
    # More than two blocks of documents, and more than a group of queries.
    corpus, queries = sparse(70_000, 40, 0.05, 3), sparse(70, 40, 0.3, 4)
    corpus.data = np.round(corpus.data, 1)
    plain, fast = (InvertedIndex.from_csr(corpus, compiled) for compiled in (False, True))
    for one, other in zip(plain.search_many(rows_of(queries), k), fast.search_many(rows_of(queries), k), strict=True):
        assert one.docs.tobytes() == other.docs.tobytes()
        assert one.scores.tobytes() == other.scores.tobytes()


@pytest.mark.slow
@pytest.mark.numba
def test_numba_is_taken_once_enough_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, queries = sparse(500, 20, 0.3, 5), sparse(3, 20, 0.5, 6)
    expected = InvertedIndex.from_csr(corpus, False).search_many(rows_of(queries), 10)
    monkeypatch.setattr("ragaliq.retrieve.index.inverted.COMPILE_AFTER", 1)
    found = InvertedIndex.from_csr(corpus).search_many(rows_of(queries), 10)
    assert [pairs(one) for one in found] == [pairs(one) for one in expected]


def test_nothing_finds_nothing() -> None:
    one = ([1], [1])
    full = index_of(np.ones((4, 3), np.float32))
    assert pairs(alone(index_of(np.zeros((0, 3), np.float32)), *one, 5)) == []
    assert pairs(alone(full, [], [], 5)) == []
    assert full.search_many([], 5) == []
    assert [pairs(alone(full, *one, k)) for k in (0, -1)] == [[], []]


def test_a_term_that_stands_twice_counts_twice_and_the_order_of_terms_is_free() -> None:
    index = index_of(np.array([[1, 2], [3, 4]], dtype=np.float32))
    found = alone(index, [1, 0, 1], [1, 1, 1], 2)
    assert pairs(found) == [(1, 11.0), (0, 5.0)]


def test_entries_that_stand_twice_are_added_and_the_matrix_is_not_changed() -> None:
    matrix = csr_matrix((np.array([1, 2, 4], np.float32), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert pairs(alone(InvertedIndex.from_csr(matrix), [1], [1], 2)) == [(0, 3.0)]
    assert matrix.nnz == 3
    columns = matrix.tocsc()
    InvertedIndex.from_csr(columns)
    assert columns.nnz == 3


def test_the_arrays_of_bm25s_are_an_index_as_they_are() -> None:
    import bm25s

    texts = [["brot", "und", "wurst"], ["brot"], ["наука", "и", "хлеб"], ["面包", "brot"]]
    model = bm25s.BM25(method="lucene")
    model.index(texts, show_progress=False)
    own = model.scores
    index = InvertedIndex(own["indptr"], own["indices"], own["data"], len(texts))
    terms = np.array([model.vocab_dict["brot"], model.vocab_dict["面包"]])
    expected = model.get_scores(["brot", "面包"])
    for doc, score in pairs(alone(index, terms, np.ones(2), 4)):
        assert score == pytest.approx(expected[doc])


@pytest.mark.parametrize(
    ("starts", "docs", "weights", "reason"),
    [
        ([0, 2], [0], [1], "ascend from 0"),
        ([1, 2], [0, 1], [1, 1], "ascend from 0"),
        ([0, 2, 1, 2], [0, 1], [1, 1], "ascend from 0"),
        ([0, 2], [0, 1], [1], "a weight for each"),
        ([0, 2], [1, 0], [1, 1], "must ascend"),
        ([0, 2], [1, 1], [1, 1], "must ascend"),
        ([0, 1], [2], [1], "names document 2"),
        ([0, 1], [-1], [1], "names document -1"),
    ],
)
def test_postings_that_would_be_read_wrong_are_refused(
    starts: list[int], docs: list[int], weights: list[float], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        InvertedIndex(np.array(starts), np.array(docs), np.array(weights, np.float32), 2)


@pytest.mark.parametrize("terms", [[3], [-1], [0, 1, 2, 9]])
def test_a_term_that_the_index_has_not_is_refused(terms: list[int]) -> None:
    with pytest.raises(ValueError, match="terms 0 to 2"):
        alone(index_of(np.ones((2, 3), np.float32)), terms, np.ones(len(terms)), 1)
    with pytest.raises(ValueError, match="one weight for each term"):
        alone(index_of(np.ones((2, 3), np.float32)), [1], [1, 1], 1)


def peak(index: InvertedIndex, queries: Sequence[SparseQuery], k: int) -> int:
    tracemalloc.start()
    try:
        found = index.search_many(queries, k)
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return used - sum(one.docs.nbytes + one.scores.nbytes for one in found)


def search_bytes(n_docs: int, k: int, n_terms: int, compiled: bool) -> int:
    """The arrays of a search beside index and result.

    Compiled: the sums of a block, and for each query of a group its terms and its heap. Numpy: the terms of a group,
    the sums of all documents, and a term's postings, at most one for each document.
    """
    if compiled:
        return 4 * BLOCK + GROUP * (32 * n_terms + 8 * k + 16)
    return (4 + 24) * n_docs + 12 * GROUP * n_terms


@pytest.mark.parametrize("tied", [False, True])
def test_memory_of_a_search_stays_below_the_formula(tied: bool) -> None:
    corpus = sparse(100_000, 8, 0.6, 7)
    if tied:
        corpus.data[:] = 1
    index = InvertedIndex.from_csr(corpus, False)
    used = peak(index, rows_of(sparse(4, 8, 0.9, 8)), 100)
    # Python's own objects take some kB.
    assert used < search_bytes(100_000, 100, 8, compiled=False) + 50_000


def test_the_formula_allows_50_mb_at_a_million_documents() -> None:
    assert search_bytes(1_000_000, 100, 100, compiled=False) <= 50e6
    assert search_bytes(1_000_000, 100, 100, compiled=True) <= 1e6
    # (4 + 24) · 10⁶ + 64 · 100 · 12
    assert search_bytes(1_000_000, 100, 100, compiled=False) == 28_076_800


@pytest.mark.slow
@pytest.mark.numba
def test_memory_of_a_compiled_search_stays_below_the_formula() -> None:
    corpus = sparse(100_000, 8, 0.6, 9)
    index = InvertedIndex.from_csr(corpus, True)
    queries = rows_of(sparse(64, 8, 0.9, 10))
    index.search_many(queries[:1], 100)
    # The tables of numba's dispatcher and the results' Python objects take some kB.
    assert peak(index, queries, 100) < search_bytes(100_000, 100, 8, compiled=True) + 100_000

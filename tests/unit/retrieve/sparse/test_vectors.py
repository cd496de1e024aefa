from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from fakes import sparse_rows
from ragaliq.errors import InputError
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.sparse.vectors import Idf, compute_idf, weighted_query

DIM = 12
Vector = dict[int, float]
vectors = st.dictionaries(st.integers(0, DIM - 1), st.floats(0.0078125, 4, width=32), max_size=6)


def search(queries: list[Vector], index: InvertedIndex, idf: Idf, k: int = 100) -> list[list[tuple[int, float]]]:
    best = index.search_many([weighted_query(query, idf) for query in queries], k)
    return [list(zip(one.docs.tolist(), one.scores.tolist(), strict=True)) for one in best]


def test_e9_idf_by_hand_is_never_negative() -> None:
    matrix = sparse_rows([{0: 1.0, 1: 3.0}, {0: 2.0}, {0: 1.0, 2: 0.0}], 4)
    idf = compute_idf(matrix)
    assert idf.dtype == np.float32
    # df = N = 3; df = 1; an entry of 0 is none; df = 0.
    assert idf.tolist() == pytest.approx([math.log(1 + 0.5 / 3.5), math.log(1 + 2.5 / 1.5), math.log(8), math.log(8)])
    assert (idf > 0).all()


def test_e9_entries_that_stand_twice_are_one_document() -> None:
    matrix = csr_matrix((np.ones(3, np.float32), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert compute_idf(matrix).tolist() == pytest.approx([math.log(2), math.log(2)])
    assert matrix.nnz == 3


def test_e10_a_query_is_weighted_by_idf_by_hand() -> None:
    index = InvertedIndex.from_csr(sparse_rows([{0: 1.0, 1: 2.0}, {0: 3.0}, {1: 1.0}, {}], 2))
    idf = np.array([0.5, 2.0], np.float32)
    # 2·.5·1 + 1·2·2 = 5, 2·.5·3 = 3, 1·2·1 = 2
    assert search([{1: 1.0, 0: 2.0}, {}], index, idf) == [[(0, 5.0), (1, 3.0), (2, 2.0)], []]
    assert search([{1: 1.0, 0: 2.0}], index, idf, k=1) == [[(0, 5.0)]]
    assert search([{1: 1.0, 0: 2.0}], index, idf, k=0) == [[]]
    empty = sparse_rows([], 2)
    assert search([{1: 1.0}], InvertedIndex.from_csr(empty), compute_idf(empty)) == [[]]


@settings(max_examples=40, deadline=None)
@given(st.lists(vectors, max_size=30), st.lists(vectors, max_size=5), st.integers(0, 40))
def test_e10_a_batch_equals_its_queries_alone_with_ties(corpus: list[Vector], queries: list[Vector], k: int) -> None:
    # Every document twice, so that every score is tied.
    matrix = sparse_rows(corpus * 2, DIM)
    index, idf = InvertedIndex.from_csr(matrix), compute_idf(matrix)
    batch = search(queries, index, idf, k)
    assert batch == [search([query], index, idf, k)[0] for query in queries]
    for query, pairs in zip(queries, batch, strict=True):
        assert pairs == sorted(pairs, key=lambda pair: (pair[1], pair[0]), reverse=True)
        exact = matrix.toarray().astype(np.float64) @ (sparse_rows([query], DIM).toarray()[0] * idf.astype(np.float64))
        assert len(pairs) == min(k, int((exact > 0).sum()))
        for (row, score), best in zip(pairs, np.sort(exact)[::-1], strict=False):
            assert score == pytest.approx(exact[row], rel=1e-5) == pytest.approx(best, rel=1e-5)


def test_a_query_of_another_model_is_refused() -> None:
    for query in ({2: 1.0}, {-1: 1.0}, {0: math.inf}, {0: math.nan}, {0: 1e39}):
        with pytest.raises(InputError, match="dimension is not in 0 to 1"):
            weighted_query(query, np.ones(2, np.float32))


def test_e16_no_dense_matrix_of_queries_by_documents_is_made() -> None:
    rng = np.random.default_rng(0)
    n_docs, n_queries = 40_000, 64
    queries = [{int(dim): 1.0, int(dim + 1) % DIM: 0.5} for dim in rng.integers(0, DIM, n_queries)]
    cells = (np.ones(n_docs, np.float32), rng.integers(0, DIM, n_docs), np.arange(n_docs + 1))
    matrix = csr_matrix(cells, shape=(n_docs, DIM))
    idf = compute_idf(matrix)
    index = InvertedIndex.from_csr(matrix, False)

    tracemalloc.start()
    scores = sparse_rows(queries, DIM).dot(matrix.T).toarray()
    # The symptom: 4 bytes for each pair of a query and a document.
    assert tracemalloc.get_traced_memory()[1] > 4 * n_docs * n_queries
    del scores
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    best = search(queries, index, idf)
    used = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert len(best[0]) == 100
    assert used < 4 * n_docs * n_queries / 4

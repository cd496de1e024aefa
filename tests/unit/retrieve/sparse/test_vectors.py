from __future__ import annotations

import math
import tracemalloc
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ragaliq.errors import InputError
from ragaliq.retrieve.index.inverted import InvertedIndex
from ragaliq.retrieve.sparse.vectors import (
    compute_idf,
    encode_corpus_batched,
    encode_to_csr,
    retrieve_all_queries,
    retrieve_batch,
    retrieve_top_k,
)

DIM = 12
Vector = dict[int, float]
vectors = st.dictionaries(st.integers(0, DIM - 1), st.floats(0.0078125, 4, width=32), max_size=6)
# Ids of any script; surrogates alone are refused by every loader.
ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


def dense(vecs: list[Vector]) -> NDArray[np.float64]:
    rows = np.zeros((len(vecs), DIM))
    for row, vector in enumerate(vecs):
        for dim, weight in vector.items():
            rows[row, dim] = weight
    return rows


def test_e8_vectors_become_a_matrix_and_empty_ones_empty_rows() -> None:
    matrix = encode_to_csr([{3: 0.5, 1: 2.0}, {}, {0: 1.0}], 4)
    assert matrix.dtype == np.float32
    assert matrix.toarray().tolist() == [[0, 2, 0, 0.5], [0, 0, 0, 0], [1, 0, 0, 0]]
    assert matrix.has_sorted_indices
    assert encode_to_csr([], 4).shape == (0, 4)
    assert encode_to_csr([{}, {}], 4).shape == (2, 4)


@pytest.mark.parametrize(
    ("vector", "told"),
    [({4: 1.0}, "dimension 4"), ({-1: 1.0}, "dimension -1"), ({2: math.nan}, "nan"), ({2: 1e39}, "inf")],
)
def test_a_vector_that_is_none_is_refused_by_its_number(vector: Vector, told: str) -> None:
    with pytest.raises(InputError, match=f"sparse vector 2: .*{told}.*0 to 3"):
        encode_to_csr([{0: 1.0}, {}, vector, {1: 1.0}], 4)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 5, 100])
def test_e8_batches_give_the_same_matrix_also_where_the_last_is_short(batch_size: int) -> None:
    texts = ["a", "bb", "", "сссс", "补给船"]
    sizes: list[int] = []

    def encode(batch: list[str]) -> list[Vector]:
        sizes.append(len(batch))
        return [{len(text): 1.0 + len(text)} if text else {} for text in batch]

    matrix = encode_corpus_batched(texts, encode, 8, batch_size)
    assert (matrix != encode_to_csr(encode(texts), 8)).nnz == 0
    assert sum(sizes[:-1]) == 5
    assert max(sizes[:-1]) <= batch_size


def test_e8_an_empty_corpus_has_no_rows_and_finds_nothing() -> None:
    matrix = encode_corpus_batched([], lambda batch: [{}], 5)
    assert matrix.shape == (0, 5)
    assert retrieve_batch([{1: 1.0}, {}], matrix, compute_idf(matrix)) == [[], []]
    assert retrieve_top_k({1: 1.0}, matrix, compute_idf(matrix)) == []
    assert retrieve_all_queries({"q": {1: 1.0}}, matrix, compute_idf(matrix), []) == {"q": []}


def test_an_encoder_that_loses_a_text_is_refused() -> None:
    with pytest.raises(InputError, match="1 vectors for 2 texts"):
        encode_corpus_batched(["a", "b"], lambda batch: [{}], 5)


def test_e9_idf_by_hand_is_never_negative() -> None:
    matrix = encode_to_csr([{0: 1.0, 1: 3.0}, {0: 2.0}, {0: 1.0, 2: 0.0}], 4)
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
    matrix = encode_to_csr([{0: 1.0, 1: 2.0}, {0: 3.0}, {1: 1.0}, {}], 2)
    idf = np.array([0.5, 2.0], np.float32)
    # 2·.5·1 + 1·2·2 = 5, 2·.5·3 = 3, 1·2·1 = 2
    assert retrieve_top_k({1: 1.0, 0: 2.0}, matrix, idf) == [(0, 5.0), (1, 3.0), (2, 2.0)]
    assert retrieve_top_k({1: 1.0, 0: 2.0}, matrix, idf, k=1) == [(0, 5.0)]
    assert retrieve_top_k({1: 1.0, 0: 2.0}, matrix, idf, k=0) == []
    assert retrieve_top_k({}, matrix, idf) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(vectors, max_size=30), st.lists(vectors, max_size=5), st.integers(0, 40))
def test_e10_a_batch_equals_its_queries_alone_with_ties(corpus: list[Vector], queries: list[Vector], k: int) -> None:
    # Every document twice, so that every score is tied.
    matrix = encode_to_csr(corpus * 2, DIM)
    idf = compute_idf(matrix)
    batch = retrieve_batch(queries, matrix, idf, k)
    assert batch == [retrieve_top_k(query, matrix, idf, k) for query in queries]
    index = InvertedIndex.from_csr(matrix)
    assert batch == [retrieve_top_k(query, index, idf, k) for query in queries]
    assert batch == retrieve_batch(queries, index, idf, k)
    for found in batch:
        assert found == sorted(found, key=lambda pair: (pair[1], pair[0]), reverse=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(vectors, max_size=30), vectors, st.integers(1, 40))
def test_e10_rankings_are_those_of_brute_force(corpus: list[Vector], query: Vector, k: int) -> None:
    matrix = encode_to_csr(corpus, DIM)
    idf = compute_idf(matrix)
    exact = dense(corpus) @ (dense([query])[0] * idf.astype(np.float64))
    found = retrieve_top_k(query, matrix, idf, k)
    assert len(found) == min(k, int((exact > 0).sum()))
    for (row, score), best in zip(found, np.sort(exact)[::-1], strict=False):
        assert score == pytest.approx(exact[row], rel=1e-5)
        assert score == pytest.approx(best, rel=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(ids, vectors, min_size=1, max_size=20), st.dictionaries(ids, vectors, max_size=4), st.randoms())
def test_e10_the_order_of_the_corpus_changes_nothing(
    corpus: dict[str, Vector], queries: dict[str, Vector], random: Random
) -> None:
    idf = np.ones(DIM, np.float32)
    doc_ids = sorted(corpus)
    straight = retrieve_all_queries(queries, encode_to_csr([corpus[doc] for doc in doc_ids], DIM), idf, doc_ids, 5)
    random.shuffle(doc_ids)
    mixed = retrieve_all_queries(queries, encode_to_csr([corpus[doc] for doc in doc_ids], DIM), idf, doc_ids, 5)
    assert straight == mixed
    assert list(straight) == list(queries)


def test_e10_doc_ids_of_any_script_break_ties_descending() -> None:
    doc_ids = ["Ä b", "я#0", "a", "中", " a"]
    matrix = encode_to_csr([{0: 1.0}] * 5, 1)
    found = retrieve_all_queries({"q": {0: 1.0}}, matrix, np.ones(1, np.float32), doc_ids, 4)
    assert [doc_id for doc_id, _ in found["q"]] == ["中", "я#0", "Ä b", "a"]
    with pytest.raises(InputError, match="doc ids of an index must ascend"):
        retrieve_all_queries({}, InvertedIndex.from_csr(matrix), np.ones(1, np.float32), doc_ids)
    with pytest.raises(InputError, match="4 doc ids for 5 documents"):
        retrieve_all_queries({}, matrix, np.ones(1, np.float32), doc_ids[:4])


@pytest.mark.parametrize("query", [{2: 1.0}, {-1: 1.0}, {0: math.inf}])
def test_a_query_of_another_model_is_refused(query: Vector) -> None:
    matrix, idf = encode_to_csr([{0: 1.0}], 2), np.ones(2, np.float32)
    for search in (retrieve_top_k, lambda *given: retrieve_batch([given[0]], *given[1:])):
        with pytest.raises(InputError, match="dimension is not in 0 to 1"):
            search(query, matrix, idf)
        with pytest.raises(InputError, match="3 IDF weights for 2 columns"):
            search({0: 1.0}, matrix, np.ones(3, np.float32))


def test_e16_no_dense_matrix_of_queries_by_documents_is_made() -> None:
    rng = np.random.default_rng(0)
    n_docs, n_queries = 40_000, 64
    corpus = [{int(dim): 1.0} for dim in rng.integers(0, DIM, n_docs)]
    queries = [{int(dim): 1.0, int(dim + 1) % DIM: 0.5} for dim in rng.integers(0, DIM, n_queries)]
    matrix = encode_to_csr(corpus, DIM)
    idf = compute_idf(matrix)
    index = InvertedIndex.from_csr(matrix, False)

    tracemalloc.start()
    scores = encode_to_csr(queries, DIM).dot(matrix.T).toarray()
    # The symptom: 4 bytes for each pair of a query and a document.
    assert tracemalloc.get_traced_memory()[1] > 4 * n_docs * n_queries
    del scores
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    found = retrieve_batch(queries, index, idf)
    used = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert len(found[0]) == 100
    assert used < 4 * n_docs * n_queries / 4

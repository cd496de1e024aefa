from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.index.coded import CodedVectors, Dots, coded_matrix, dots
from ragaliq.retrieve.index.exact import COMPILE_AFTER, ExactIndex

Vectors = NDArray[np.float32]
# Few different entries, so that ties are frequent.
ENTRIES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 0.1, 1e-7])


@st.composite
def problems(draw: st.DrawFn) -> tuple[Vectors, Vectors, int, int]:
    n, n_queries, width = draw(st.integers(0, 30)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = st.lists(ENTRIES, min_size=(n + n_queries) * width, max_size=(n + n_queries) * width)
    every = np.array(draw(cells), dtype=np.float32).reshape(n + n_queries, width)
    return every[:n], every[n:], draw(st.integers(0, n + 2)), draw(st.integers(1, 40))


def brute(matrix: Vectors, query: Vectors, k: int) -> list[tuple[int, float]]:
    """The definition: all inner products in double precision, rounded, sorted."""
    scores = [round(float(np.dot(row.astype(np.float64), query.astype(np.float64))), 6) for row in matrix]
    ranked = sorted(((score, doc) for doc, score in enumerate(scores) if score > 0), reverse=True)
    return [(doc, score) for score, doc in ranked[:k]]


def pairs(found: TopDocs) -> list[tuple[int, float]]:
    return [(int(doc), round(float(score), 6)) for doc, score in zip(found.docs, found.scores, strict=True)]


@settings(deadline=None, max_examples=60)
@given(problems())
def test_the_best_are_found_in_order_ties_by_the_greater_number(problem: tuple[Vectors, Vectors, int, int]) -> None:
    matrix, queries, k, products = problem
    found = ExactIndex(matrix).search_many(queries, k, products)
    assert [pairs(own) for own in found] == [brute(matrix, query, k) for query in queries]


@pytest.mark.parametrize("products", [2**21, 50_000, 1])
def test_a_query_finds_the_same_alone_and_among_others(products: int) -> None:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(3000, 64)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    # Texts that stand several times: their products differ by the place at which they stand, their scores do not.
    matrix[1000:2000] = matrix[:1000]
    index, queries = ExactIndex(matrix), matrix[500:800] + matrix[2000:2300]
    together = index.search_many(queries[: 300 if products > 1 else 2], 10, products)
    for own, query in zip(together, queries, strict=False):
        (alone,) = index.search_many(query[None], 10)
        assert np.array_equal(own.docs, alone.docs)
        assert np.array_equal(own.scores, alone.scores)
    assert [pairs(own) for own in together[:2]] == [brute(matrix, query, 10) for query in queries[:2]]


def numpy_dots(codes: NDArray[np.int8], steps: Vectors, query: Vectors, out: Vectors) -> None:
    out[:] = codes.astype(np.float32) @ query * steps


@pytest.mark.parametrize("way", [numpy_dots, dots])
@settings(deadline=None, max_examples=60)
@given(problem=problems())
def test_the_coded_vectors_leave_nothing_out(way: Dots, problem: tuple[Vectors, Vectors, int, int]) -> None:
    matrix, queries, k, _ = problem
    coded = CodedVectors(coded_matrix(matrix), way)
    for query in queries:
        assert {doc for doc, _ in brute(matrix, query, k)} <= set(coded.near(query, k).tolist()) or not k


def test_the_coded_vectors_leave_out_nearly_all() -> None:
    rng = np.random.default_rng(4)
    matrix, (query,) = rng.normal(size=(20_000, 96)).astype(np.float32), rng.normal(size=(1, 96)).astype(np.float32)
    near = CodedVectors(coded_matrix(matrix), numpy_dots).near(query, 10)
    assert {doc for doc, _ in brute(matrix, query, 10)} <= set(near.tolist())
    assert len(near) < 60


@pytest.mark.slow
@pytest.mark.numba
@settings(deadline=None)
@given(problems())
def test_compiled_searches_find_the_same(problem: tuple[Vectors, Vectors, int, int]) -> None:
    matrix, queries, k, products = problem
    compiled, plain = ExactIndex(matrix, compiled=True), ExactIndex(matrix, compiled=False)
    for query in queries:
        first, second = (index.search_many(query[None], k, products)[0] for index in (compiled, plain))
        assert pairs(first) == pairs(second)


@pytest.mark.slow
@pytest.mark.numba
def test_queries_that_come_alone_are_compiled_for_when_that_pays() -> None:
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(50_000, 100)).astype(np.float32)
    index, queries = ExactIndex(matrix), matrix[:1] + matrix[1:2]
    alone = COMPILE_AFTER // matrix.size
    found = [pairs(index.search_many(queries, 5)[0]) for _ in range(2)]
    index.search_many(np.repeat(queries, 200, axis=0), 5)
    assert index._coded is None
    for _ in range(alone):
        index.search_many(np.zeros_like(queries), 5)
    assert pairs(index.search_many(queries, 5)[0]) == found[0] == found[1]
    assert index._coded is not None


def test_rounding_decides_ties_at_the_cut() -> None:
    matrix = np.array([[0.5], [0.5 + 2e-7], [0.5 + 3e-7], [0.4]], dtype=np.float32)
    (found,) = ExactIndex(matrix).search_many(np.ones((1, 1), dtype=np.float32), 2)
    assert pairs(found) == [(2, 0.5), (1, 0.5)]
    (found,) = ExactIndex(matrix[::-1].copy()).search_many(np.ones((1, 1), dtype=np.float32), 2)
    assert pairs(found) == [(3, 0.5), (2, 0.5)]


def test_the_memory_does_not_grow_with_the_product_of_documents_and_queries() -> None:
    rng = np.random.default_rng(2)
    matrix, queries = (rng.normal(size=(n, 8)).astype(np.float32) for n in (20_000, 64))
    index = ExactIndex(matrix)
    peaks = []
    for products in (2**19, 2**16):
        tracemalloc.start()
        index.search_many(queries, 10, products)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # All products would take 64 · 20 000 · 4 bytes = 5 MB. A part stands there twice, and as bits.
    assert peaks[0] < 2**19 * (4 + 4 + 1) * 1.1
    assert peaks[1] < 2**16 * (4 + 4 + 1) * 1.5


def test_without_documents_queries_or_evidence_nothing_is_found() -> None:
    none = np.zeros((0, 3), dtype=np.float32)
    zeros = np.zeros((4, 3), dtype=np.float32)
    assert ExactIndex(zeros).search_many(none, 5) == []
    for matrix, query in (
        (none, np.ones((1, 3), dtype=np.float32)),
        (zeros, zeros[:1]),
        (-np.eye(3)[:1], np.eye(3)[:1]),
    ):
        (found,) = ExactIndex(matrix.astype(np.float32)).search_many(query.astype(np.float32), 5)
        assert len(found.docs) == len(found.scores) == 0

"""Sparse vectors of texts as a matrix in CSR form, their IDF, and exact search by the inner product.

The functions have the names and calls of the sparse-retrieval skill (docs/sources.md), and its scores bit for bit; they
never hold a matrix of queries by documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve.index.inverted import Found, InvertedIndex, SparseQuery

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Dimension → weight; what is not there is 0.
SparseVector = Mapping[int, float]
Idf = NDArray[np.float32]


def encode_to_csr(sparse_vecs: Sequence[SparseVector], sparse_dim: int) -> csr_matrix:
    """Return vectors as a float32 matrix with one row for each; an empty vector is an empty row.

    Args:
        sparse_vecs: the vectors.
        sparse_dim: number of columns, the size of the vocabulary.

    Raises:
        InputError: if a dimension is outside 0 to `sparse_dim` − 1, or a weight is no finite float32.
    """
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *map(len, sparse_vecs)], dtype=np.int64)
    dims = np.fromiter(chain.from_iterable(sparse_vecs), dtype=np.int64, count=ends[-1])
    weights = _float32(chain.from_iterable(vector.values() for vector in sparse_vecs), int(ends[-1]))
    wrong = np.flatnonzero((dims < 0) | (dims >= sparse_dim) | ~np.isfinite(weights))
    if len(wrong):
        place = wrong[0]
        raise InputError(
            f"sparse vector {np.searchsorted(ends, place, side='right') - 1}: dimension {dims[place]} with weight "
            f"{weights[place]}; dimensions are 0 to {sparse_dim - 1}, weights finite numbers"
        )
    matrix = csr_matrix((weights, dims, ends), shape=(len(sparse_vecs), sparse_dim))
    matrix.sort_indices()
    return matrix


def encode_corpus_batched(
    texts: Sequence[str],
    encode_fn: Callable[[list[str]], Sequence[SparseVector]],
    sparse_dim: int,
    batch_size: int = 512,
) -> csr_matrix:
    """Return the vectors of texts, encoded so many at a time; the last batch may be short, and no texts give no rows.

    Raises:
        InputError: if `encode_fn` returns another number of vectors than it got texts, or a wrong vector.
    """
    from scipy.sparse import vstack

    parts = [encode_to_csr([], sparse_dim)]
    for start in range(0, len(texts), batch_size):
        batch = list(texts[start : start + batch_size])
        vectors = encode_fn(batch)
        if len(vectors) != len(batch):
            raise InputError(f"sparse encoder: returned {len(vectors)} vectors for {len(batch)} texts; mend it")
        parts.append(encode_to_csr(vectors, sparse_dim))
    return vstack(parts, format="csr", dtype=np.float32)


def compute_idf(corpus_matrix: csr_matrix) -> Idf:
    """Return `ln(1 + (N − df + .5) / (df + .5))` of each column: always above 0, also where df is 0 or N.

    N is the number of rows, df the number of them that are not 0 in the column. Of no rows at all every column gets
    ln 2.
    """
    rows = corpus_matrix
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    held = rows.indices[rows.data != 0]
    df = np.bincount(held, minlength=rows.shape[1]).astype(np.float64)
    return np.asarray(np.log(1 + (rows.shape[0] - df + 0.5) / (df + 0.5)), dtype=np.float32)


def retrieve_top_k(
    query_vec: SparseVector, corpus_matrix: csr_matrix | InvertedIndex, idf: Idf, k: int = 100
) -> list[tuple[int, float]]:
    """Return `(row, score)` of the best documents for one query; see `retrieve_batch`.

    For more queries than one make an `InvertedIndex` of the matrix once and give that.
    """
    if isinstance(corpus_matrix, InvertedIndex):
        return retrieve_batch([query_vec], corpus_matrix, idf, k)[0]
    _check_idf(idf, corpus_matrix.shape[1])
    terms, weights = weighted_query(query_vec, idf)
    # The columns of the query alone: reading the matrix once is cheaper than turning all of it around.
    own = InvertedIndex.from_csr(corpus_matrix[:, terms])
    return _pairs(own.search(np.arange(len(terms)), weights, k))


def retrieve_all_queries(
    query_vecs: Mapping[str, SparseVector],
    corpus_matrix: csr_matrix | InvertedIndex,
    idf: Idf,
    doc_ids: Sequence[str],
    k: int = 100,
) -> dict[str, list[tuple[str, float]]]:
    """Return query id → `(doc id, score)` of the best documents, of equal scores the greater doc id first.

    Args:
        query_vecs: query id → vector.
        corpus_matrix: one row for each doc id; an index in its place needs the doc ids in ascending order.
        idf: weight of each column.
        doc_ids: the ids of the rows.
        k: at most so many for each query.

    Raises:
        InputError: if there is not one doc id for each row, or they do not ascend beside an index.
    """
    n_docs = corpus_matrix.n_docs if isinstance(corpus_matrix, InvertedIndex) else corpus_matrix.shape[0]
    if n_docs != len(doc_ids):
        raise InputError(f"sparse search: {len(doc_ids)} doc ids for {n_docs} documents; give one for each row")
    order = sorted(range(len(doc_ids)), key=doc_ids.__getitem__)
    if order != list(range(len(doc_ids))):
        if isinstance(corpus_matrix, InvertedIndex):
            raise InputError("sparse search: the doc ids of an index must ascend; sort the rows before it is built")
        corpus_matrix = corpus_matrix[order]
    found = retrieve_batch(list(query_vecs.values()), corpus_matrix, idf, k)
    return {
        query_id: [(doc_ids[order[row]], score) for row, score in pairs]
        for query_id, pairs in zip(query_vecs, found, strict=True)
    }


def retrieve_batch(
    query_vecs: Sequence[SparseVector], corpus_matrix: csr_matrix | InvertedIndex, idf: Idf, k: int = 100
) -> list[list[tuple[int, float]]]:
    """Return for each query `(row, score)` of its best documents.

    The score is `Σ query weight · idf · document weight` in float32, added up over ascending dimensions; only scores
    above 0 count, and of equal ones the greater row goes first. An empty vector finds nothing; `k` may be above the
    number of rows, and 0. A batch gives what its queries give one by one.

    Raises:
        InputError: if `idf` is not of the matrix, or a query has a dimension that it has not, or a weight that is no
            finite number.
    """
    index = corpus_matrix if isinstance(corpus_matrix, InvertedIndex) else InvertedIndex.from_csr(corpus_matrix)
    _check_idf(idf, index.n_terms)
    return [_pairs(found) for found in index.search_many([weighted_query(vector, idf) for vector in query_vecs], k)]


def weighted_query(vector: SparseVector, idf: Idf) -> SparseQuery:
    """Return the dimensions of a query, ascending, and their weights times `idf`.

    Raises:
        InputError: if `idf` lacks a dimension, or a weight is no finite number.
    """
    terms = np.fromiter(vector, dtype=np.int64, count=len(vector))
    weights = _float32(vector.values(), len(vector))
    if len(terms) and not (0 <= terms.min() <= terms.max() < len(idf) and np.isfinite(weights).all()):
        raise InputError(
            f"sparse query: a dimension is not in 0 to {len(idf) - 1}, or a weight no finite number; "
            "encode queries and documents with the same model"
        )
    order = np.argsort(terms)
    return terms[order], weights[order] * idf[terms[order]]


def _check_idf(idf: Idf, n_columns: int) -> None:
    if len(idf) != n_columns:
        raise InputError(
            f"sparse search: {len(idf)} IDF weights for {n_columns} columns; take those of the same corpus"
        )


def _float32(values: Iterable[float], count: int) -> NDArray[np.float32]:
    # What is too great for float32 becomes infinite, and is refused for that.
    with np.errstate(over="ignore"):
        return np.fromiter(values, dtype=np.float64, count=count).astype(np.float32)


def _pairs(found: Found) -> list[tuple[int, float]]:
    return list(zip(found.docs.tolist(), found.scores.tolist(), strict=True))

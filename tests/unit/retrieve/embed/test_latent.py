from __future__ import annotations

from math import log

import numpy as np
import pytest
from pytest import approx
from scipy.sparse import csr_matrix, random_array

from ragaliq.retrieve.embed.latent import fit_latent_space, tfidf_rows


def counts(rows: list[list[int]]) -> csr_matrix:
    return csr_matrix(np.array(rows, dtype=np.float32))


def test_weights_by_hand() -> None:
    found = tfidf_rows(counts([[1, 3, 0], [0, 0, 2], [0, 0, 0]]), np.array([2.0, 1.0, 5.0])).toarray()
    first = np.array([(1 + log(1)) * 2, (1 + log(3)) * 1, 0])
    assert found == approx(np.array([first / np.linalg.norm(first), [0, 0, 1], [0, 0, 0]]))


def test_all_directions_of_a_small_corpus_keep_its_cosines() -> None:
    corpus = counts([[1, 2, 0, 0], [0, 1, 1, 0], [0, 0, 3, 1]])
    space = fit_latent_space(corpus, 10)
    exact = tfidf_rows(corpus, space.idf).toarray()
    vectors = space.project(corpus)
    assert vectors.shape == (3, 3)
    assert vectors @ vectors.T == approx(exact @ exact.T, abs=1e-6)


def test_fewer_directions_are_those_of_the_singular_value_decomposition() -> None:
    corpus = random_array((300, 80), density=0.2, random_state=0, data_sampler=lambda size: np.ones(size))
    corpus = csr_matrix(corpus, dtype=np.float32)
    space = fit_latent_space(corpus, 4)
    matrix = tfidf_rows(corpus, space.idf).toarray()
    axes = np.linalg.svd(matrix, full_matrices=False)[2][:4].T
    expected = matrix @ axes
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = space.project(corpus)
    # Random counts have no few main directions, the hardest case: the greatest singular values lie close together.
    assert np.abs(found @ found.T - expected @ expected.T).mean() < 0.1
    # Two groups of texts that share nothing have two directions, found exactly.
    groups = counts([[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 2], [1, 2, 0, 0]])
    vectors = fit_latent_space(groups, 2).project(groups)
    assert np.round(np.abs(vectors @ vectors.T), 2).tolist() == [
        [1, 1, 0, 0, 1], [1, 1, 0, 0, 1], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [1, 1, 0, 0, 1],
    ]  # fmt: skip


def test_what_shares_no_known_term_is_a_zero_vector() -> None:
    corpus = counts([[1, 0, 0], [1, 1, 0]])
    space = fit_latent_space(corpus, 2)
    assert space.project(counts([[0, 0, 4], [0, 0, 0]])).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("rows", [[[1, 1], [1, 1]], [[0, 0], [1, 0]], [[0, 0]]])
def test_directions_that_are_not_there_are_left_out(rows: list[list[int]]) -> None:
    corpus = counts(rows)
    found = fit_latent_space(corpus, 8)
    assert found.dimension == np.linalg.matrix_rank(corpus.toarray())
    lengths = np.linalg.norm(found.project(corpus), axis=1)
    assert lengths == approx([1.0 if any(row) else 0.0 for row in rows])

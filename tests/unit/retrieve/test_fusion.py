from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.fusion import Fusion, fuse, reciprocal_ranks, shares_of_best

# Multiples of 2⁻⁴ above 0: sums are exact, ties are frequent.
FOUND = st.dictionaries(st.integers(0, 12), st.integers(1, 64).map(lambda n: n / 16), max_size=10)


def made(scores: dict[int, float]) -> TopDocs:
    """What a channel returns: best first, ties by the greater number."""
    ranked = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
    return TopDocs(np.array(ranked, dtype=np.int32), np.array([scores[doc] for doc in ranked], dtype=np.float32))


def pairs(found: TopDocs) -> list[tuple[int, float]]:
    return [(int(doc), float(score)) for doc, score in zip(found.docs, found.scores, strict=True)]


def test_the_normalised_sum_by_hand() -> None:
    words, vectors = made({0: 4.0, 1: 1.0}), made({1: 0.5, 0: 0.25, 7: 0.125})
    assert pairs(fuse([words, vectors], 10)) == [(0, 4 / 4 + 0.25 / 0.5), (1, 1 / 4 + 0.5 / 0.5), (7, 0.125 / 0.5)]
    assert pairs(fuse([words, vectors], 1)) == [(0, 1.5)]
    assert pairs(fuse([words], 10)) == [(0, 1), (1, 1 / 4)]


def test_reciprocal_ranks_by_hand() -> None:
    words, vectors = made({0: 4.0, 1: 1.0}), made({1: 0.5, 7: 0.125})
    found = pairs(fuse([words, vectors], 10, Fusion.RRF))
    assert [doc for doc, _ in found] == [1, 0, 7]
    assert [score for _, score in found] == approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62], abs=1e-6)
    assert reciprocal_ranks(words).tolist() == [1 / 61, 1 / 62]


@pytest.mark.parametrize("score", [1e-3, 0.3, 40.0])
def test_a_single_hit_is_worth_1(score: float) -> None:
    assert pairs(fuse([made({3: score}), made({})], 5)) == [(3, 1.0)]


def test_scores_of_0_or_less_are_no_evidence() -> None:
    below = TopDocs(np.array([5, 2, 9], dtype=np.int32), np.array([0.5, 0.0, -1.0], dtype=np.float32))
    assert pairs(fuse([below], 5)) == [(5, 1.0)]
    assert shares_of_best(TopDocs(below.docs[1:], below.scores[1:])).tolist() == [0, 0]


def test_scores_equal_to_six_digits_are_a_tie() -> None:
    near = TopDocs(np.array([1, 2, 3], dtype=np.int32), np.array([1.0, 1.0 - 1e-7, 0.5], dtype=np.float32))
    assert pairs(fuse([near], 5)) == [(2, 1), (1, 1), (3, 0.5)]


def test_nothing_found_is_nothing() -> None:
    assert pairs(fuse([made({}), made({})], 5)) == []
    assert pairs(fuse([made({1: 1.0})], 0)) == []


@given(st.lists(FOUND, min_size=1, max_size=3), st.sampled_from(Fusion))
def test_all_that_any_channel_found_is_there_in_order(rows: list[dict[int, float]], fusion: Fusion) -> None:
    found = pairs(fuse([made(row) for row in rows], 100, fusion))
    assert {doc for doc, _ in found} == {doc for row in rows for doc in row}
    assert found == sorted(found, key=lambda pair: (pair[1], pair[0]), reverse=True)
    assert all(0 < score <= len(rows) for _, score in found)
    if fusion is Fusion.NORMALISED_SUM:
        sums = {doc: sum(row.get(doc, 0) / max(row.values()) for row in rows if row) for doc, _ in found}
        assert [score for _, score in found] == approx([sums[doc] for doc, _ in found], abs=2e-6)


@given(st.lists(FOUND, min_size=1, max_size=3), st.sampled_from(Fusion), st.integers(0, 12), st.randoms())
def test_neither_the_order_of_channels_nor_a_silent_one_matters_and_top_k_cuts(
    rows: list[dict[int, float]], fusion: Fusion, top_k: int, random: Random
) -> None:
    def ranked(order: Sequence[dict[int, float]], k: int) -> list[tuple[int, float]]:
        return pairs(fuse([made(row) for row in order], k, fusion))

    whole = ranked(rows, 100)
    shuffled = [*rows, {}]
    random.shuffle(shuffled)
    assert ranked(shuffled, 100) == whole
    assert ranked(rows, top_k) == whole[:top_k]

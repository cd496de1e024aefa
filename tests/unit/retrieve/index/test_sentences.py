"""Passages by the mean of two cosines: with the whole, and with the nearest sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.retrieve import Side
from ragaliq.retrieve.index.sentences import CandidateSentences, SentenceChannel
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.passages import Passages
from ragaliq.types import Query

WORDS = ("boat", "sail", "rope")


class Axes:
    """An embedder with one axis a word, that keeps the passages it was asked for."""

    def __init__(self) -> None:
        self.passages: list[str] = []

    def __str__(self) -> str:
        return "axes"

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        if side is Side.PASSAGE:
            self.passages += texts
        counts = np.array([[word in text for word in WORDS] for text in texts], dtype=np.float32)
        return np.asarray(counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1), dtype=np.float32)


def passages(*texts: str) -> Passages:
    return Passages("en", [chunk(f"d{n}", text) for n, text in enumerate(texts)], True)


def channel(*texts: str, store: VectorStore | None = None) -> SentenceChannel:
    return SentenceChannel(passages(*texts), Axes(), store)


def docs(*numbers: int) -> NDArray[np.int32]:
    return np.array(numbers, dtype=np.int32)


def test_the_score_is_the_mean_of_passage_and_best_sentence() -> None:
    found = channel("A boat. A rope.", "A boat and a rope.", "A sail.")
    (best,) = found.search([Query("q1", "en", "boat")], 3)
    # The passage is 1/√2 from the query; the sentence of d0 is 1, that of d1 is its passage.
    assert best.docs.tolist() == [0, 1]
    assert best.scores.tolist() == pytest.approx([(1 / np.sqrt(2) + 1) / 2, 1 / np.sqrt(2)], abs=1e-6)


def test_a_passage_of_many_good_sentences_takes_no_other_ones_place() -> None:
    found = channel("A boat. " * 40, "A boat and a rope.", "A sail and a boat and a rope.")
    (best,) = found.search([Query("q1", "en", "boat")], 3)
    assert best.docs.tolist() == [0, 1, 2]


def test_a_passage_without_a_sentence_is_its_own_and_kept_vectors_find_the_same(tmp_path: Path) -> None:
    texts = ("…", "A boat. A rope.")
    query = Query("q1", "en", "rope")
    expected = [best.scores.tolist() for best in channel(*texts).search([query], 2)]
    for _ in range(2):
        found = channel(*texts, store=VectorStore(tmp_path, ""))
        assert [best.scores.tolist() for best in found.search([query], 2)] == expected
    assert len(expected[0]) == 1


TEXTS = ("A boat. A rope.", "A sail.", "A boat and a rope.", "…")


def test_a_candidate_is_embedded_when_it_first_is_one() -> None:
    embedder = Axes()
    candidates = CandidateSentences(passages(*TEXTS), embedder)
    (best,) = candidates.score([Query("q1", "en", "rope")], [docs(0, 1)])
    assert sorted(embedder.passages) == ["A boat.", "A boat. A rope.", "A rope.", "A sail.", "A sail."]
    assert best.docs.tolist() == [0]
    assert best.scores.tolist() == pytest.approx([(1 / np.sqrt(2) + 1) / 2], abs=1e-6)
    both = candidates.score([Query("q1", "en", "rope"), Query("q2", "en", "sail")], [docs(0, 2), docs(1, 3)])
    assert [best.docs.tolist() for best in both] == [[0, 2], [1]]
    assert len(embedder.passages) == 5 + 2 + 2


def test_all_passages_as_candidates_are_a_search_of_all() -> None:
    queries = [Query("q1", "en", "boat"), Query("q2", "en", "a sail and a rope")]
    everything = CandidateSentences(passages(*TEXTS), Axes()).score(queries, [docs(0, 1, 2, 3)] * 2)
    for searched, scored in zip(channel(*TEXTS).search(queries, 4), everything, strict=True):
        assert scored.docs.tolist() == searched.docs.tolist()
        assert scored.scores.tolist() == searched.scores.tolist()


def test_no_candidates_are_no_documents() -> None:
    (best,) = CandidateSentences(passages(*TEXTS), Axes()).score([Query("q1", "en", "boat")], [docs()])
    assert best.docs.tolist() == []

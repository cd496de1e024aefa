from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.errors import InputError
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.embed.rows import check_rows
from ragaliq.retrieve.hybrid import DenseRetriever, HybridRetriever
from ragaliq.types import Hit, Query

CHUNKS = [
    chunk("d1", "The boats sail at nine.", "en"),
    chunk("d2", "The kitchen is closed.", "en"),
    chunk("d1", "Das Boot fährt um neun.", "de"),
    chunk("d2", "Die Küche ist zu.", "de"),
    chunk("d1", "船九点开。", "zh"),
    chunk("d2", "厨房关门了。", "zh"),
]
QUERIES = [
    Query("q1", "en", "When does the boat sail?"),
    Query("q2", "en", "Is the kitchen open?"),
    Query("q3", "en", "When does the boat sail?"),
    Query("q1", "de", "Wann fährt das Boot?"),
    Query("q1", "zh", "船几点开？"),
]


class Recording:
    """The n-gram embedder, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Side, list[str]]] = []

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        self.asked.append((side, list(texts)))
        return CharNgramEmbedder(64).embed(texts, side)


@pytest.mark.parametrize("kind", [HybridRetriever, DenseRetriever])
def test_prepared_queries_find_the_same(kind: type[HybridRetriever] | type[DenseRetriever]) -> None:
    plain, prepared = kind(CharNgramEmbedder(64)), kind(CharNgramEmbedder(64))
    for retriever in (plain, prepared):
        retriever.index(CHUNKS)
    prepared.prepare(QUERIES)
    for query in QUERIES:
        assert prepared.retrieve(query, 10) == plain.retrieve(query, 10)


def test_a_language_is_one_call_and_a_question_that_stands_twice_one_text() -> None:
    embedder = Recording()
    retriever = HybridRetriever(embedder)
    retriever.index(CHUNKS)
    embedder.asked.clear()
    retriever.prepare([*QUERIES, Query("q1", "ru", "Когда уходит лодка?")])
    assert embedder.asked == [
        (Side.QUERY, ["Wann fährt das Boot?"]),
        (Side.QUERY, ["When does the boat sail?", "Is the kitchen open?"]),
        (Side.QUERY, ["船几点开？"]),
    ]
    retriever.prepare(QUERIES)
    for query in QUERIES:
        retriever.retrieve(query, 10)
    assert len(embedder.asked) == 3
    retriever.retrieve(Query("q9", "en", "Who is the captain?"), 10)
    assert embedder.asked[3:] == [(Side.QUERY, ["Who is the captain?"])]


def test_queries_of_a_batch_are_embedded_together() -> None:
    embedder = Recording()
    retriever = DenseRetriever(embedder)
    retriever.index(CHUNKS)
    embedder.asked.clear()
    retriever.prepare(QUERIES[:1])
    retriever.retrieve_batch(QUERIES[:3], 10)
    assert embedder.asked == [(Side.QUERY, ["When does the boat sail?"]), (Side.QUERY, ["Is the kitchen open?"])]


def test_without_a_folder_nothing_is_stored_and_the_order_of_chunks_is_that_of_ids() -> None:
    embedder = Recording()
    DenseRetriever(embedder).index(CHUNKS[1::-1])
    assert embedder.asked == [(Side.PASSAGE, ["The boats sail at nine.", "The kitchen is closed."])]


def test_a_new_corpus_forgets_what_was_prepared_for_the_old(tmp_path: Path) -> None:
    corpora = [CHUNKS[:2], [chunk("d3", "Boats boats boats.", "en"), chunk("d4", "A harbour.", "en")]]
    retriever, fresh = (HybridRetriever(CharNgramEmbedder(64), tmp_path) for _ in range(2))
    for corpus in corpora:
        retriever.index(corpus)
        retriever.prepare(QUERIES[:2])
    fresh.index(corpora[1])
    # The n-grams weigh by the corpus, so the old vectors would give other scores.
    assert retriever.retrieve(QUERIES[0], 10) == fresh.retrieve(QUERIES[0], 10)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ([[np.nan, 1.0]], "a number that is not finite"),
        ([[1.0], [2.0]], "one row for each"),
        ([1.0, 2.0], "one row for each"),
        ([[1.0], [2.0, 3.0]], "differ in length"),
        ([["one"]], "hold no numbers"),
    ],
)
def test_vectors_that_are_none_are_refused(made: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_rows(made, 1)


class Weighted:
    """A model of numbers: it names its class alone."""

    def __init__(self, seed: int) -> None:
        self.weights = np.random.default_rng(seed).normal(size=(256, 8))

    def __str__(self) -> str:
        return type(self).__name__

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        rows = np.array([np.sum(self.weights[list(text.encode())], axis=0) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


class Silent(Weighted):
    """A model with the `__repr__` of torch: layers without their weights."""

    __str__ = object.__str__

    def __repr__(self) -> str:
        return "Silent(256, 8)"


@dataclass
class Listed:
    """A data class shows the first and the last numbers of an array."""

    weights: NDArray[np.float64]
    embed = Weighted.embed


def listed(seed: int) -> Listed:
    weights = np.zeros((256, 8))
    weights[32:250] = Weighted(seed).weights[32:250]
    return Listed(weights)


@pytest.mark.parametrize("make", [Weighted, Silent, listed])
@pytest.mark.parametrize("kind", [HybridRetriever, DenseRetriever])
def test_two_models_of_one_class_never_share_what_is_kept(
    make: Callable[[int], Embedder], kind: type[HybridRetriever] | type[DenseRetriever], tmp_path: Path
) -> None:
    assert make is Weighted or repr(make(1)) == repr(make(2))

    def hits(seed: int, index_dir: Path | None) -> list[list[Hit]]:
        retriever = kind(make(seed), index_dir=index_dir)
        retriever.index(CHUNKS)
        return [retriever.retrieve(query, 2) for query in QUERIES]

    for seed in (1, 2, 1):
        assert hits(seed, tmp_path / "index") == hits(seed, None)
    kept = [path for path in (tmp_path / "index").glob("*") if path.is_dir()] if make is Weighted else []
    # Three languages of two models; what cannot be named is not kept.
    assert len(kept) == (6 if make is Weighted else 0)
    assert make is Weighted or not (tmp_path / "index").exists()

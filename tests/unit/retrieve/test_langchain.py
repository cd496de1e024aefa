from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from fakes import chunk
from ragaliq.components import adapt
from ragaliq.errors import InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.hybrid import DenseRetriever
from ragaliq.retrieve.langchain import LangChainEmbedder, VectorStoreRetriever
from ragaliq.types import Chunk, Query
from unit.retrieve.corpus import CHUNKS, CORPUS


class Letters(Embeddings):
    """Counts letters by their code, modulo 64; not of unit length. Remembers what it embedded."""

    def __init__(self) -> None:
        self.documents: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.documents += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        counts = [0.0] * 64
        for letter in text.lower():
            counts[ord(letter) % 64] += letter.isalpha()
        return counts


class Axes(Embeddings):
    """A vector for each word, by hand."""

    def __init__(self, **words: Sequence[float]) -> None:
        self.words = words

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return list(self.words[text])


class Changed(Letters):
    """Gives other passages' vectors than there are texts, or vectors that are none."""

    def __init__(self, change: Callable[[list[list[float]]], Any]) -> None:
        super().__init__()
        self.change = change

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = self.change(super().embed_documents(texts))
        return found


def asked(lang: str = "en", text: str = "") -> Query:
    return Query("q1", lang, text or CORPUS[lang][0])


def ids(retriever: VectorStoreRetriever, query: Query, top_k: int = 10) -> list[str]:
    return [hit.chunk.doc_id for hit in retriever.retrieve(query, top_k)]


def test_vectors_are_brought_to_unit_length() -> None:
    embedder = LangChainEmbedder(Axes(a=(3, 4), b=(0, 0), c=(0, -2)))
    for side in Side:
        found = embedder.embed(["a", "b", "c"], side)
        assert found.dtype == np.float32
        assert found.tolist() == [[np.float32(0.6), np.float32(0.8)], [0, 0], [0, -1]]
    assert len(embedder.embed([], Side.PASSAGE)) == 0


def test_passages_and_queries_go_their_own_ways() -> None:
    letters = Letters()
    LangChainEmbedder(letters).embed(["what?"], Side.QUERY)
    assert letters.documents == []
    LangChainEmbedder(letters).embed(["this"], Side.PASSAGE)
    assert letters.documents == ["this"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows[:-1], r"gave vectors of shape \(1, 64\) for 2 texts"),
        (lambda rows: rows[0], r"gave vectors of shape \(64,\) for 2 texts"),
        (lambda rows: [rows[0], rows[1][:5]], "differ in length or hold no numbers"),
        (lambda rows: [["a"], ["b"]], "differ in length or hold no numbers"),
        (lambda rows: [rows[0], [float("nan")] * 64], "a number that is not finite"),
    ],
)
def test_what_is_no_vector_for_each_text_is_an_input_error(change: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(InputError, match=f"embedder 'langchain:Changed': .*{words}"):
        LangChainEmbedder(Changed(change)).embed(["a", "b"], Side.PASSAGE)


@pytest.mark.parametrize("lang", CORPUS)
def test_embeddings_serve_the_dense_retriever(lang: str) -> None:
    retriever = DenseRetriever(adapt("embedder", Letters()))
    retriever.index(CHUNKS)
    assert retriever.retrieve(asked(lang), 1)[0].chunk == chunk("d1", CORPUS[lang][1], lang)


@pytest.mark.parametrize("lang", CORPUS)
def test_a_store_finds_in_the_language_of_the_query_alone(lang: str) -> None:
    retriever = adapt("retriever", InMemoryVectorStore(Letters()))
    assert isinstance(retriever, VectorStoreRetriever)
    retriever.index(CHUNKS)
    found = retriever.retrieve(asked(lang), 10)
    assert [hit.chunk for hit in found] == [chunk(f"d{i}", CORPUS[lang][i], lang) for i in (1, 2)]
    assert [(hit.score, hit.rank) for hit in found] == [(1, 1), (1 / 2, 2)]
    assert len(retriever.retrieve(asked(lang), 1)) == 1
    assert retriever.retrieve(asked(lang), 0) == []


def test_a_store_full_of_another_language_is_asked_for_more() -> None:
    retriever = VectorStoreRetriever(InMemoryVectorStore(Letters()))
    retriever.index([chunk(f"d{i}", "boat boat", "en") for i in range(200)])
    retriever.index([chunk("d1", "Das Boot ist rot.", "de"), chunk("d2", "xyz", "de")])
    assert ids(retriever, asked("de", "boat"), 2) == ["d1", "d2"]


def test_metadata_says_where_a_text_is_from_and_the_title_is_embedded() -> None:
    letters = Letters()
    store = InMemoryVectorStore(letters)
    VectorStoreRetriever(store).index([chunk("d1", "九点", "zh", title="船")])
    assert letters.documents == ["船\n九点"]
    (kept,) = store.similarity_search("船")
    assert {name: value for name, value in kept.metadata.items() if name != "ragaliq_key"} == {
        "doc_id": "d1",
        "lang": "zh",
        "source": "source.md",
        "title": "船",
    }


def test_a_new_corpus_replaces_that_of_its_language_alone_and_equal_chunks_stay() -> None:
    letters = Letters()
    store = InMemoryVectorStore(letters)
    retriever = VectorStoreRetriever(store)
    retriever.index(CHUNKS)
    before = len(letters.documents)
    retriever.index([CHUNKS[0], chunk("d2", "A new boat."), chunk("new", "Another boat.")])
    assert letters.documents[before:] == ["A new boat.", "Another boat."]
    assert sorted(ids(retriever, asked())) == ["d1", "d2", "new"]
    assert {hit.chunk.text for hit in retriever.retrieve(asked(), 10)} >= {"A new boat."}
    assert len(store.store) == len(CHUNKS) + 1, "the old d2 is deleted"
    assert ids(retriever, asked("zh")) == ["d1", "d2"]


def test_what_a_store_holds_already_is_not_added_and_what_is_not_ours_is_passed_over() -> None:
    letters = Letters()
    store = InMemoryVectorStore(letters)
    store.add_texts(["When does the boat sail? Somebody else knows."], [{"doc_id": "d1", "lang": "en"}])
    VectorStoreRetriever(store).index(CHUNKS[:2])
    before = len(letters.documents)
    again = VectorStoreRetriever(store)
    again.index(CHUNKS[:2])
    assert len(letters.documents) == before
    assert [hit.chunk for hit in again.retrieve(asked(), 10)] == CHUNKS[:2]


class NoDelete(InMemoryVectorStore):
    """Can neither delete nor look up."""

    def delete(self, ids: Sequence[str] | None = None, **kwargs: Any) -> None:
        raise NotImplementedError

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        raise NotImplementedError


def test_a_store_that_cannot_delete_never_returns_what_was_replaced() -> None:
    retriever = VectorStoreRetriever(NoDelete(Letters()))
    retriever.index([chunk("d1", "old boat"), chunk("d2", "boat")])
    retriever.index([chunk("d1", "new boat")])
    assert [hit.chunk.text for hit in retriever.retrieve(asked(), 5)] == ["new boat"]


WORDS = Axes(ask=(1, 0), near=(4, 3), far=(3, 4), against=(-1, 0))


def of(store: InMemoryVectorStore, texts: Sequence[str]) -> VectorStoreRetriever:
    retriever = VectorStoreRetriever(store)
    retriever.index([Chunk(f"d{i}", "en", text, "", 0, len(text)) for i, text in enumerate(texts, start=1)])
    return retriever


class Distances(InMemoryVectorStore):
    """Scores by distance, smaller is better; and can say how relevant that is."""

    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        return [(document, 1 - score) for document, score in super().similarity_search_with_score(query, k)]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda distance: 1 - distance


class Contradicting(Distances):
    """Takes its distances for relevance."""

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda distance: distance


class Untold(Distances):
    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        raise ValueError("no relevance for this metric")


class Unscored(InMemoryVectorStore):
    def similarity_search_with_score(self, query: str, k: int = 4, **kwargs: Any) -> list[tuple[Document, float]]:
        raise NotImplementedError

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in super().similarity_search_with_score(query, k)]


@pytest.mark.parametrize(
    ("kind", "scores"),
    [
        (Distances, [0.8, 0.6, -1]),
        (Contradicting, [1, 1 / 2, 1 / 3]),
        (Untold, [1, 1 / 2, 1 / 3]),
        (Unscored, [1, 1 / 2, 1 / 3]),
        (InMemoryVectorStore, [1, 1 / 2, 1 / 3]),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_greater_score_is_better_however_the_store_counts(
    kind: type[InMemoryVectorStore], scores: list[float]
) -> None:
    found = of(kind(WORDS), ["against", "near", "far"]).retrieve(asked("en", "ask"), 3)
    assert [hit.chunk.text for hit in found] == ["near", "far", "against"]
    assert [hit.score for hit in found] == scores


@pytest.mark.parametrize(
    ("kind", "scores"), [(Distances, [0.8, 0.8, 0.8, 0.6]), (InMemoryVectorStore, [1, 1, 1, 1 / 4])]
)
def test_ties_go_by_doc_id_descending(kind: type[InMemoryVectorStore], scores: list[float]) -> None:
    found = of(kind(WORDS), ["near", "far", "near", "near"]).retrieve(asked("en", "ask"), 4)
    assert [(hit.chunk.doc_id, hit.score) for hit in found] == list(zip(["d4", "d3", "d1", "d2"], scores, strict=True))


class Failing(Distances):
    fails = False

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        if self.fails:
            raise ValueError("the server is out of order")
        return super()._select_relevance_score_fn()


def test_an_error_of_a_way_that_worked_is_not_taken_for_its_absence() -> None:
    store = Failing(WORDS)
    retriever = of(store, ["near"])
    retriever.retrieve(asked("en", "ask"), 1)
    store.fails = True
    with pytest.raises(ValueError, match="out of order"):
        retriever.retrieve(asked("en", "ask"), 1)


def test_bad_input_is_told() -> None:
    retriever = VectorStoreRetriever(InMemoryVectorStore(Letters()))
    with pytest.raises(InputError, match="query 'q1': no corpus is indexed for 'en'"):
        retriever.retrieve(asked(), 5)
    with pytest.raises(InputError, match="doc id 'd1' occurs twice in 'en'"):
        retriever.index([CHUNKS[0], CHUNKS[0]])

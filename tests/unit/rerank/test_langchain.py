from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.documents import BaseDocumentCompressor, Document

from fakes import chunk, hits
from ragaliq.components import adapt
from ragaliq.errors import InputError
from ragaliq.rerank.langchain import CompressorReranker
from ragaliq.types import Hit, Query

Change = Callable[[Sequence[Document], str], Sequence[Document]]
TEXTS = {
    "en": ("boat", "The kitchen is closed.", "The boat leaves at nine.", "A boat."),
    "de": ("Boot", "Die Küche ist zu.", "Das Boot fährt um neun.", "Ein Boot."),
    "fr": ("bateau", "La cuisine est fermée.", "Le bateau part à neuf heures.", "Un bateau."),
    "es": ("barco", "La cocina cierra.", "El barco sale a las nueve.", "Un barco."),
    "ru": ("лодка", "Кухня закрыта.", "лодка уходит в девять.", "лодка."),
    "zh": ("船", "厨房关门了。", "船九点开。", "船。"),
}


class Compressor(BaseDocumentCompressor):
    """Does what it is told."""

    change: Any
    seen: Any = None

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        self.seen = list(documents)
        changed: Sequence[Document] = self.change(documents, query)
        return changed


class AsyncCompressor(Compressor):
    async def acompress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Any = None
    ) -> Sequence[Document]:
        return self.compress_documents(documents, query)


def reranked(change: Change, before: Sequence[Hit], query: str = "boat", lang: str = "en") -> list[Hit]:
    after = CompressorReranker(Compressor(change=change)).rerank(Query("q1", lang, query), before)
    assert isinstance(after, list)
    return after


def those_with_the_word(documents: Sequence[Document], query: str) -> list[Document]:
    return [document for document in reversed(documents) if query in document.page_content]


def scored(*scores: Any) -> Change:
    def change(documents: Sequence[Document], _: str) -> list[Document]:
        return [
            Document(page_content=document.page_content, metadata={**document.metadata, "relevance_score": score})
            for document, score in zip(documents, scores, strict=True)
        ]

    return change


@pytest.mark.parametrize("lang", TEXTS)
def test_order_and_choice_are_the_compressors(lang: str) -> None:
    query, *texts = TEXTS[lang]
    before = hits(*texts, lang=lang)
    after = reranked(those_with_the_word, before, query, lang)
    assert after == [Hit(before[2].chunk, 1, 1), Hit(before[1].chunk, 1 / 2, 2)]


def test_a_document_carries_text_and_origin() -> None:
    compressor = Compressor(change=lambda documents, query: [])
    given = Hit(chunk("d7", "九点", "zh", title="船"), 0.25, 1)
    assert CompressorReranker(compressor).rerank(Query("q1", "zh", "船"), [given]) == []
    assert compressor.seen == [
        Document(
            page_content="九点",
            metadata={"doc_id": "d7", "lang": "zh", "source": "source.md", "title": "船", "score": 0.25},
        )
    ]


def test_a_shortened_text_is_what_the_hit_shows() -> None:
    def first_words(documents: Sequence[Document], _: str) -> list[Document]:
        return [Document(page_content=d.page_content[:8], metadata=d.metadata) for d in documents]

    after = reranked(first_words, hits("The boat leaves.", "A boat."))
    assert [(hit.chunk.doc_id, hit.chunk.text) for hit in after] == [("d1", "The boat"), ("d2", "A boat.")]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.9, 0.5, 0.5), [0.9, 0.5, 0.5]),
        ((3, -1.5, -7), [3, -1.5, -7]),
        (("0.9", 0.8, 0.7), [0.9, 0.8, 0.7]),
        ((0.1, 0.5, 0.9), [1, 1 / 2, 1 / 3]),  # its order decides, not these
        ((0.9, 0.1, 0.5), [1, 1 / 2, 1 / 3]),
        ((float("inf"), 0.5, 0.5), [1, 1 / 2, 1 / 3]),
        ((0.9, None, 0.5), [1, 1 / 2, 1 / 3]),
        ((0.9, float("nan"), 0.5), [1, 1 / 2, 1 / 3]),
        ((0.9, 0.8, float("nan")), [1, 1 / 2, 1 / 3]),
    ],
)
def test_scores_are_the_compressors_where_they_descend(scores: tuple[Any, ...], expected: list[float]) -> None:
    after = reranked(scored(*scores), hits("a", "b", "c"))
    assert [hit.score for hit in after] == expected
    assert [hit.chunk.doc_id for hit in after] == ["d1", "d2", "d3"]


@pytest.mark.parametrize(
    ("change", "doc_id"),
    [
        (lambda documents, _: [documents[0], documents[0]], "'d1'"),
        (lambda documents, _: [Document(page_content="new", metadata={"doc_id": "x"})], "'x'"),
        (lambda documents, _: [Document(page_content="new")], "None"),
        (lambda documents, _: [Document(page_content="new", metadata={"doc_id": ["d1"]})], r"\['d1'\]"),
    ],
)
def test_what_was_not_given_or_comes_twice_is_an_input_error(change: Change, doc_id: str) -> None:
    with pytest.raises(InputError, match=f"reranker 'langchain:Compressor': returned a document with doc_id {doc_id}"):
        reranked(change, hits("a", "b"))


async def ended(after: Any) -> list[Hit]:
    found: list[Hit] = await after
    return found


def test_an_asynchronous_compressor_is_awaited_and_another_runs_at_once() -> None:
    import asyncio

    before = hits("a boat", "no", "boat")
    query = Query("q1", "en", "boat")
    coming = CompressorReranker(AsyncCompressor(change=those_with_the_word)).rerank(query, before)
    assert inspect.isawaitable(coming)
    at_once = CompressorReranker(Compressor(change=those_with_the_word)).rerank(query, before)
    assert asyncio.run(ended(coming)) == at_once
    assert isinstance(at_once, list)
    assert [hit.chunk.doc_id for hit in at_once] == ["d3", "d1"]


def test_no_hits_need_no_compressor() -> None:
    assert reranked(lambda documents, _: 1 / 0, []) == []  # type: ignore[arg-type,return-value]


def test_a_compressor_is_taken_as_a_reranker() -> None:
    assert isinstance(adapt("reranker", Compressor(change=those_with_the_word)), CompressorReranker)

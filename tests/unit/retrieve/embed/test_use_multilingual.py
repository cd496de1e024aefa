"""The sentence encoder as an embedder, and the hybrid in languages that it knows and does not know."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from fakes import chunk
from ragaliq.errors import ConfigError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.use_multilingual import UseMultilingualEmbedder
from ragaliq.retrieve.hybrid import DenseRetriever, HybridRetriever
from ragaliq.types import Query
from unit.retrieve.corpus import CHUNKS, CORPUS

GREEK = [chunk("d1", "Το πλοίο φεύγει στις εννέα.", "el"), chunk("d2", "Η κουζίνα είναι κλειστή.", "el")]


class Deaf(UseMultilingualEmbedder):
    """An embedder that must not be asked."""

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        raise AssertionError(texts)


def test_queries_and_passages_are_embedded_alike() -> None:
    embedder = UseMultilingualEmbedder()
    query, passage = (embedder.embed(["Das Boot fährt um neun."], side) for side in Side)
    assert np.array_equal(query, passage)
    assert str(embedder) == "use-multilingual-v3"


def test_a_question_finds_the_passage_in_every_other_language() -> None:
    retriever = HybridRetriever(UseMultilingualEmbedder())
    retriever.index(CHUNKS)
    queries = [Query("q", lang, CORPUS[lang][0]).to_documents_in(other) for lang, other in permutations(CORPUS, 2)]
    found = retriever.retrieve_batch(queries, 2)
    assert len(found) == 30
    assert {hits[0].chunk.doc_id for hits in found} == {"d1"}
    assert found[7] == retriever.retrieve(queries[7], 2)


def test_without_words_in_common_meaning_decides_among_what_characters_find() -> None:
    retriever = HybridRetriever(UseMultilingualEmbedder())
    texts = ["Dogs must be kept on a lead here.", "The kitchen here is opened at noon."]
    retriever.index([chunk(f"d{number}", text) for number, text in enumerate(texts)])
    assert retriever.retrieve(Query("q1", "en", "May pets walk around freely here?"), 2)[0].chunk.doc_id == "d0"


def test_in_a_language_it_does_not_know_its_channel_is_off() -> None:
    query = Query("q1", "el", "Πότε φεύγει το πλοίο;")
    retriever, plain = HybridRetriever(Deaf()), HybridRetriever(Deaf(), channels=["words", "chars"])
    for each in (retriever, plain):
        each.index(GREEK)
    assert retriever.retrieve(query, 2) == plain.retrieve(query, 2)
    assert retriever.retrieve(query, 2)[0].chunk.doc_id == "d1"
    # Asked from such a language, the documents' own channels search.
    retriever.index([chunk("d1", "RX-7 boat", "en")])
    foreign = HybridRetriever(UseMultilingualEmbedder())
    foreign.index([chunk("d1", "RX-7 boat", "en")])
    assert [hit.chunk.doc_id for hit in foreign.retrieve(Query("q2", "el", "RX-7;").to_documents_in("en"), 1)] == ["d1"]


def test_alone_in_a_language_that_it_does_not_know_it_is_refused() -> None:
    for retriever in (DenseRetriever(Deaf()), HybridRetriever(Deaf(), channels=["vectors"])):
        with pytest.raises(ConfigError, match="embedder 'use-multilingual-v3': not trained on 'el'; take char-ngrams"):
            retriever.index(GREEK)


def test_words_and_characters_name_the_passages_that_are_embedded() -> None:
    class Listening(UseMultilingualEmbedder):
        def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
            embedded.extend(texts)
            return super().embed(texts, side)

    embedded: list[str] = []
    retriever = HybridRetriever(Listening())
    retriever.index([chunk("a", "red boats"), chunk("b", "xyzzy")])
    assert embedded == []
    retriever.retrieve(Query("q1", "en", "boat"), 5)
    assert set(embedded) == {"boat", "red boats"}

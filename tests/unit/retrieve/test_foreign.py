from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from fakes import chunk
from ragaliq.errors import InputError
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.foreign import RetrieverChannel
from ragaliq.retrieve.hybrid import HybridRetriever
from ragaliq.retrieve.passages import Passages
from ragaliq.types import Chunk, Hit, Query

CHUNKS = [
    chunk("d1", "Лодка уходит.", "ru"),
    chunk("d2", "Лодка красная.", "ru", title="Новая"),
    chunk("d3", "Суп", "ru"),
]


class Newest:
    """A signal beside the text: newer chunks first, whatever is asked."""

    def __init__(self) -> None:
        self.chunks: Sequence[Chunk] = ()

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        return [Hit(found, float(found.doc_id[1:]), rank) for rank, found in enumerate(self.chunks, start=1)]


class Given(Newest):
    """Returns the scores that it was given, and counts its calls."""

    def __init__(self, *scores: float) -> None:
        super().__init__()
        self.scores, self.calls = scores, 0

    def retrieve_batch(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        self.calls += 1
        hits = [Hit(found, score, 1) for found, score in zip(self.chunks, self.scores, strict=False)]
        return [hits for _ in queries]


def pairs(channel: RetrieverChannel, k: int) -> list[tuple[int, float]]:
    (found,) = channel.search([Query("q1", "ru", "лодка")], k)
    return list(zip(found.docs.tolist(), found.scores.tolist(), strict=True))


def test_what_is_unsorted_is_sorted_before_it_is_cut() -> None:
    assert pairs(RetrieverChannel(Given(0.25, 2.0, 0.25), Passages("ru", CHUNKS)), 2) == [(1, 2.0), (2, 0.25)]
    assert pairs(RetrieverChannel(Given(-1, 0, 3), Passages("ru", CHUNKS)), 5) == [(2, 3.0)]


def test_many_queries_are_one_call_where_there_is_one() -> None:
    retriever = Given(1, 2)
    channel = RetrieverChannel(retriever, Passages("ru", CHUNKS))
    found = channel.search([Query(f"q{number}", "ru", "лодка") for number in range(3)], 1)
    assert [own.docs.tolist() for own in found] == [[1]] * 3
    assert retriever.calls == 1


def test_titles_go_with_the_chunks_or_not() -> None:
    retriever = Newest()
    RetrieverChannel(retriever, Passages("ru", CHUNKS))
    assert retriever.chunks == CHUNKS
    RetrieverChannel(retriever, Passages("ru", CHUNKS, title=False))
    assert [found.title for found in retriever.chunks] == ["", "", ""]


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_scores_that_are_none_and_strange_chunks_are_refused(score: float) -> None:
    with pytest.raises(InputError, match="query 'q1': a channel's retriever returned a score that is not finite"):
        pairs(RetrieverChannel(Given(1, score), Passages("ru", CHUNKS)), 2)
    retriever = Given(1)
    channel = RetrieverChannel(retriever, Passages("ru", CHUNKS))
    retriever.chunks = [CHUNKS[0]] * 2
    retriever.scores = (2, 1)
    with pytest.raises(InputError, match="returned a chunk twice; fix it"):
        pairs(channel, 2)
    retriever.chunks = [chunk("d9", "Чужое", "ru")]
    with pytest.raises(InputError, match="returned 'd9', which is no chunk of this corpus"):
        pairs(channel, 2)


def test_an_extra_channel_moves_the_ranking_and_the_chunk_keeps_its_title() -> None:
    plain = HybridRetriever(CharNgramEmbedder())
    extra = HybridRetriever(
        CharNgramEmbedder(), channels=["words", f"python:{__name__}:Newest", {"kind": "bm25", "b": 0.75}], title=False
    )
    query = Query("q1", "ru", "Когда уходит лодка?")
    for retriever in (plain, extra):
        retriever.index(CHUNKS)
    assert [hit.chunk.doc_id for hit in plain.retrieve(query, 5)] == ["d1", "d2"]
    found = extra.retrieve(query, 5)
    assert {hit.chunk.doc_id for hit in found} == {"d1", "d2", "d3"}
    scores = {hit.chunk.doc_id: hit.score for hit in found}
    # By the newest: d3 is worth 1, d2 2/3, d1 1/3; the two channels of words give d1 1 each.
    assert scores["d3"] == 1
    assert scores["d1"] == pytest.approx(2 + 1 / 3, abs=1e-6)
    assert next(hit for hit in found if hit.chunk.doc_id == "d2").chunk.title == "Новая"
    assert np.isfinite(list(scores.values())).all()

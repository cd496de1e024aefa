"""Hybrid retrieval: a word channel and a vector channel, fused by their normalised sum."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError, InputError, nearest
from ragaliq.retrieve import Embedder
from ragaliq.retrieve.approximate import ApproximateChannel
from ragaliq.retrieve.bm25 import Bm25Channel
from ragaliq.retrieve.passages import by_language, passage
from ragaliq.retrieve.store import VectorStore
from ragaliq.retrieve.vectors import VectorChannel
from ragaliq.types import Chunk, Hit, Query

Scores = NDArray[np.float64]
# How many of a channel's best texts keep their score; what only the tail of a channel knows is noise.
DEPTH = 200
# Float sums differ in the last digits between machines; equal to six digits is a tie.
DIGITS = 6
SEARCHES = ("exact", "approximate")


class Channel(Protocol):
    """Something that scores every text of a corpus for a query."""

    def scores(self, text: str) -> Scores:
        """Return one score for each text; greater is better, 0 or less is no evidence."""
        ...


class HybridRetriever:
    """Scores chunks by words and by vectors; title and text of a chunk are indexed together."""

    words = True
    vectors = True

    def __init__(
        self, embedder: Embedder, index_dir: Path | None = None, server: str = "", search: str = "exact"
    ) -> None:
        """Take the parts; nothing is opened yet.

        Args:
            embedder: makes the vectors.
            index_dir: where they are kept; None keeps them in memory.
            server: address of a Chroma server that keeps them instead, such as `http://127.0.0.1:8000`.
            search: `exact`, or `approximate` by Chroma's index: then only the texts that it finds have a vector score,
                and what share of the best they are is told once for each language.

        Raises:
            ConfigError: if `server` is no address, or `search` unknown.
        """
        if search not in SEARCHES:
            raise ConfigError(f"retriever: unknown search '{search}'; {nearest(search, SEARCHES)}")
        self._embedder = embedder
        self._store = VectorStore(index_dir, server)
        self._approximate = search == "approximate"
        self._chunks: dict[str, list[Chunk]] = {}
        self._channels: dict[str, list[Channel]] = {}

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Build the channels of each language in `chunks`."""
        for lang, own in by_language(chunks).items():
            texts = [passage(chunk) for chunk in own]
            channels: list[Channel] = []
            if self.words:
                channels.append(Bm25Channel(texts, lang))
            if self.vectors:
                channels.append(self._vector_channel(texts, [chunk.doc_id for chunk in own]))
            self._chunks[lang], self._channels[lang] = own, channels

    def _vector_channel(self, texts: Sequence[str], doc_ids: Sequence[str]) -> VectorChannel | ApproximateChannel:
        if self._approximate:
            return ApproximateChannel(texts, doc_ids, self._embedder, self._store, DEPTH)
        return VectorChannel(texts, doc_ids, self._embedder, self._store)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead, each language at once; `retrieve` then finds the same, faster."""
        for lang in sorted({query.lang for query in queries} & self._channels.keys()):
            texts = [query.text for query in queries if query.lang == lang]
            for channel in self._channels[lang]:
                if isinstance(channel, VectorChannel | ApproximateChannel):
                    channel.prepare(texts)

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return the best chunks; a chunk that no channel has evidence for is never returned."""
        if query.lang not in self._chunks:
            raise InputError(f"query '{query.query_id}': no corpus is indexed for '{query.lang}'")
        chunks = self._chunks[query.lang]
        for channel in self._channels[query.lang]:
            if isinstance(channel, ApproximateChannel) and top_k > 0:
                channel.tell_recall(query.lang, min(top_k, DEPTH, len(chunks)))
        fused = normalised_sum([channel.scores(query.text) for channel in self._channels[query.lang]])
        ranked = sorted((index for index in range(len(chunks)) if fused[index] > 0), key=lambda i: chunks[i].doc_id)
        ranked.sort(key=lambda i: fused[i])
        best = ranked[::-1][:top_k]
        return [Hit(chunks[index], float(fused[index]), rank) for rank, index in enumerate(best, start=1)]


class Bm25Retriever(HybridRetriever):
    """The word channel alone."""

    vectors = False

    def __init__(self, embedder: Embedder, index_dir: Path | None = None) -> None:
        """Take the parts, though no vector is made: where they would be kept is no option."""
        super().__init__(embedder, index_dir)


class DenseRetriever(HybridRetriever):
    """The vector channel alone."""

    words = False


def normalised_sum(channels: Sequence[Scores], depth: int = DEPTH) -> Scores:
    """Return the sum of each channel's scores divided by its greatest.

    Negative scores count 0, and so does what is not among a channel's `depth` best (ties at the cut: all stay). A
    channel without evidence adds nothing. A single hit is worth 1, not 0 as under min-max normalisation.
    """
    total = np.zeros_like(channels[0])
    for raw in channels:
        scores = np.round(np.maximum(raw, 0.0), DIGITS)
        if len(scores) > depth:
            scores[scores < np.partition(scores, -depth)[-depth]] = 0.0
        if scores.max(initial=0.0) > 0:
            total = total + scores / scores.max()
    return np.round(total, DIGITS)

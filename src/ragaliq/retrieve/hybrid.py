"""Hybrid retrieval: a word channel and a vector channel, fused by their normalised sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve import Embedder
from ragaliq.retrieve.bm25 import Bm25Channel
from ragaliq.retrieve.store import VectorStore
from ragaliq.retrieve.vectors import VectorChannel
from ragaliq.types import Chunk, Hit, Query

Scores = NDArray[np.float64]
# How many of a channel's best texts keep their score; what only the tail of a channel knows is noise.
DEPTH = 200
# Float sums differ in the last digits between machines; equal to six digits is a tie.
DIGITS = 6


class Channel(Protocol):
    """Something that scores every text of a corpus for a query."""

    def scores(self, text: str) -> Scores:
        """Return one score for each text; greater is better, 0 or less is no evidence."""
        ...


class HybridRetriever:
    """Scores chunks by words and by vectors; title and text of a chunk are indexed together."""

    words = True
    vectors = True

    def __init__(self, embedder: Embedder, index_dir: Path | None = None) -> None:
        self._embedder = embedder
        self._store = VectorStore(index_dir)
        self._chunks: dict[str, list[Chunk]] = {}
        self._channels: dict[str, list[Channel]] = {}

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Build the channels of each language in `chunks`."""
        for lang in sorted({chunk.lang for chunk in chunks}):
            own = [chunk for chunk in chunks if chunk.lang == lang]
            twice = [doc_id for doc_id, count in Counter(chunk.doc_id for chunk in own).items() if count > 1]
            if twice:
                raise InputError(f"index: doc id '{twice[0]}' stands twice in '{lang}'; ids must be unique")
            texts = [f"{chunk.title}\n{chunk.text}" if chunk.title else chunk.text for chunk in own]
            channels: list[Channel] = []
            if self.words:
                channels.append(Bm25Channel(texts, lang))
            if self.vectors:
                doc_ids = [chunk.doc_id for chunk in own]
                channels.append(VectorChannel(texts, doc_ids, self._embedder, self._store))
            self._chunks[lang], self._channels[lang] = own, channels

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return the best chunks; a chunk that no channel has evidence for is never returned."""
        if query.lang not in self._chunks:
            raise InputError(f"query '{query.query_id}': no corpus is indexed for '{query.lang}'")
        chunks = self._chunks[query.lang]
        fused = normalised_sum([channel.scores(query.text) for channel in self._channels[query.lang]])
        ranked = sorted((index for index in range(len(chunks)) if fused[index] > 0), key=lambda i: chunks[i].doc_id)
        ranked.sort(key=lambda i: fused[i])
        best = ranked[::-1][:top_k]
        return [Hit(chunks[index], float(fused[index]), rank) for rank, index in enumerate(best, start=1)]


class Bm25Retriever(HybridRetriever):
    """The word channel alone."""

    vectors = False


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

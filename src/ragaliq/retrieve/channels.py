"""A retriever over channels: languages kept apart, queries in batches, numbers of passages made hits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ragaliq.errors import InputError
from ragaliq.retrieve import Channel, TopDocs
from ragaliq.retrieve.passages import Passages, by_language
from ragaliq.retrieve.ranking import DIGITS
from ragaliq.retrieve.stored.index import StoredCorpus
from ragaliq.types import Chunk, Hit, Query


class ChannelRetriever(ABC):
    """Searches the channels of each language's corpus, and makes hits of what they find."""

    title = True

    def __init__(self) -> None:
        self._chunks: dict[str, Sequence[Chunk]] = {}
        self._channels: dict[str, list[Channel]] = {}

    @abstractmethod
    def _open(self, passages: Passages) -> list[Channel]:
        """Build the channels of a corpus."""

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Build the channels of each language in `chunks`; of a corpus on disk, open those of its index."""
        if isinstance(chunks, StoredCorpus):
            self._channels[chunks.lang] = self._open(chunks.passages(self.title))
            self._chunks[chunks.lang] = chunks
            return
        for lang, lang_chunks in by_language(chunks).items():
            passages = Passages(lang, lang_chunks, self.title)
            self._channels[lang] = self._open(passages)
            self._chunks[lang] = passages.chunks

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead, each language at once; `retrieve` then finds the same, faster."""
        for lang in sorted({query.lang for query in queries} & self._channels.keys()):
            for channel in self._channels[lang]:
                ahead = getattr(channel, "prepare", None)
                if callable(ahead):
                    ahead([query for query in queries if query.lang == lang])

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return the best chunks; a chunk that no channel has evidence for is never returned."""
        return self.retrieve_batch([query], top_k)[0]

    def retrieve_batch(self, queries: Sequence[Query], top_k: int) -> list[list[Hit]]:
        """Return what `retrieve` returns for each query; many at once are faster.

        Raises:
            InputError: if a query's language is not indexed.
        """
        hits: list[list[Hit]] = [[] for _ in queries]
        for lang in dict.fromkeys(query.lang for query in queries):
            places = [place for place, query in enumerate(queries) if query.lang == lang]
            group = [queries[place] for place in places]
            if lang not in self._chunks:
                raise InputError(f"query '{group[0].query_id}': no corpus is indexed for '{lang}'")
            chunks = self._chunks[lang]
            for place, best in zip(places, self._search(self._channels[lang], group, max(top_k, 0)), strict=True):
                hits[place] = _hits(best, chunks)
        return hits

    def _search(self, channels: Sequence[Channel], queries: Sequence[Query], top_k: int) -> list[TopDocs]:
        """Return what one channel finds as it is, with that channel's scores."""
        (only,) = channels
        return only.search(queries, top_k)


def _hits(best: TopDocs, chunks: Sequence[Chunk]) -> list[Hit]:
    scores = np.round(best.scores.astype(np.float64), DIGITS).tolist()
    return list(map(Hit, map(chunks.__getitem__, best.docs.tolist()), scores, range(1, len(scores) + 1)))

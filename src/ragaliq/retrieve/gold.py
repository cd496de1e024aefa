"""The oracle: returns the documents that answer a query; a reader's result with them is the ceiling of retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from ragaliq.types import Chunk, Hit, Query

# Language of the corpus and query id → an AND of ORs over doc ids.
GoldByQuery = Mapping[tuple[str, str], Sequence[Sequence[str]]]


class GoldRetriever:
    """Returns a query's gold: the first member of each group, then the second of each, and so on.

    It is not a system under test. Queries have no gold, so only this retriever gets it, by its constructor. For a query
    without gold, such as an unanswerable one, it finds nothing.
    """

    def __init__(self, gold: GoldByQuery) -> None:
        self._gold = gold
        self._chunks: dict[str, dict[str, Chunk]] = {}

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Take a corpus; chunks of a language replace that language's earlier ones."""
        by_lang: dict[str, dict[str, Chunk]] = {}
        for chunk in chunks:
            by_lang.setdefault(chunk.lang, {})[chunk.doc_id] = chunk
        self._chunks.update(by_lang)

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return at most `top_k` of the gold chunks that the corpus holds; the score at rank r is 1 / r."""
        chunks = self._chunks.get(query.lang, {})
        by_place = chain.from_iterable(zip_longest(*self._gold.get((query.lang, query.query_id), ())))
        doc_ids = dict.fromkeys(doc_id for doc_id in by_place if doc_id in chunks)
        return [Hit(chunks[doc_id], 1.0 / rank, rank) for rank, doc_id in enumerate(list(doc_ids)[:top_k], start=1)]

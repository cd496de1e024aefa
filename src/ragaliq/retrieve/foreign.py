"""Any retriever as one channel of the hybrid: a learned sparse one, a vector store, or a user's own signal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragaliq.errors import InputError
from ragaliq.retrieve import Retriever, TopDocs
from ragaliq.retrieve.passages import Passages
from ragaliq.types import Hit, Query


class RetrieverChannel:
    """What a retriever finds in one language, sorted again: score descending, then doc id descending."""

    def __init__(self, retriever: Retriever, passages: Passages) -> None:
        chunks = passages.chunks if passages.title else [replace(chunk, title="") for chunk in passages.chunks]
        retriever.index(chunks)
        self._retriever = retriever
        self._numbers = {doc_id: number for number, doc_id in enumerate(passages.doc_ids)}

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` best chunks, those of a score above 0 alone: others are no evidence.

        Raises:
            InputError: if the retriever returns what is not in the corpus, or a score that is not finite.
        """
        together = getattr(self._retriever, "retrieve_batch", None)
        if callable(together):
            return [self._found(query, hits, k) for query, hits in zip(queries, together(queries, k), strict=True)]
        return [self._found(query, self._retriever.retrieve(query, k), k) for query in queries]

    def _found(self, query: Query, hits: Sequence[Hit], k: int) -> TopDocs:
        foreign = [hit.chunk.doc_id for hit in hits if hit.chunk.doc_id not in self._numbers]
        scores = np.array([hit.score for hit in hits], dtype=np.float64)
        if foreign or not np.isfinite(scores).all():
            wrong = f"'{foreign[0]}', which is no chunk of this corpus" if foreign else "a score that is not finite"
            raise InputError(f"query '{query.query_id}': a channel's retriever returned {wrong}; mend it")
        docs = np.array([self._numbers[hit.chunk.doc_id] for hit in hits], dtype=np.int32)
        order = np.lexsort((docs, scores))[::-1]
        order = order[scores[order] > 0][: max(k, 0)]
        return TopDocs(docs[order], scores[order].astype(np.float32))

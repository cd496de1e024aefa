"""Any retriever as one channel of the hybrid: a learned sparse one, a vector store, or a user's own signal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ragaliq.errors import InputError
from ragaliq.retrieve import Retriever, TopDocs
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.ranking import top_docs
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
            InputError: if the retriever returns a chunk twice or of another corpus, or a score that is not finite.
        """
        together = getattr(self._retriever, "retrieve_batch", None)
        if callable(together):
            return [self._found(query, hits, k) for query, hits in zip(queries, together(queries, k), strict=True)]
        return [self._found(query, self._retriever.retrieve(query, k), k) for query in queries]

    def _found(self, query: Query, hits: Sequence[Hit], k: int) -> TopDocs:
        scores = {hit.chunk.doc_id: hit.score for hit in hits}
        foreign = next((doc_id for doc_id in scores if doc_id not in self._numbers), None)
        wrong = ""
        if foreign is not None:
            wrong = f"'{foreign}', which is no chunk of this corpus"
        elif len(scores) < len(hits):
            wrong = "a chunk twice"
        elif not np.isfinite(list(scores.values())).all():
            wrong = "a score that is not finite"
        if wrong:
            raise InputError(f"query '{query.query_id}': a channel's retriever returned {wrong}; fix it")
        docs = np.array([self._numbers[doc_id] for doc_id in scores], dtype=np.int32)
        return top_docs(docs, np.array(list(scores.values()), dtype=np.float64), k)

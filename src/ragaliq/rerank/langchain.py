"""Any document compressor of LangChain as reranker."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragaliq.errors import InputError
from ragaliq.rerank import ranked
from ragaliq.types import Hit, Query

if TYPE_CHECKING:
    from langchain_core.documents import BaseDocumentCompressor, Document


class CompressorReranker:
    """Gives hits to a compressor as documents, and takes what it returns, in its order.

    A document holds the chunk's text, and in `metadata` its `doc_id`, `lang`, `source`, `title` and `score`. The
    compressor may leave documents out, order them, and shorten their texts; then the hit shows the shorter text. It
    may not return a document twice, or one without the `doc_id` of a hit.
    """

    # A run on disk knows rankings by doc id alone, so these are made again when it goes on.
    alters_texts = True

    def __init__(self, compressor: BaseDocumentCompressor) -> None:
        self._compressor = compressor

    def __str__(self) -> str:
        """Name the compressor's class."""
        return f"langchain:{type(self._compressor).__name__}"

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit] | Awaitable[list[Hit]]:
        """Return the compressor's choice; a coroutine if the compressor brings its own asynchronous method.

        Scores are the `relevance_score` of the documents' metadata if all have one and they descend, else 1/rank.

        Raises:
            InputError: if the compressor returns what no hit is.
        """
        if not hits:
            return []
        from langchain_core.documents import BaseDocumentCompressor

        method = getattr(type(self._compressor), "acompress_documents", None)
        # The inherited method runs the synchronous one in a thread; local models are not made for several threads.
        if method is not None and method is not BaseDocumentCompressor.acompress_documents:
            return self._arerank(query, hits)
        return self._hits(hits, self._compressor.compress_documents(_documents(hits), query.text))

    async def _arerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        return self._hits(hits, await self._compressor.acompress_documents(_documents(hits), query.text))

    def _hits(self, hits: Sequence[Hit], documents: Sequence[Document]) -> list[Hit]:
        left = {hit.chunk.doc_id: hit for hit in hits}
        chosen = []
        for document in documents:
            doc_id = document.metadata.get("doc_id")
            hit = left.pop(doc_id, None) if isinstance(doc_id, str) else None
            if hit is None:
                raise InputError(
                    f"reranker '{self}': returned a document with doc_id {doc_id!r}, which it was not given or has "
                    "returned before; a compressor keeps the metadata and returns a document at most once"
                )
            chosen.append(replace(hit, chunk=replace(hit.chunk, text=document.page_content)))
        return ranked(zip(chosen, _scores(documents), strict=True))


def _documents(hits: Sequence[Hit]) -> list[Document]:
    from langchain_core.documents import Document

    return [
        Document(
            page_content=hit.chunk.text,
            metadata={
                "doc_id": hit.chunk.doc_id,
                "lang": hit.chunk.lang,
                "source": hit.chunk.source_id,
                "title": hit.chunk.title,
                "score": hit.score,
            },
        )
        for hit in hits
    ]


def _scores(documents: Sequence[Document]) -> list[float]:
    """Return the compressor's own scores where they fit its order, else scores that say no more than the order."""
    try:
        scores = [float(document.metadata["relevance_score"]) for document in documents]
    except (KeyError, TypeError, ValueError):
        scores = []
    if all(map(math.isfinite, scores)) and scores == sorted(scores, reverse=True) and scores:
        return scores
    return [1 / rank for rank in range(1, len(documents) + 1)]

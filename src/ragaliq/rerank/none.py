"""No reranking."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.types import Hit, Query


class NoReranker:
    """Keeps the retriever's order."""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits as they are."""
        return list(hits)

"""No retrieval, for systems that retrieve by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.types import Chunk, Hit, Query


class NoRetriever:
    """Finds nothing."""

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Take no notice of a corpus."""

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return no hit."""
        return []

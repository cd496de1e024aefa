"""Reranking: a second, closer look at the retrieved chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ragaliq.types import Hit, Query


class Reranker(Protocol):
    """Anything that orders hits again."""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        """Return the same hits in a new order, with new scores and ranks; scores descend."""
        ...

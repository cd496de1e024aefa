"""Reranking: a second, closer look at the retrieved chunks. Any object with `rerank` is a reranker; one file a kind."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from ragaliq.types import Hit, Query

__all__ = ["RerankFailed", "Reranker", "cross_encoder", "langchain", "lexical", "llm", "none", "ranked"]


class Reranker(Protocol):
    """Anything that orders hits again. The method may be a coroutine; then many calls are in flight at once."""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit] | Awaitable[list[Hit]]:
        """Return the hits in a new order, with new scores and ranks; scores descend. A filter returns fewer."""
        ...


def ranked(scored: Iterable[tuple[Hit, float]]) -> list[Hit]:
    """Return hits, best first, with their new scores and ranks."""
    return [replace(hit, score=score, rank=rank) for rank, (hit, score) in enumerate(scored, start=1)]


class RerankFailed(Exception):
    """A query could not be ranked for now; the same command tries again."""

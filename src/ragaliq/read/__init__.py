"""Reading: from a query and its context to an answer. Any object with `read` is a reader; one file a kind.

Readers that run a model on this machine are in `local/`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Protocol

from ragaliq.types import Hit, Query, Reading

__all__ = ["Reader", "context", "extractive", "function", "http", "langchain", "local", "openai", "tokenizer"]


class Reader(Protocol):
    """Anything that answers from a context. The method may be a coroutine; then many calls are in flight at once.

    A reader that answers many queries at once, as local models do best, also has the attribute `batch_size` and the
    method `read_batch(queries, contexts)`, which returns one reading for each query, whatever the batch is made up of.
    """

    def read(self, query: Query, context: Sequence[Hit]) -> Reading | str | Awaitable[Reading | str]:
        """Return an answer in the query's language, or the typed reason that there is none; plain text is an answer."""
        ...

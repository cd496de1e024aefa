"""Reading: from a query and its context to an answer."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Protocol

from ragaliq.types import Hit, Query, Reading


class Reader(Protocol):
    """Anything that answers from a context. The method may be a coroutine; then many calls are in flight at once."""

    def read(self, query: Query, context: Sequence[Hit]) -> Reading | str | Awaitable[Reading | str]:
        """Return an answer in the query's language, or the typed reason that there is none; plain text is an answer."""
        ...


class BatchReader(Reader, Protocol):
    """A reader that answers many queries at once, as local models do best.

    Attributes:
        batch_size: how many queries it likes to get at once.
    """

    batch_size: int

    def read_batch(self, queries: Sequence[Query], contexts: Sequence[Sequence[Hit]]) -> list[Reading]:
        """Return one reading for each query, in their order; the batch's make-up changes no answer."""
        ...

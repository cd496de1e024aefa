"""What queries are turned into before they are searched for, such as vectors, made for many of them in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from ragaliq.types import Query

Value = TypeVar("Value")


class Prepared(Generic[Value]):
    """The values of queries by their text; what was prepared is not made again.

    Attributes:
        kept: text → value of the queries that were prepared, in their order.
    """

    def __init__(self, make: Callable[[list[str]], Iterable[Value]]) -> None:
        """Take the function that makes one value for each of several different texts."""
        self._make = make
        self.kept: dict[str, Value] = {}

    def prepare(self, queries: Sequence[Query]) -> None:
        """Make and keep the values of queries that will come."""
        self.kept.update(self._new(queries))

    def of(self, queries: Sequence[Query]) -> list[Value]:
        """Return the value of each query; all that were not prepared are made at once."""
        new = self._new(queries)
        return [new[query.text] if query.text in new else self.kept[query.text] for query in queries]

    def _new(self, queries: Sequence[Query]) -> dict[str, Value]:
        texts = [text for text in dict.fromkeys(query.text for query in queries) if text not in self.kept]
        return dict(zip(texts, self._make(texts), strict=True)) if texts else {}

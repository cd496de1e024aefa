"""Stand-ins used by the tests; none of them is ever the thing under test."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.types import Chunk, Hit, Item, Query


def chunk(doc_id: str, text: str, lang: str = "en", title: str = "") -> Chunk:
    return Chunk(doc_id, lang, text, "source.md", 0, len(text), title)


def hits(*texts: str, lang: str = "en", scores: Sequence[float] = ()) -> list[Hit]:
    """Hits d1, d2, … with the given texts, best first."""
    values = list(scores) or [1.0 - 0.1 * i for i in range(len(texts))]
    return [Hit(chunk(f"d{i}", text, lang), values[i - 1], i) for i, text in enumerate(texts, start=1)]


def item(question: str, reference: str, lang: str = "en", query_id: str = "q1", answerable: bool = True) -> Item:
    return Item(Query(query_id, lang, question), reference, answerable)

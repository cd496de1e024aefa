"""Chunks as passages of an index: kept apart by language, title and text together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragaliq.errors import InputError
from ragaliq.types import Chunk


def by_language(chunks: Sequence[Chunk]) -> dict[str, list[Chunk]]:
    """Return the chunks of each language in their order, languages sorted.

    Raises:
        InputError: if a doc id stands twice in a language.
    """
    found: dict[str, list[Chunk]] = {}
    for lang in sorted({chunk.lang for chunk in chunks}):
        own = [chunk for chunk in chunks if chunk.lang == lang]
        twice = [doc_id for doc_id, count in Counter(chunk.doc_id for chunk in own).items() if count > 1]
        if twice:
            raise InputError(f"index: doc id '{twice[0]}' stands twice in '{lang}'; ids must be unique")
        found[lang] = own
    return found


def passage(chunk: Chunk) -> str:
    """Return the text that is indexed for a chunk."""
    return f"{chunk.title}\n{chunk.text}" if chunk.title else chunk.text

"""Documents that stay on disk, where a corpus is larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from ragaliq.types import Chunk


@runtime_checkable
class StoredDocuments(Protocol):
    """Chunks that stay on disk, and are read one at a time.

    Attributes:
        by_id: the chunks by their doc ids.
    """

    by_id: Mapping[str, Chunk]


def by_doc_id(chunks: Iterable[Chunk]) -> Mapping[str, Chunk]:
    """Return chunks by their doc ids; those on disk stay there."""
    return chunks.by_id if isinstance(chunks, StoredDocuments) else {chunk.doc_id: chunk for chunk in chunks}

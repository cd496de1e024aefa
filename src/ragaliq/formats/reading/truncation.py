"""A part of a corpus that keeps every judged document."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import Collection, judged_ids
from ragaliq.types import Chunk


def truncate(collection: Collection, max_docs: int) -> Collection:
    """Return the collection with a corpus of at most `max_docs` documents, marked as truncated.

    All documents that judgements, gold or nuggets name stay, even where they are more than `max_docs`, and the first
    others in the order of the corpus fill up the rest. A corpus of which nothing is left out, as it is no larger or
    judged as a whole, is returned unmarked. Values on a part are too high: what is left out would have been retrieved
    by mistake.

    Raises:
        InputError: if `max_docs` is below 1.
    """
    if max_docs < 1:
        raise InputError(f"max_docs must be at least 1, not {max_docs}; leave it out for the whole corpus")
    judged = judged_ids(collection)
    others = max(max_docs - len(judged), 0)
    if not _leaves_out(collection, max_docs, judged, others):
        return collection

    def chunks() -> Iterator[Chunk]:
        left = others
        for chunk in collection.chunks():
            if chunk.doc_id in judged:
                yield chunk
            elif left:
                left -= 1
                yield chunk

    note = (
        f"warning[truncated-corpus]: {collection.name} {collection.lang}: {others} documents beside the {len(judged)} "
        "judged ones, not the whole corpus; values are too high and compare with no other system's"
    )
    return replace(collection, chunks=chunks, notes=(*collection.notes, note), truncated=True)


def _leaves_out(collection: Collection, max_docs: int, judged: Set[str], others: int) -> bool:
    """Return whether the corpus is larger than `max_docs` and has more than `others` documents that nobody judged."""
    n_others = 0
    for n, chunk in enumerate(collection.chunks(), start=1):
        n_others += chunk.doc_id not in judged
        if n > max_docs and n_others > others:
            return True
    return False

"""Chunks as passages of an index: kept apart by language, title and text together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from ragaliq.errors import InputError
from ragaliq.retrieve.counts import Counts, count_words
from ragaliq.types import Chunk


class Passages:
    """The passages of one language, numbered in ascending order of their doc ids.

    So neither the order of a corpus changes what is found, and the greater number of two is the greater doc id.
    """

    def __init__(self, lang: str, chunks: Sequence[Chunk], title: bool = True) -> None:
        self.lang = lang
        self.chunks = sorted(chunks, key=lambda chunk: chunk.doc_id)
        self.title = title

    @cached_property
    def doc_ids(self) -> list[str]:
        """The doc ids, ascending."""
        return [chunk.doc_id for chunk in self.chunks]

    @cached_property
    def texts(self) -> list[str]:
        """The texts that are indexed."""
        return [passage(chunk, self.title) for chunk in self.chunks]

    @cached_property
    def words(self) -> Counts:
        """The words of the texts, counted once for all channels."""
        return count_words(self.texts)


def by_language(chunks: Sequence[Chunk]) -> dict[str, list[Chunk]]:
    """Return the chunks of each language in their order, languages sorted.

    Raises:
        InputError: if a doc id stands twice in a language.
    """
    found: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        found.setdefault(chunk.lang, []).append(chunk)
    for lang, own in sorted(found.items()):
        twice = [doc_id for doc_id, count in Counter(chunk.doc_id for chunk in own).items() if count > 1]
        if twice:
            raise InputError(f"index: doc id '{twice[0]}' stands twice in '{lang}'; ids must be unique")
    return dict(sorted(found.items()))


def passage(chunk: Chunk, title: bool = True) -> str:
    """Return the text that is indexed for a chunk: its text, below its title if it has one and `title` is set."""
    return f"{chunk.title}\n{chunk.text}" if title and chunk.title else chunk.text

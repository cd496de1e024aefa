"""Chunks as passages of an index: kept apart by language, title and text together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from ragaliq.errors import InputError
from ragaliq.execution.progress import watched
from ragaliq.retrieve import Channel
from ragaliq.retrieve.bm25 import Analysis, bm25_channel
from ragaliq.retrieve.counts import Counts, count_words
from ragaliq.types import Chunk


class Passages:
    """The passages of one language, numbered in ascending order of their doc ids.

    So neither the order of a corpus changes what is found, and the greater number of two is the greater doc id.
    """

    def __init__(self, lang: str, chunks: Sequence[Chunk], title: bool = True) -> None:
        self.lang = lang
        self.chunks: Sequence[Chunk] = sorted(chunks, key=lambda chunk: chunk.doc_id)
        self.title = title

    @cached_property
    def doc_ids(self) -> Sequence[str]:
        """The doc ids, ascending."""
        return [chunk.doc_id for chunk in self.chunks]

    @cached_property
    def texts(self) -> Sequence[str]:
        """The texts that are indexed."""
        return [chunk.titled if self.title else chunk.text for chunk in self.chunks]

    def bm25(self, analysis: Analysis, k1: float, b: float) -> Channel:
        """Return the channel of the texts' terms."""
        return bm25_channel(self.words, analysis.analyzer(self.lang), k1, b)

    @cached_property
    def words(self) -> Counts:
        """The words of the texts, counted once for all channels."""
        return count_words(watched(self.texts, f"counting words of {self.lang}", len(self.texts), "text"))


def by_language(chunks: Sequence[Chunk]) -> dict[str, list[Chunk]]:
    """Return the chunks of each language in their order, languages sorted.

    Raises:
        InputError: if a doc id occurs twice in a language.
    """
    languages: dict[str, list[Chunk]] = {lang: [] for lang in sorted({chunk.lang for chunk in chunks})}
    for chunk in chunks:
        languages[chunk.lang].append(chunk)
    for lang, members in languages.items():
        ((doc_id, count),) = Counter(chunk.doc_id for chunk in members).most_common(1)
        if count > 1:
            raise InputError(f"index: doc id '{doc_id}' occurs twice in '{lang}'; ids must be unique")
    return languages

"""The passages of one language in an index on disk: numbers, texts and channels as in memory, none held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ragaliq.errors import InputError
from ragaliq.retrieve import Channel, Embedder, TopDocs
from ragaliq.retrieve.bm25 import Analysis, Bm25Channel
from ragaliq.retrieve.index.vectors import QueryVectors
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.stored.chunks import StoredChunks
from ragaliq.retrieve.stored.postings import open_postings
from ragaliq.retrieve.stored.vectors import open_vectors
from ragaliq.types import Query

INDEX_FILE = "index.json"


class StoredTexts(Sequence[str]):
    """The texts that are indexed, each read when it is asked for."""

    def __init__(self, chunks: StoredChunks, title: bool) -> None:
        self._chunks = chunks
        self._title = title

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._chunks)

    def __getitem__(self, place: Any) -> Any:
        """Return the text at a place, or those of a slice."""
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        chunk = self._chunks[place]
        return chunk.titled if self._title else chunk.text


class StoredPassages(Passages):
    """What a retriever opens its channels from."""

    def __init__(self, lang: str, folder: Path, parts: Mapping[str, Any], title: bool) -> None:
        """Open the chunks of a language; `parts` says which channels the index has, and how they were made."""
        self.lang = lang
        self.title = title
        self._stored = StoredChunks(folder)
        self.chunks = self._stored
        self._folder = folder
        self._parts = parts

    @cached_property
    def doc_ids(self) -> Sequence[str]:
        """The doc ids, ascending."""
        return self._stored.doc_ids

    @cached_property
    def texts(self) -> Sequence[str]:
        """The texts that are indexed."""
        return StoredTexts(self._stored, self.title)

    def bm25(self, analysis: Analysis, k1: float, b: float) -> Channel:
        """Return the channel of the texts' terms.

        Raises:
            InputError: if the index has none, or one with other settings.
        """
        name = "chars" if analysis.chars else "words"
        self._check(name, channel_settings(analysis, k1, b))
        index, terms = open_postings(self._folder / name, len(self.chunks))
        return Bm25Channel(index, terms, analysis.analyzer(self.lang))

    def vectors(self, embedder: Embedder) -> Channel:
        """Return the search over the vectors.

        Raises:
            InputError: if the index has none, or those of another embedder.
        """
        self._check("vectors", {"embedder": str(embedder)})
        part = self._parts["vectors"]
        return _VectorChannel(embedder, self._folder / "vectors", len(self.chunks), part["dims"], part["longest"])

    def _check(self, name: str, wanted: Mapping[str, Any]) -> None:
        place = f"{self._folder.parent / INDEX_FILE}: languages.{self.lang}.{name}"
        part = self._parts.get(name)
        if part is None:
            raise InputError(f"{place}: is not in this index; index again with the same retriever as the run")
        for key, value in wanted.items():
            if part.get(key) != value:
                raise InputError(
                    f"{place}.{key}: {part.get(key)!r} in this index, {value!r} wanted; index again with the same "
                    "retriever and embedder as the run"
                )


def channel_settings(analysis: Analysis, k1: float, b: float) -> dict[str, Any]:
    """Return what decides the postings of a channel, as `index.json` records it."""
    stopwords = analysis.stopwords if isinstance(analysis.stopwords, str) else list(analysis.stopwords)
    return {**asdict(analysis), "stopwords": stopwords, "k1": k1, "b": b}


class _VectorChannel:
    """Inner products of unit vectors, each passage against the query."""

    def __init__(self, embedder: Embedder, folder: Path, n: int, dims: int, longest: float) -> None:
        self._queries = QueryVectors(embedder)
        self._index = open_vectors(folder, n, dims, longest)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._queries.prepare(queries)

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of greatest cosine, those above 0 alone."""
        return self._index.search_many(np.stack(self._queries.of(queries)), k)

"""The vector channel: cosine of embeddings, exact."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import Embedder, Side, TopDocs
from ragaliq.retrieve.embed.rows import check_rows
from ragaliq.retrieve.index.exact import ExactIndex
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.prepared import Prepared
from ragaliq.types import Query

Vectors = NDArray[np.float32]
# The number of passages whose vectors tell two embedders of one name apart.
_SAMPLE = 16


class CorpusEmbedder:
    """An embedder for the passages of one corpus, and for queries to it.

    Attributes:
        queries: the vectors of queries.
    """

    def __init__(self, embedder: Embedder, passages: Passages) -> None:
        """Fit the embedder to the corpus, if it learns from it."""
        fit = getattr(embedder, "fit", None)
        self._embedder: Embedder = fit(passages.texts) if callable(fit) else embedder
        self._texts = passages.texts
        self._name = "" if type(embedder).__str__ is object.__str__ else str(embedder)
        # A class of somebody's may name no more than itself; those of this package name weights or revision.
        self._is_foreign = type(embedder).__module__.partition(".")[0] != __name__.partition(".")[0]
        self.queries = QueryVectors(self._embedder)

    @cached_property
    def key(self) -> str:
        """What names the vectors of the passages; empty if the embedder has no `__str__` of its own.

        A `__repr__` does not count: those of torch and of data classes leave weights out. The vectors of some passages
        are part of the name of an embedder that is not this package's.
        """
        if not self._name:
            return ""
        content = hashlib.sha256("\0".join(self._texts).encode("utf-8"))
        if self._is_foreign and self._texts:
            sample = self._texts[:: max(1, len(self._texts) // _SAMPLE)]
            content.update(self.rows(sample, Side.PASSAGE).tobytes())
        return f"{self._name} {content.hexdigest()}"

    def passages(self) -> Vectors:
        """Return one row for each passage."""
        return self.rows(self._texts, Side.PASSAGE)

    def rows(self, texts: Sequence[str], side: Side) -> Vectors:
        """Return one row for each text."""
        return _rows(self._embedder, texts, side)


class QueryVectors(Prepared[Vectors]):
    """The vectors of queries."""

    def __init__(self, embedder: Embedder) -> None:
        """Take the embedder, fitted to the corpus if it learns from it."""
        super().__init__(lambda texts: _rows(embedder, texts, Side.QUERY))


def _rows(embedder: Embedder, texts: Sequence[str], side: Side) -> Vectors:
    rows: Vectors = check_rows(embedder.embed(texts, side), len(texts))
    return rows


class VectorChannel:
    """Inner products of unit vectors, each passage against the query.

    Vectors of an embedder whose `__str__` names all its settings are kept in the store, if there is one; others are
    computed anew each time.
    """

    def __init__(self, passages: Passages, embedder: Embedder, store: VectorStore | None) -> None:
        corpus = CorpusEmbedder(embedder, passages)
        self._queries = corpus.queries
        if store and corpus.key:
            matrix = store.vectors(corpus.key, passages.doc_ids, corpus.passages)
        else:
            matrix = corpus.passages()
        self._index = ExactIndex(matrix)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._queries.prepare(queries)

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of greatest cosine, those above 0 alone."""
        return self._index.search_many(np.stack(self._queries.of(queries)), k)

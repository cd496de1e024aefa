"""Vectors of the passages that other channels have found: a large corpus is never embedded as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import Embedder, Side, TopDocs
from ragaliq.retrieve.index.exact import measured
from ragaliq.retrieve.index.vectors import CorpusEmbedder, Vectors
from ragaliq.retrieve.passages import Passages
from ragaliq.types import Query


class CandidateVectors:
    """Inner products of queries with candidates; a passage is embedded when it first is one."""

    def __init__(self, passages: Passages, embedder: Embedder) -> None:
        self._texts = passages.texts
        self._corpus = CorpusEmbedder(embedder, passages)
        self._embedded = np.zeros(len(self._texts), dtype=bool)
        self._matrix: Vectors = np.zeros((len(self._texts), 0), dtype=np.float32)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._corpus.queries.prepare(queries)

    def score(self, queries: Sequence[Query], candidates: Sequence[NDArray[np.int32]]) -> list[TopDocs]:
        """Return for each query its candidates by inner product, those above 0 alone."""
        self._embed(np.unique(np.concatenate(candidates)))
        vectors = self._corpus.queries.of(queries)
        return [
            measured(self._matrix, vector, docs, len(docs)) for vector, docs in zip(vectors, candidates, strict=True)
        ]

    def _embed(self, docs: NDArray[np.int32]) -> None:
        new = docs[~self._embedded[docs]]
        if not len(new):
            return
        rows = self._corpus.rows([self._texts[doc] for doc in new.tolist()], Side.PASSAGE)
        if not self._matrix.shape[1]:
            # Pages of zeros take no memory before they are written to.
            self._matrix = np.zeros((len(self._texts), rows.shape[1]), dtype=np.float32)
        self._matrix[new], self._embedded[new] = rows, True

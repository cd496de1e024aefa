"""The vector channel through Chroma's own index: faster on large corpora, and approximate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import ConfigError
from ragaliq.execution.progress import say
from ragaliq.retrieve import Embedder, TopDocs
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.index.vectors import CorpusEmbedder
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.ranking import DIGITS, top_docs
from ragaliq.types import Query

# The index is asked for so many texts at least: its default search is as wide as what it is asked for, and that of 100
# loses a third of the true best (measured on 100 000 texts).
WIDTH = 500
# The recall is measured on so many of the prepared queries, the first ones.
MEASURED = 100
# Chroma's float sums and ours differ in the last digits.
_TIE = 1e-6


class ApproximateChannel:
    """Cosines of the texts that the index finds."""

    def __init__(self, passages: Passages, embedder: Embedder, store: VectorStore, width: int = WIDTH) -> None:
        """Have the vectors stored.

        Args:
            passages: the corpus.
            embedder: needs a text form of its own: what cannot be named cannot be stored.
            store: where the vectors are.
            width: how many texts the index is asked for, if not more are wanted.

        Raises:
            ConfigError: if the embedder does not name itself.
        """
        corpus = CorpusEmbedder(embedder, passages)
        if not corpus.key:
            raise ConfigError(
                "retriever: search 'approximate' stores the vectors, so the embedder "
                f"{type(embedder).__name__} needs a method __str__ that names all its settings"
            )
        self._queries = corpus.queries
        self._stored = store.collection(corpus.key, passages.doc_ids, corpus.passages)
        self._place = {doc_id: place for place, doc_id in enumerate(passages.doc_ids)}
        self._lang, self._width = passages.lang, width
        self._told = False

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._queries.prepare(queries)

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` best of the texts that the index finds, those of a cosine above 0.

        If queries were prepared, what share of the exact best is found is told once on stderr.
        """
        if k > 0:
            self._tell_recall(min(k, len(self._place)))
        return [self._found(vector, k) for vector in self._queries.of(queries)]

    def _found(self, vector: NDArray[np.float32], k: int) -> TopDocs:
        nearest = self._stored.nearest(vector, max(k, self._width))
        docs = np.array([self._place[doc_id] for doc_id in nearest], dtype=np.int32)
        scores = np.round(np.array(list(nearest.values()), dtype=np.float64), DIGITS)
        return top_docs(docs, scores, k)

    def _tell_recall(self, top_k: int) -> None:
        if self._told or not self._queries.kept:
            return
        self._told = True
        shares = self.recalls(top_k)
        if shares:
            share = 100 * sum(shares) / len(shares)
            say(
                f"note: approximate search found {share:.1f} % of the exact top {top_k} ({len(shares)} queries, "
                f"lang {self._lang})",
            )

    def recalls(self, top_k: int) -> list[float]:
        """Return for each of the first prepared queries the share of the exact best texts that is found.

        The best are the `top_k` of greatest cosine, those above 0 alone; what ties with the last of them is as good.
        A query without any is left out. All vectors are read for this, in batches.
        """
        vectors = list(self._queries.kept.values())[:MEASURED]
        queries = np.stack(vectors)
        best = np.zeros((len(queries), 0))
        for batch in self._stored.batches():
            best = np.sort(np.hstack([best, queries @ batch.T]), axis=1)[:, -top_k:]
        shares = []
        for vector, exact in zip(vectors, best, strict=True):
            wanted = exact[exact > _TIE]
            if len(wanted):
                nearest = self._stored.nearest(vector, max(top_k, self._width)).values()
                n_found = sum(cosine > wanted[0] - _TIE for cosine in nearest)
                shares.append(min(n_found, len(wanted)) / len(wanted))
        return shares

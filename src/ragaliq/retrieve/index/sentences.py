"""Passages found by their meaning as a whole and by their best sentence together: for queries in another language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragaliq.retrieve import Embedder, Side, TopDocs
from ragaliq.retrieve.index.exact import ExactIndex
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.index.vectors import CorpusEmbedder, Vectors
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.ranking import top_docs
from ragaliq.text.sentences import sentences
from ragaliq.types import Query

# So many sentences are looked at for each passage that is wanted; more, if their passages are too few.
_AHEAD = 4


class SentenceChannel:
    """The mean of two cosines: of the query with the passage, and with the sentence of it that is nearest.

    One row stands for each sentence, the mean of its vector and its passage's; so the greatest product of a passage's
    rows is that mean.
    """

    def __init__(self, passages: Passages, embedder: Embedder, store: VectorStore | None) -> None:
        cut = [sentences(text) or [text] for text in passages.texts]
        self._owners = np.repeat(np.arange(len(cut), dtype=np.int32), [len(parts) for parts in cut])
        corpus, self._n = CorpusEmbedder(embedder, passages), len(cut)
        self._queries = corpus.queries

        def rows() -> Vectors:
            parts = corpus.rows([sentence for parts in cut for sentence in parts], Side.PASSAGE)
            means: Vectors = (corpus.passages()[self._owners] + parts) / np.float32(2)
            return means

        if store and corpus.key:
            ids = [f"{passages.doc_ids[owner]} {row}" for row, owner in enumerate(self._owners.tolist())]
            self._index = ExactIndex(store.vectors(f"sentences {corpus.key}", ids, rows))
        else:
            self._index = ExactIndex(rows())

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._queries.prepare(queries)

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` passages of greatest score, those above 0 alone."""
        return self._search(np.stack(self._queries.of(queries)), k, k * _AHEAD)

    def _search(self, vectors: Vectors, k: int, n_rows: int) -> list[TopDocs]:
        """Return the best passages among the best rows; queries whose rows are of too few passages see more rows."""
        rows = self._index.search_many(vectors, n_rows)
        best = [self._passages(found, k) for found in rows]
        short = [
            place
            for place, (found, passages) in enumerate(zip(rows, best, strict=True))
            if len(passages.docs) < min(k, self._n) and len(found.docs) == n_rows
        ]
        if short:
            for place, passages in zip(short, self._search(vectors[short], k, n_rows * _AHEAD), strict=True):
                best[place] = passages
        return best

    def _passages(self, rows: TopDocs, k: int) -> TopDocs:
        # Rows come best first, so the first of a passage is its best.
        passages, first = np.unique(self._owners[rows.docs], return_index=True)
        return top_docs(passages, rows.scores[first], k)

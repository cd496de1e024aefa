"""Passages by their meaning as a whole and by their best sentence together, all of them or candidates alone.

The score is the mean of two cosines: of the query with the passage, and with the sentence of it that is nearest. The
index has a row for each sentence, the mean of its vector and its passage's; so the greatest product of a query's vector
with a passage's rows is the score.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import Embedder, Side, TopDocs
from ragaliq.retrieve.index.exact import ExactIndex, inner_products
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.index.vectors import CorpusEmbedder, Vectors
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.ranking import top_docs
from ragaliq.text.sentences import sentences
from ragaliq.types import Query

# Rows searched for each passage that is wanted; more, if their passages are too few.
_AHEAD = 4


class SentenceChannel:
    """Searches all passages."""

    def __init__(self, passages: Passages, embedder: Embedder, store: VectorStore | None) -> None:
        cut = [_sentences(text) for text in passages.texts]
        self._owners = np.repeat(np.arange(len(cut), dtype=np.int32), [len(parts) for parts in cut])
        corpus, self._n = CorpusEmbedder(embedder, passages), len(cut)
        self._queries = corpus.queries

        def rows() -> Vectors:
            return _rows(corpus, passages.texts, cut)

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
        """Return the best passages among the best rows; queries whose rows are of too few passages search more."""
        rows = self._index.search_many(vectors, n_rows)
        best = [self._passages(top_rows, k) for top_rows in rows]
        short = [
            place
            for place, (top_rows, passages) in enumerate(zip(rows, best, strict=True))
            if len(passages.docs) < min(k, self._n) and len(top_rows.docs) == n_rows
        ]
        if short:
            for place, passages in zip(short, self._search(vectors[short], k, n_rows * _AHEAD), strict=True):
                best[place] = passages
        return best

    def _passages(self, rows: TopDocs, k: int) -> TopDocs:
        # Rows come best first, so the first of a passage is its best.
        passages, first = np.unique(self._owners[rows.docs], return_index=True)
        return top_docs(passages, rows.scores[first], k)


class CandidateSentences:
    """Scores the passages that other channels find; a passage is embedded when it first is one of these.

    So a large corpus is never embedded as a whole.
    """

    def __init__(self, passages: Passages, embedder: Embedder) -> None:
        self._texts = passages.texts
        self._corpus = CorpusEmbedder(embedder, passages)
        self._rows: dict[int, Vectors] = {}

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._corpus.queries.prepare(queries)

    def score(self, queries: Sequence[Query], candidates: Sequence[NDArray[np.int32]]) -> list[TopDocs]:
        """Return for each query its candidates by score, those above 0 alone."""
        vectors = self._corpus.queries.of(queries)
        return [self._score(vector, docs) for vector, docs in zip(vectors, candidates, strict=True)]

    def _score(self, vector: Vectors, docs: NDArray[np.int32]) -> TopDocs:
        if not len(docs):
            return top_docs(docs, np.zeros(0), 0)
        rows = [self._rows_of(doc) for doc in docs.tolist()]
        starts = np.cumsum([0, *(len(of_doc) for of_doc in rows[:-1])])
        return top_docs(docs, np.maximum.reduceat(inner_products(np.concatenate(rows), vector), starts), len(docs))

    def _rows_of(self, doc: int) -> Vectors:
        if doc not in self._rows:
            text = self._texts[doc]
            self._rows[doc] = _rows(self._corpus, [text], [_sentences(text)])
        return self._rows[doc]


def _sentences(text: str) -> list[str]:
    return sentences(text) or [text]


def _rows(corpus: CorpusEmbedder, texts: Sequence[str], cut: Sequence[Sequence[str]]) -> Vectors:
    """Return the rows of some passages, one for each of their sentences."""
    owners = np.repeat(np.arange(len(cut)), [len(parts) for parts in cut])
    parts = corpus.rows([sentence for parts in cut for sentence in parts], Side.PASSAGE)
    rows: Vectors = (corpus.rows(texts, Side.PASSAGE)[owners] + parts) / np.float32(2)
    return rows

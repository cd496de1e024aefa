"""The vector channel through Chroma's own index: faster on large corpora, and approximate."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from ragaliq.errors import ConfigError
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.store import VectorStore
from ragaliq.retrieve.vectors import QueryVectors, content_key, fitted

# The recall is measured on so many of the prepared queries, the first ones.
MEASURED = 100
# Chroma's float sums and ours differ in the last digits.
_TIE = 1e-6


class ApproximateChannel:
    """Cosines of the texts that the index finds; all others score 0."""

    def __init__(
        self, texts: Sequence[str], doc_ids: Sequence[str], embedder: Embedder, store: VectorStore, depth: int
    ) -> None:
        """Have the vectors stored.

        Args:
            texts: the corpus.
            doc_ids: different ids, one for each text.
            embedder: needs a text form of its own: what cannot be named cannot be stored.
            store: where the vectors are.
            depth: how many texts the index is asked for.

        Raises:
            ConfigError: if the embedder does not name itself.
        """
        key = content_key(embedder, texts)
        if not key:
            raise ConfigError(
                "retriever: search 'approximate' stores the vectors, so the embedder "
                f"{type(embedder).__name__} needs a method __str__ that names all its settings"
            )
        own = fitted(embedder, texts)
        self._queries = QueryVectors(own)
        self._stored = store.collection(key, doc_ids, lambda: own.embed(texts, Side.PASSAGE))
        self._place = {doc_id: place for place, doc_id in enumerate(doc_ids)}
        self._depth = depth
        self._told = False

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._queries.prepare(texts)

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return the cosine with each text that was found, in −1..1, and 0 for the others."""
        scores = np.zeros(len(self._place))
        for doc_id, cosine in self._stored.nearest(self._queries.vector(text), self._depth).items():
            scores[self._place[doc_id]] = cosine
        return scores

    def tell_recall(self, lang: str, top_k: int) -> None:
        """Say once on stderr what share of the exact top `top_k` is found, if queries were prepared."""
        if self._told or not self._queries.prepared:
            return
        self._told = True
        shares = self.recalls(top_k)
        if shares:
            share = 100 * sum(shares) / len(shares)
            tqdm.write(
                f"note: approximate search found {share:.1f} % of the exact top {top_k} ({len(shares)} queries, "
                f"lang {lang})",
                file=sys.stderr,
            )

    def recalls(self, top_k: int) -> list[float]:
        """Return for each of the first prepared queries the share of the exact best texts that is found.

        The best are the `top_k` of greatest cosine, those above 0 alone; what ties with the last of them is as good.
        A query without any is left out. All vectors are read for this, in batches.
        """
        vectors = list(self._queries.prepared.values())[:MEASURED]
        queries = np.stack(vectors)
        best = np.zeros((len(queries), 0))
        for batch in self._stored.batches():
            best = np.sort(np.hstack([best, queries @ batch.T]), axis=1)[:, -top_k:]
        shares = []
        for vector, exact in zip(vectors, best, strict=True):
            wanted = exact[exact > _TIE]
            if len(wanted):
                nearest = self._stored.nearest(vector, self._depth).values()
                found = sum(cosine > wanted[0] - _TIE for cosine in nearest)
                shares.append(min(found, len(wanted)) / len(wanted))
        return shares

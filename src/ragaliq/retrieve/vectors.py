"""The vector channel: cosine of embeddings, exact."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.store import VectorStore


class VectorChannel:
    """Inner products of unit vectors, each text of the corpus against the query.

    Vectors of an embedder that has a text form of its own (`__str__`), which names all its settings, are kept in the
    store; others are computed anew each time.
    """

    def __init__(self, texts: Sequence[str], doc_ids: Sequence[str], embedder: Embedder, store: VectorStore) -> None:
        fit = getattr(embedder, "fit", None)
        fitted: Embedder = fit(texts) if callable(fit) else embedder
        self._embedder = fitted
        if _names_itself(embedder):
            content = hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()
            self._matrix = store.vectors(f"{embedder} {content}", doc_ids, lambda: fitted.embed(texts, Side.PASSAGE))
        else:
            self._matrix = np.asarray(fitted.embed(texts, Side.PASSAGE), dtype=np.float32)

    def scores(self, text: str) -> NDArray[np.float64]:
        """Return the cosine with each text of the corpus, in −1..1."""
        vector = self._embedder.embed([text], Side.QUERY)[0]
        return np.asarray(self._matrix @ vector, dtype=np.float64)


def _names_itself(embedder: Embedder) -> bool:
    """Tell whether an embedder's text form is its own: only then can stored vectors be told to be this one's."""
    kind = type(embedder)
    return kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__

"""The vector channel: cosine of embeddings, exact."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve import Embedder, Side, TopDocs
from ragaliq.retrieve.index.exact import ExactIndex
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.types import Query

Vectors = NDArray[np.float32]


class VectorChannel:
    """Inner products of unit vectors, each text of the corpus against the query.

    Vectors of an embedder that has a text form of its own (`__str__`), which names all its settings, are kept in the
    store, if there is one; others are computed anew each time.
    """

    def __init__(
        self, texts: Sequence[str], doc_ids: Sequence[str], embedder: Embedder, store: VectorStore | None
    ) -> None:
        own = fitted(embedder, texts)
        self._queries = QueryVectors(own)
        key = content_key(embedder, texts) if store else ""
        if store and key:
            matrix = store.vectors(key, doc_ids, lambda: check_vectors(own.embed(texts, Side.PASSAGE), len(texts)))
        else:
            matrix = check_vectors(own.embed(texts, Side.PASSAGE), len(texts))
        self._index = ExactIndex(matrix)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Embed queries ahead and keep their vectors."""
        self._queries.prepare([query.text for query in queries])

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        """Return for each query the `k` texts of greatest cosine, those above 0 alone."""
        return self._index.search_many(self._queries.vectors([query.text for query in queries]), k)


class QueryVectors:
    """The vectors of queries; those that were prepared cost one call of the embedder instead of one for each."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.prepared: dict[str, Vectors] = {}

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed queries ahead and keep their vectors."""
        self.prepared.update(self._embedded(texts))

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each query; all that were not prepared are embedded at once."""
        made = self._embedded(texts)
        return np.stack([made[text] if text in made else self.prepared[text] for text in texts])

    def _embedded(self, texts: Sequence[str]) -> dict[str, Vectors]:
        new = [text for text in dict.fromkeys(texts) if text not in self.prepared]
        return (
            dict(zip(new, check_vectors(self._embedder.embed(new, Side.QUERY), len(new)), strict=True)) if new else {}
        )


def check_vectors(vectors: object, n: int) -> Vectors:
    """Return an embedder's vectors if they are numbers, one row for each of `n` texts.

    Raises:
        InputError: if not; a vector that is no number would silently find nothing.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != n:
        raise InputError(
            f"embedder: returned an array of shape {rows.shape} for {n} texts; it must have one row for each"
        )
    if not np.isfinite(rows).all():
        raise InputError("embedder: returned a vector that holds no finite numbers; mend the embedder or its endpoint")
    return rows


def fitted(embedder: Embedder, texts: Sequence[str]) -> Embedder:
    """Return the embedder for a corpus: itself, unless it learns from the corpus."""
    fit = getattr(embedder, "fit", None)
    own: Embedder = fit(texts) if callable(fit) else embedder
    return own


def content_key(embedder: Embedder, texts: Sequence[str]) -> str:
    """Return what names the vectors of a corpus; empty if the embedder's text form is not its own."""
    kind = type(embedder)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return ""
    content = hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()
    return f"{embedder} {content}"

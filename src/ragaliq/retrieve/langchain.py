"""Embeddings and vector stores of LangChain as embedder and retriever."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.retrieve import Side
from ragaliq.retrieve.embed.rows import check_rows, unit_rows
from ragaliq.retrieve.passages import by_language
from ragaliq.retrieve.ranking import DIGITS
from ragaliq.types import Chunk, Hit, Query

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import VectorStore

_KEY = "ragaliq_key"
_BATCH = 1000
# The ways to ask a store, the one that tells most first; many stores lack some.
_SEARCHES = ("similarity_search_with_relevance_scores", "similarity_search_with_score", "similarity_search")


class LangChainEmbedder:
    """Any `Embeddings`: passages by `embed_documents`, queries by `embed_query`, all brought to unit length.

    It has no text form that names its settings, so its vectors are computed anew for each run.
    """

    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings

    def embed(self, texts: Sequence[str], side: Side) -> NDArray[np.float32]:
        """Return one vector for each text; a vector of zeros stays one.

        Raises:
            InputError: if the number of vectors is not that of the texts, or they differ in length or are not finite.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        if side is Side.QUERY:
            rows = [self._embeddings.embed_query(text) for text in texts]
        else:
            rows = self._embeddings.embed_documents(list(texts))
        name = f"embedder 'langchain:{type(self._embeddings).__name__}'"
        return unit_rows(check_rows(rows, len(texts), name, np.float64))


class VectorStoreRetriever:
    """Any `VectorStore`, which embeds and searches by itself.

    A chunk is kept under a key made from its language, id, title and text; what a store holds under that key already is
    not added again, so a store that outlives the process is filled once. Chunks of a language replace those that this
    object gave it before: they are deleted where the store can do so, and never returned in any case. What else lies
    in the store is passed over.
    """

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self._chunks: dict[str, dict[str, Chunk]] = {}
        self._searches = list(_SEARCHES)
        self._answered = False

    def index(self, chunks: Sequence[Chunk]) -> None:
        """Add the chunks with `doc_id`, `lang`, `source` and `title` as metadata."""
        for lang, lang_chunks in by_language(chunks).items():
            keyed = {_key(chunk): chunk for chunk in lang_chunks}
            before = self._chunks.get(lang, {})
            self._delete([key for key in before if key not in keyed])
            self._add({key: chunk for key, chunk in keyed.items() if key not in before})
            self._chunks[lang] = keyed

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        """Return the best chunks of the query's language.

        How a store filters is its own affair, so it is asked for more until enough of what it returns is in the
        language. Scores are the store's relevance scores; where it has none, or they contradict its own order, 1/rank,
        equal scores of the store sharing the rank.
        """
        if query.lang not in self._chunks:
            raise InputError(f"query '{query.query_id}': no corpus is indexed for '{query.lang}'")
        chunks = self._chunks[query.lang]
        wanted = min(top_k, len(chunks))
        if wanted < 1:
            return []
        n = wanted * len(self._chunks)
        while True:
            rows, relevance = self._search(query.text, n)
            # By key: of a document that a store returns twice, the first place counts.
            scores: dict[str, float] = {}
            for document, score in rows:
                if (key := document.metadata.get(_KEY, document.id)) in chunks:
                    scores.setdefault(key, score)
            if len(scores) >= wanted or len(rows) < n:
                break
            n *= 4
        scored = [(chunks[key], score) for key, score in scores.items()]
        return _ranked(scored, relevance)[:wanted]

    def _search(self, text: str, k: int) -> tuple[list[tuple[Document, float]], bool]:
        """Return documents with scores in the store's order, and whether greater is better by the store's word."""
        while True:
            method = self._searches[0]
            try:
                with warnings.catch_warnings():
                    # LangChain warns of relevance outside 0..1, such as a negative cosine.
                    warnings.simplefilter("ignore")
                    rows = getattr(self._store, method)(text, k=k)
            except (AttributeError, NotImplementedError, ValueError):
                # A way that has worked before is there; then it is the question that went wrong.
                if self._answered or len(self._searches) == 1:
                    raise
                del self._searches[0]
                continue
            self._answered = True
            if method == _SEARCHES[-1]:
                return [(document, float(-place)) for place, document in enumerate(rows)], False
            return [(document, float(score)) for document, score in rows], method == _SEARCHES[0]

    def _add(self, keyed: dict[str, Chunk]) -> None:
        keys = list(keyed)
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            held = self._held(batch)
            new = [key for key in batch if key not in held]
            if new:
                metadata = [_metadata(key, keyed[key]) for key in new]
                self._store.add_texts([keyed[key].titled for key in new], metadata, ids=new)

    def _held(self, keys: Sequence[str]) -> set[str | None]:
        try:
            return {document.metadata.get(_KEY, document.id) for document in self._store.get_by_ids(keys)}
        except (AttributeError, NotImplementedError):
            return set()

    def _delete(self, keys: list[str]) -> None:
        try:
            if keys:
                self._store.delete(keys)
        except (AttributeError, NotImplementedError):
            # They stay, and are passed over.
            return


def _ranked(scored: Iterable[tuple[Chunk, float]], relevance: bool) -> list[Hit]:
    """Return hits from chunks in the store's order: score descending, then doc id descending."""
    rows = [(chunk, round(score, DIGITS)) for chunk, score in scored]
    if not relevance or any(row[1] < after[1] for row, after in pairwise(rows)):
        ranked: list[tuple[Chunk, float]] = []
        for place, (chunk, score) in enumerate(rows):
            tied = place > 0 and score == rows[place - 1][1]
            ranked.append((chunk, ranked[-1][1] if tied else 1 / (place + 1)))
        rows = ranked
    rows.sort(key=lambda row: (row[1], row[0].doc_id), reverse=True)
    return [Hit(chunk, score, rank) for rank, (chunk, score) in enumerate(rows, start=1)]


def _key(chunk: Chunk) -> str:
    """Return a chunk's key: a UUID, because some stores take no other ids."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\0".join((chunk.lang, chunk.doc_id, chunk.title, chunk.text))))


def _metadata(key: str, chunk: Chunk) -> dict[str, str]:
    return {_KEY: key, "doc_id": chunk.doc_id, "lang": chunk.lang, "source": chunk.source_id, "title": chunk.title}

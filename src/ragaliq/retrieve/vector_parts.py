"""Vectors as parts of a retriever: which languages they are good for, and how they are searched."""

from __future__ import annotations

from pathlib import Path

from ragaliq.errors import ConfigError, nearest
from ragaliq.retrieve import Channel, Embedder
from ragaliq.retrieve.index.approximate import ApproximateChannel
from ragaliq.retrieve.index.milvus import open_store
from ragaliq.retrieve.index.sentences import CandidateSentences, SentenceChannel
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.index.vectors import VectorChannel
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.stored.passages import StoredPassages

SEARCHES = ("exact", "approximate")


class VectorParts:
    """Opens the vector channels of each language's corpus."""

    def __init__(self, embedder: Embedder, index_dir: Path | None, server: str, search: str) -> None:
        """Check the options; nothing is opened yet."""
        if search not in SEARCHES:
            raise ConfigError(f"retriever: unknown search '{search}'; {nearest(search, SEARCHES)}")
        self._embedder = embedder
        self._server = server
        self._approximate = search == "approximate"
        self.keep_in(index_dir)

    def keep_in(self, index_dir: Path | None) -> None:
        """Keep the vectors of corpora to come in a folder; None keeps them in memory, or on the server."""
        self._store = open_store(index_dir, self._server)
        # What is kept for this process alone need not be kept by Chroma, unless its index is asked.
        self._kept = index_dir is not None or bool(self._server)

    def store_in(self, store: VectorStore) -> None:
        """Keep the vectors of corpora to come in a store."""
        self._store, self._kept = store, True

    @property
    def ahead(self) -> bool:
        """Whether the vectors of passages are made when a corpus is opened, each by its text alone."""
        return not callable(getattr(self._embedder, "fit", None)) and not self._approximate

    @property
    def weight(self) -> float:
        """What the vectors weigh beside words and characters, 1 each."""
        return float(getattr(self._embedder, "weight", 1.0))

    @property
    def crosses(self) -> bool:
        """Whether the embedder says which languages it was trained on, so that it can be trusted across them."""
        return callable(getattr(self._embedder, "knows", None)) and not self._approximate

    def knows(self, lang: str) -> bool:
        """Return whether the embedder was trained on a language, as far as it says."""
        known = getattr(self._embedder, "knows", None)
        return bool(known(lang)) if callable(known) else True

    def unknown(self, lang: str) -> ConfigError:
        """Return the error of a retriever that has nothing but vectors, in a language that the embedder lacks."""
        return ConfigError(
            f"embedder '{self._embedder}': not trained on '{lang}'; take char-ngrams, which is learnt from the corpus"
        )

    def channel(self, passages: Passages) -> Channel:
        """Return a search over all vectors."""
        if isinstance(passages, StoredPassages):
            return passages.vectors(self._embedder)
        if self._approximate:
            return ApproximateChannel(passages, self._embedder, self._store)
        return VectorChannel(passages, self._embedder, self._store if self._kept else None)

    def scorer(self, passages: Passages) -> CandidateSentences | None:
        """Return what scores the passages of other channels, if the embedder is one that embeds only these."""
        # In an index of several languages, words find passages of the query's alone.
        several = "+" in passages.lang
        return CandidateSentences(passages, self._embedder) if self.of_candidates and not several else None

    @property
    def of_candidates(self) -> bool:
        """Whether the embedder embeds only what other channels find."""
        return bool(getattr(self._embedder, "of_candidates", False)) and not self._approximate

    def sentences(self, passages: Passages) -> SentenceChannel:
        """Return a search over passages and their sentences."""
        return SentenceChannel(passages, self._embedder, self._store if self._kept else None)

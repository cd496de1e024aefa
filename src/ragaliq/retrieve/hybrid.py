"""Retrieval by channels: words, characters and vectors, each alone or all fused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ragaliq.components import KINDS, make
from ragaliq.config import Component
from ragaliq.errors import ConfigError, nearest
from ragaliq.retrieve import Channel, Embedder, Retriever
from ragaliq.retrieve.bm25 import CHAR_B, CHAR_K1, K1, Analysis, B, check_bm25
from ragaliq.retrieve.channels import ChannelRetriever
from ragaliq.retrieve.foreign import RetrieverChannel
from ragaliq.retrieve.fused import FusedChannel, Mixture, Weighted
from ragaliq.retrieve.fusion import Fusion
from ragaliq.retrieve.index.store import VectorStore
from ragaliq.retrieve.passages import Passages
from ragaliq.retrieve.vector_parts import VectorParts
from ragaliq.types import Query

# How many of a channel's best count; what only the tail of a channel knows is noise.
DEPTH = 100
# What characters weigh beside the meaning of a query in another language: names and numbers stay as they are.
_FOREIGN_CHARS = 0.3
CHANNELS = ("words", "chars", "vectors")


class StoredParts(NamedTuple):
    """What an index on disk holds for a retriever: its lexical channels with k1 and b, and whether it needs vectors."""

    channels: tuple[tuple[Analysis, float, float], ...]
    vectors: bool = False


class Bm25Retriever(ChannelRetriever):
    """BM25 over words alone. The score is that of BM25."""

    def __init__(
        self,
        k1: float = K1,
        b: float = B,
        stemmer: bool = True,
        stopwords: str | Sequence[str] = "",
        title: bool = True,
    ) -> None:
        """Check the options.

        Args:
            k1: how slowly repeats of a term saturate, at least 0.
            b: how much long texts are discounted, 0 to 1.
            stemmer: bring words to their stems, where there is a stemmer for the language.
            stopwords: words left out, in any language, or `lucene` for the 33 of Lucene in English texts.
            title: index the title with the text.

        Raises:
            ConfigError: if an option cannot be.
        """
        super().__init__()
        check_bm25(k1, b, stopwords)
        self.title = title
        self._k1, self._b, self._stemmer, self._stopwords = k1, b, stemmer, stopwords

    def stored_parts(self) -> StoredParts:
        """Return what an index on disk holds for it."""
        return StoredParts(((Analysis(stemmer=self._stemmer, stopwords=self._stopwords), self._k1, self._b),))

    def _open(self, passages: Passages) -> list[Channel]:
        return [passages.bm25(*channel) for channel in self.stored_parts().channels]


class CharRetriever(ChannelRetriever):
    """BM25 over character n-grams alone: no stemmer, no language is needed. The score is that of BM25."""

    def __init__(self, k1: float = CHAR_K1, b: float = CHAR_B, title: bool = True) -> None:
        """Check the options; see `Bm25Retriever`."""
        super().__init__()
        check_bm25(k1, b)
        self.title = title
        self._k1, self._b = k1, b

    def stored_parts(self) -> StoredParts:
        """Return what an index on disk holds for it."""
        return StoredParts(((Analysis(chars=True), self._k1, self._b),))

    def _open(self, passages: Passages) -> list[Channel]:
        return [passages.bm25(*channel) for channel in self.stored_parts().channels]


class DenseRetriever(ChannelRetriever):
    """Vectors alone. The score is the cosine."""

    def __init__(
        self,
        embedder: Embedder,
        index_dir: Path | None = None,
        server: str = "",
        search: str = "exact",
        title: bool = True,
    ) -> None:
        """Take the parts; nothing is opened yet. See `HybridRetriever`."""
        super().__init__()
        self.title = title
        self._vectors = VectorParts(embedder, index_dir, server, search)

    def keep_in(self, index_dir: Path) -> None:
        """Keep the indexes of corpora to come in a folder."""
        self._vectors.keep_in(index_dir)

    def store_in(self, store: VectorStore) -> None:
        """Keep the vectors of corpora to come in a store."""
        self._vectors.store_in(store)

    @property
    def embeds_ahead(self) -> bool:
        """Whether the passages are embedded when a corpus is indexed, each by its text alone."""
        return self._vectors.ahead

    @property
    def embeds_queries(self) -> bool:
        """Whether a query is embedded, by its text alone."""
        return self._vectors.ahead

    def stored_parts(self) -> StoredParts:
        """Return what an index on disk holds for it."""
        return StoredParts((), vectors=True)

    def _open(self, passages: Passages) -> list[Channel]:
        if not self._vectors.knows(passages.lang):
            raise self._vectors.unknown(passages.lang)
        return [self._vectors.channel(passages)]


class HybridRetriever(ChannelRetriever):
    """Several channels, fused: by default words, characters and vectors by their normalised sum."""

    def __init__(
        self,
        embedder: Embedder,
        index_dir: Path | None = None,
        server: str = "",
        search: str = "exact",
        channels: Sequence[Any] = CHANNELS,
        fusion: str = Fusion.NORMALISED_SUM,
        depth: int = DEPTH,
        k1: float = K1,
        b: float = B,
        title: bool = True,
    ) -> None:
        """Take the parts; nothing is opened yet.

        Args:
            embedder: makes the vectors.
            index_dir: where they are kept; None keeps them in memory.
            server: address of a Chroma server that keeps them instead, such as `http://127.0.0.1:8000`; or Milvus:
                `milvus:FILE.db` for Milvus Lite, `milvus:http://HOST:19530` for a cluster.
            search: `exact`, or `approximate` by the index of Chroma or Milvus: then only the texts that it
                finds have a vector score, and what share of the best they are is reported once for each language.
            channels: any of `words`, `chars`, `vectors`, and any other retriever, written as a component: a learned
                sparse one, or `python:package.module:object` for a signal of one's own.
            fusion: `normalised-sum`, or `rrf` for the sum of reciprocal ranks.
            depth: how many of each channel's best count; more, if more chunks are asked for.
            k1: BM25's, of the words.
            b: BM25's, of the words.
            title: index the title with the text.

        Raises:
            ConfigError: if `server` is no address, or another option unknown.
        """
        super().__init__()
        check_bm25(k1, b)
        if fusion not in list(Fusion):
            raise ConfigError(f"retriever: unknown fusion '{fusion}'; {nearest(fusion, list(Fusion))}")
        if depth < 1:
            raise ConfigError(f"retriever: option 'depth' must be at least 1, not {depth}")
        self.title = title
        self._vectors = VectorParts(embedder, index_dir, server, search)
        self._parts = _channel_parts(channels, embedder, index_dir)
        self._fusion, self._depth, self._k1, self._b = Fusion(fusion), depth, k1, b

    def keep_in(self, index_dir: Path) -> None:
        """Keep the indexes of corpora to come in a folder."""
        self._vectors.keep_in(index_dir)
        for part in self._parts:
            part_keeps = getattr(part, "keep_in", None)
            if callable(part_keeps):
                part_keeps(index_dir)

    def store_in(self, store: VectorStore) -> None:
        """Keep the vectors of corpora to come in a store."""
        self._vectors.store_in(store)

    @property
    def embeds_ahead(self) -> bool:
        """Whether the passages are embedded when a corpus is indexed, each by its text alone."""
        return self.embeds_queries and not (len(self._parts) > 1 and self._vectors.of_candidates)

    @property
    def embeds_queries(self) -> bool:
        """Whether a query is embedded, by its text alone."""
        return "vectors" in self._parts and self._vectors.ahead

    def stored_parts(self) -> StoredParts:
        """Return what an index on disk holds for it.

        Raises:
            ConfigError: if a channel is a retriever of another kind.
        """
        foreign = [part for part in self._parts if not isinstance(part, str)]
        if foreign:
            raise ConfigError(f"index: the channel {type(foreign[0]).__name__} keeps no index on disk; leave it out")
        channels = {"words": (Analysis(), self._k1, self._b), "chars": (Analysis(chars=True), CHAR_K1, CHAR_B)}
        lexical = tuple(channels[part] for part in self._parts if part in ("words", "chars"))
        of_candidates = len(self._parts) > 1 and self._vectors.of_candidates
        return StoredParts(lexical, "vectors" in self._parts and not of_candidates)

    def _open(self, passages: Passages) -> list[Channel]:
        vectors = self._vectors
        # In a language that the embedder was not trained on, its vectors are no evidence.
        known = vectors.knows(passages.lang)
        parts = [part for part in self._parts if part != "vectors" or known]
        if not parts:
            raise vectors.unknown(passages.lang)
        # A lexical channel finds what the vectors score; without one they search alone.
        scorer = vectors.scorer(passages) if "vectors" in parts and len(parts) > 1 else None
        channels = {part: self._channel(part, passages) for part in parts if not scorer or part != "vectors"}

        def far() -> Mixture:
            meaning = Weighted(vectors.sentences(passages))
            others = [(part, channel) for part, channel in channels.items() if part not in ("words", "vectors")]
            return Mixture(
                [meaning, *(Weighted(one, _FOREIGN_CHARS if part == "chars" else 1.0) for part, one in others)]
            )

        def is_far(query: Query) -> bool:
            return bool(query.asked_in) and vectors.knows(query.asked_in)

        weighted = [Weighted(one, vectors.weight if part == "vectors" else 1.0) for part, one in channels.items()]
        crosses = "vectors" in parts and vectors.crosses
        near = Mixture(weighted, scorer, vectors.weight)
        return [FusedChannel(near, far if crosses else None, is_far, self._fusion, self._depth)]

    def _channel(self, part: str | Retriever, passages: Passages) -> Channel:
        if part == "words":
            return passages.bm25(Analysis(), self._k1, self._b)
        if part == "chars":
            return passages.bm25(Analysis(chars=True), CHAR_K1, CHAR_B)
        if isinstance(part, str):
            return self._vectors.channel(passages)
        return RetrieverChannel(part, passages)


def _channel_parts(channels: Sequence[Any], embedder: Embedder, index_dir: Path | None) -> list[str | Retriever]:
    """Return each channel's name, or the retriever that it is.

    Raises:
        ConfigError: if a channel is unknown, occurs twice, or there is none.
    """
    if isinstance(channels, str) or not isinstance(channels, Sequence) or not channels:
        raise ConfigError(f"retriever: option 'channels' must be a list such as {list(CHANNELS)}, not {channels!r}")
    parts: list[str | Retriever] = []
    for channel in channels:
        if channel in CHANNELS:
            if channel in parts:
                raise ConfigError(f"retriever: channel '{channel}' occurs twice; leave one out")
            parts.append(channel)
            continue
        component = Component.parse(channel, "retriever: option 'channels'")
        if component.kind not in {*KINDS["retriever"], "python"}:
            known = [*CHANNELS, *KINDS["retriever"], "python"]
            raise ConfigError(f"retriever: unknown channel '{component.kind}'; {nearest(component.kind, known)}")
        parts.append(make("retriever", component, embedder=embedder, index_dir=index_dir))
    return parts

"""A chatbot whose parts work on the machines of a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragaliq.benchmark.kb_language import corpus_name
from ragaliq.components import ORACLE, make
from ragaliq.execution.stopping import together
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.distributed.calls import Calls
from ragaliq.pipeline.distributed.vectors import DistributedEmbedder, KeptVectors, is_named
from ragaliq.pipeline.distributed.works import ANSWERING, RERANKING, RETRIEVAL, RankedQuery
from ragaliq.pipeline.system.inputs import as_chunks
from ragaliq.pipeline.system.results import Ranked, checked_hits
from ragaliq.rerank.none import NoReranker
from ragaliq.retrieve import Side
from ragaliq.retrieve.hybrid import DenseRetriever, HybridRetriever
from ragaliq.retrieve.stored.index import StoredCorpus
from ragaliq.types import Answer, Chunk, Hit, Query

# Retrievers that search nothing, so that nothing is to be shared out.
_HERE = ("none", ORACLE)


class DistributedChatbot(Chatbot):
    """The chatbot of a configuration; what it does is what that chatbot does, each call of a part by a worker."""

    def __init__(self, local: Chatbot, calls: Calls, index_dir: Path | None) -> None:
        """Take the place of a chatbot, with its parts and its session.

        Args:
            local: the chatbot, made from a configuration alone.
            calls: the calls to workers.
            index_dir: folder for indexes; None keeps them in memory.
        """
        self.__dict__.update(local.__dict__)
        self._calls = calls
        self._index_dir = index_dir
        self._loop = asyncio.get_running_loop()
        # Corpus → the reference of its chunks and vectors.
        self._shipped: dict[str, object] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def identity(self) -> str:
        """Empty: configuration and parts say all."""
        return ""

    @property
    def batch_size(self) -> int:
        """One: the workers put queries together as their readers like it."""
        return 1

    def index(self, corpus: Iterable[Chunk | str]) -> Chatbot:
        """Have a corpus embedded, and ship it to the workers, each of which indexes it with its first query."""
        import ray

        chunks = as_chunks(corpus)
        if self.config.retriever.kind in _HERE:
            return super().index(chunks)
        lang = chunks.lang if isinstance(chunks, StoredCorpus) else chunks[0].lang
        self._shipped[corpus_name(self.config.kb_lang, lang)] = ray.put((chunks, self._embedded(chunks)))
        return self

    def _embedded(self, chunks: Sequence[Chunk]) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of a corpus by their key in the store; none where each worker makes them as it needs."""
        retriever, embedder = self.retriever, self._embedder()
        if not isinstance(retriever, DenseRetriever | HybridRetriever) or not retriever.embeds_ahead:
            return {}
        store = KeptVectors(self._index_dir)
        retriever = make("retriever", self.config.retriever, embedder=embedder, index_dir=self._index_dir)
        retriever.store_in(store)
        retriever.index(self._corpus.take(self.units(chunks), self.config.kb_lang))
        embedder.forget()
        return store.kept

    def _embedder(self) -> DistributedEmbedder:
        assert self.embedder is not None
        blocks = None if self._index_dir is None else self._index_dir / "blocks"
        return DistributedEmbedder(self.embedder, self._calls, self._loop, blocks)

    def prepare(self, queries: Sequence[Query]) -> None:
        """Have the queries embedded together, as a local run does, where the vectors are of use to the workers."""
        retriever = self.retriever
        if not isinstance(retriever, DenseRetriever | HybridRetriever) or not retriever.embeds_queries:
            return
        assert self.embedder is not None
        texts = [text for text in dict.fromkeys(query.text for query in queries) if text not in self._vectors]
        if texts and is_named(self.embedder):
            self._vectors |= zip(texts, self._embedder().embed(texts, Side.QUERY), strict=True)

    async def rank_query(self, query: Query, top_k: int | None = None) -> Ranked:
        """Return the chunks for a query as `Chatbot.rank_query` does."""
        wanted = self.config.top_k if top_k is None else top_k
        depth = max(wanted, self.config.top_k)
        if self.config.retriever.kind in _HERE:
            retrieved = await self.thread.call(self.retrieve, query, depth)
        else:
            name = corpus_name(self.config.kb_lang, query.lang)
            retrieved = await self._calls.call(
                RETRIEVAL, RankedQuery(name, self._shipped[name], query, depth, self._vectors.get(query.text))
            )
        retrieved = checked_hits(retrieved, "retrieve")
        hits = list(retrieved)
        if not isinstance(self.reranker, NoReranker):
            hits = checked_hits(await self._calls.call(RERANKING, (query, hits)), "rerank")
        return Ranked(hits[:wanted], retrieved)

    async def read_contexts(
        self, queries: Sequence[Query], contexts: Sequence[tuple[Hit, ...]]
    ) -> list[tuple[Answer, float]]:
        """Answer queries from contexts as `Chatbot.read_contexts` does."""
        pairs = zip(queries, contexts, strict=True)
        return await together(*(self._calls.call(ANSWERING, pair) for pair in pairs))

    def resolved(self) -> dict[str, str]:
        """Return what the models of the parts turned out to be, as far as workers have said."""
        known = self._calls.resolved
        return {part: known[part] for part in ("embedder", "reranker", "reader") if part in known}

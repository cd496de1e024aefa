"""The stages' functions as a worker carries them out, each opened from the configuration of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragaliq.components import make, resolved
from ragaliq.config import RunConfig
from ragaliq.execution.cluster.worker import Opened
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.check import make_checking
from ragaliq.pipeline.distributed.calls import CallSettings, reported, reported_batch, worker_session
from ragaliq.pipeline.distributed.vectors import KnownQueries, ShippedVectors, is_named
from ragaliq.pipeline.grade import verdict_on
from ragaliq.pipeline.manifest import resolved_judge
from ragaliq.retrieve import Embedder, Side
from ragaliq.retrieve.hybrid import DenseRetriever, HybridRetriever
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.record_store import Key
from ragaliq.types import Answer, Chunk, Hit, Nugget, Query, Verdict

EMBEDDING, RETRIEVAL, RERANKING, ANSWERING, JUDGING, CHECKING = (
    "embedding", "retrieval", "reranking", "answering", "judging", "checking",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Work:
    """What every stage is opened from.

    Attributes:
        config: of the run.
        calls: how endpoints are called.
        gpus: the share of a GPU that the worker has, so far as it has one; 0 for none.
    """

    config: RunConfig
    calls: CallSettings
    gpus: float = 0.0

    def session(self) -> LLMSession:
        """Return the worker's session, once a model may take no more of a GPU than its share."""
        if 0 < self.gpus < 1:
            # Without torch, or without a GPU, there is nothing to bound.
            with suppress(ImportError, RuntimeError, AssertionError, ValueError):
                import torch

                torch.cuda.set_per_process_memory_fraction(self.gpus)
        return worker_session(self.calls)


class EmbedWork(Work):
    """Embeds blocks of passages."""

    def open(self) -> Opened:
        """Return the function: texts and their side → one vector for each."""
        session, thread = self.session(), SerialThread()
        embedder: Embedder = make("embedder", self.config.embedder, seed=self.config.seed, session=session)

        async def embedded(record: tuple[Sequence[str], Side]) -> NDArray[np.float32]:
            rows: NDArray[np.float32] = await thread.call(embedder.embed, *record)
            return rows

        return Opened(reported(session, embedded, lambda: resolved(embedder=embedder)))


class RankedQuery(NamedTuple):
    """A query to rank the chunks of a corpus for.

    `corpus` is the reference of its chunks and of vectors by their key, `vector` the query's own, where it is known.
    """

    name: str
    corpus: Any
    query: Query
    depth: int
    vector: NDArray[np.float32] | None


class RetrieveWork(Work):
    """Finds chunks; a corpus is indexed by each worker that gets a query to it."""

    def open(self) -> Opened:
        """Return the function: `RankedQuery` → hits."""
        session, indexed = self.session(), set[str]()
        embedder: Embedder = make("embedder", self.config.embedder, seed=self.config.seed, session=session)
        known = KnownQueries(embedder) if is_named(embedder) else None
        bot = Chatbot(self.config, embedder=known, session=session)

        def index(name: str, chunks: Sequence[Chunk], vectors: Mapping[str, NDArray[np.float32]]) -> None:
            if isinstance(bot.retriever, DenseRetriever | HybridRetriever) and vectors:
                bot.retriever.store_in(ShippedVectors(vectors))
            bot.index(chunks)
            indexed.add(name)

        async def retrieved(wanted: RankedQuery) -> list[Hit]:
            if wanted.name not in indexed:
                await bot.thread.call(index, wanted.name, *(await wanted.corpus))
            if known is not None and wanted.vector is not None:
                known.take(wanted.query.text, wanted.vector)
            hits: list[Hit] = await bot.thread.call(bot.retrieve, wanted.query, wanted.depth)
            return hits

        return Opened(reported(bot.session, retrieved, lambda: resolved(embedder=bot.embedder)))


class RerankWork(Work):
    """Orders chunks again."""

    def open(self) -> Opened:
        """Return the function: query and hits → hits."""
        bot = Chatbot(self.config, session=self.session())

        async def reranked(record: tuple[Query, list[Hit]]) -> list[Hit]:
            hits: list[Hit] = await bot.thread.call(bot.rerank, *record)
            return hits

        do = reported(bot.session, reranked, lambda: resolved(reranker=bot.reranker))
        return Opened(do, concurrency=bot.session.concurrency)


class ReadWork(Work):
    """Answers from contexts, many at once where the reader reads so."""

    def open(self) -> Opened:
        """Return the function: query and context → the answer and its seconds."""
        bot = Chatbot(self.config, session=self.session())

        async def read(records: Sequence[tuple[Query, tuple[Hit, ...]]]) -> list[tuple[Answer, float]]:
            return await bot.read_contexts([query for query, _ in records], [context for _, context in records])

        do, size = reported_batch(bot.session, read, lambda: resolved(reader=bot.reader)), bot.batch_size
        return Opened(do, size, bot.session.concurrency if size == 1 else 1)


class JudgeWork(Work):
    """Grades answers."""

    def open(self) -> Opened:
        """Return the function: answer → verdict."""
        session, thread = self.session(), SerialThread()
        judge: Judge = make("judge", self.config.judge, seed=self.config.seed, session=session)

        async def graded(answered: RunAnswer) -> Verdict:
            return await verdict_on(answered, judge, thread)

        do = reported(session, graded, lambda: resolved_judge(self.config.judge, judge))
        return Opened(do, concurrency=session.concurrency)


class CheckWork(Work):
    """Answers the separate questions about answers."""

    def open(self) -> Opened:
        """Return the function: the question's name, an answer and the nuggets of its query → the finding."""
        session, thread = self.session(), SerialThread()
        checking = make_checking(self.config.check, session, self.config.seed)
        assert checking is not None

        async def checked(record: tuple[str, RunAnswer, tuple[Nugget, ...]]) -> Any:
            name, answered, nuggets = record
            of_query: Mapping[Key, tuple[Nugget, ...]] = {answered.item.key: nuggets} if nuggets else {}
            return await replace(checking, nuggets=of_query).find(name, answered, thread)

        return Opened(reported(session, checked), concurrency=session.concurrency)

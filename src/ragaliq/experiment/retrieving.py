"""From a corpus and queries to a run on disk: batches, reranking, resumption; without references or judgements."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ragaliq.components import ORACLE, resolved
from ragaliq.errors import Stopped
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.progress import StageProgress
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.experiment.corpus import Corpus
from ragaliq.experiment.effort import Spent
from ragaliq.experiment.expansion import Expander, expand
from ragaliq.experiment.run_file import RunFile, queries_hash
from ragaliq.experiment.search import Search, blamed, index
from ragaliq.experiment.settings.depth import merge_reranked
from ragaliq.experiment.settings.system import Parts, System
from ragaliq.formats.reading.fields import check_doc_id, check_query_id
from ragaliq.formats.reading.stored_documents import StoredDocuments, by_doc_id
from ragaliq.rerank import Reranker, RerankFailed
from ragaliq.runs.rankings import Rankings
from ragaliq.storage.redaction import error_line
from ragaliq.types import Hit, Query

# Queries of one call of the retriever; fewer with a reranker, since a kill loses what is under way.
BATCH, _BATCH_RERANKED = 64, 8
# A query and its ranking, or why the reranker failed.
_Ranked: TypeAlias = tuple[Query, list[Hit] | RerankFailed]


@dataclass(frozen=True, slots=True)
class RetrievalTask:
    """What is to be retrieved.

    Attributes:
        corpus: the documents.
        queries: what is asked; where a model makes the texts, the questions.
        system: how it is retrieved.
        own: ids of the queries that are documents, which are left out of their own rankings.
    """

    corpus: Corpus
    queries: tuple[Query, ...]
    system: System
    own: frozenset[str] = frozenset()


def retrieve(
    task: RetrievalTask,
    file: RunFile,
    parts: Parts,
    fresh: bool = False,
    texts: Path | None = None,
    inner: bool = False,
) -> list[str]:
    """Write a task's run, or go on with it, and return notes for the user; a finished run is left alone.

    Every ranking is on disk at once; the same call after a kill makes the others only. `file` then knows the seconds
    and the costs.

    Args:
        task: what is retrieved.
        file: the run.
        parts: makes the parts of the system.
        fresh: throw away what an earlier call left there.
        texts: file of the texts that a model makes; None takes one beside the run.
        inner: one of many tasks, with a bar over all of them: its own bars leave nothing behind.

    Raises:
        InputError: if the run was made with another configuration, or a part cannot do its work.
        Stopped: if the work ended early, or rankings are missing because a reranker failed; the same call goes on.
    """
    for query in task.queries:
        check_query_id(query.query_id, task.corpus.name)
    if not isinstance(task.corpus.chunks, StoredDocuments):  # Checked when it was indexed.
        for chunk in task.corpus.chunks:
            check_doc_id(chunk.doc_id, task.corpus.name)
    with file.locked():
        expander = Expander(task.system.queries, parts.session, task.system.seed) if task.system.queries.model else None
        reranker = parts.reranker(task.system)
        identity = _identity(task, reranker, expander)
        if task.system.retriever.kind == ORACLE:
            identity["data"]["gold_hash"] = parts.gold_hash(task.queries)
        if file.open(identity, fresh):
            return []
        job = _Job(task, file, parts, reranker, expander, texts or file.texts_file, inner)
        models: dict[str, str] = {}
        finished = False
        before = Spent.of(parts.session.accounts.values())
        try:
            models = carry_out(job.work(), parts.session, job.thread)
            finished = True
        finally:
            file.spent.add(before, Spent.of(parts.session.accounts.values()))
            file.close(identity, finished, models)
        return job.notes


def _identity(task: RetrievalTask, reranker: Reranker, expander: Expander | None) -> dict[str, Any]:
    """Return what decides the rankings."""
    corpus = task.corpus
    prompts = {
        name: str(part.prompt_hash)  # type: ignore[union-attr]
        for name, part in (("reranker_prompt_hash", reranker), ("queries_prompt_hash", expander))
        if hasattr(part, "prompt_hash")
    }
    return {
        "data": {
            "name": corpus.name,
            "lang": corpus.lang,
            "split": corpus.split,
            "hash": corpus.hash,
            "n_docs": len(corpus.chunks),
            "truncated": corpus.truncated,
            "queries_hash": queries_hash(task.queries),
            "n_queries": len(task.queries),
            "n_own_left_out": len(task.own),
        },
        "system": {**task.system.to_json(), **prompts},
    }


@dataclass(slots=True)
class _Job:
    """The work on one run."""

    _task: RetrievalTask
    _file: RunFile
    _parts: Parts
    _reranker: Reranker
    _expander: Expander | None
    _texts: Path
    _inner: bool
    _n_unsorted: int = 0
    thread: SerialThread = field(default_factory=SerialThread)
    notes: list[str] = field(default_factory=list)

    async def work(self) -> dict[str, str]:
        """Do the work to its end, and return what the models turned out to be."""
        task, session = self._task, self._parts.session
        queries = list(task.queries)
        if self._expander is not None:
            queries, n = await expand(self._expander, queries, self._texts, session)
            if n:
                self.notes.append(
                    f"note: the model made no text for {n} of {len(queries)} queries: their question is asked"
                )
        rankings = Rankings(self._file.path, by_doc_id(task.corpus.chunks))
        pending = [query for query in queries if query.query_id not in rankings]
        search = await self._indexed() if pending else None
        failures = [] if search is None else await self._retrieved(search, rankings, pending)
        if failures:
            counts = f"{len(failures)} of {len(queries)} queries"
            raise Stopped(f"{counts} could not be reranked ({failures[0]}); the same command tries them again")
        rankings.rewrite()
        if self._n_unsorted:
            self.notes.append(
                f"warning[unsorted-run]: the retriever gave {self._n_unsorted} rankings out of the order of their "
                "scores; they are sorted here, fix the retriever"
            )
        parts = {"retriever": search and search.retriever, "reranker": self._reranker}
        return resolved(embedder=self._parts.embedder(task.system), **parts)

    async def _retrieved(self, search: Search, rankings: Rankings, pending: Sequence[Query]) -> list[str]:
        """Add the rankings of queries, and return why a reranker failed, a line for each query."""
        task, name = self._task, f"retrieving {self._task.corpus.lang}"
        store = _RankedStore(rankings)
        await run_stage(
            name, pending, lambda batch: self._ranked(search, batch), store, self._parts.session,
            size=_BATCH_RERANKED if task.system.reranks else BATCH, inner=self._inner,
        )  # fmt: skip
        return store.failures

    async def _indexed(self) -> Search:
        task = self._task
        start = time.perf_counter()
        count, name = len(task.corpus.chunks), f"indexing {task.corpus.lang}"
        with StageProgress(name, count, "document", inner=self._inner) as progress:
            search: Search = await self.thread.call(index, task.corpus, task.system, self._parts)
            progress.step(count)
        self._file.seconds.index += time.perf_counter() - start
        self._parts.session.signal.check()
        return search

    async def _ranked(self, search: Search, batch: Sequence[Query]) -> list[_Ranked]:
        system, seconds = self._task.system, self._file.seconds
        start = time.perf_counter()
        # One more, for the query's own document may be taken out.
        lists = await self.thread.call(search.batch, batch, system.top_k + bool(self._task.own))
        self._n_unsorted += search.n_unsorted
        search.n_unsorted = 0
        hits = [self._without_own(query, ranking) for query, ranking in zip(batch, lists, strict=True)]
        seconds.retrieve += time.perf_counter() - start
        start = time.perf_counter()
        ranked: list[list[Hit] | RerankFailed] = list(hits)
        if system.reranks:
            ranked = list(await asyncio.gather(*map(self._reranked, batch, hits)))
        seconds.rerank += time.perf_counter() - start
        seconds.queries += len(batch)
        return list(zip(batch, ranked, strict=True))

    def _without_own(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        own = query.query_id if query.query_id in self._task.own else None
        return [hit for hit in hits if hit.chunk.doc_id != own][: self._task.system.top_k]

    async def _reranked(self, query: Query, hits: list[Hit]) -> list[Hit] | RerankFailed:
        depth, name = self._task.system.rerank_depth, f"reranker '{self._task.system.reranker}'"
        if not hits:
            return hits
        try:
            with blamed(name):
                reranked = await self.thread.call(self._reranker.rerank, query, hits[:depth])
            return merge_reranked(hits, reranked, depth, name)
        except RerankFailed as error:
            return error


class _RankedStore:
    """Rankings on disk, and of the queries that a reranker failed on, why."""

    def __init__(self, rankings: Rankings) -> None:
        self._rankings = rankings
        self.failures: list[str] = []
        self.sync = rankings.sync

    def append(self, ranked: _Ranked) -> None:
        """Write a query's ranking."""
        query, hits = ranked
        if isinstance(hits, RerankFailed):
            self.failures.append(error_line(hits))
        else:
            self._rankings.append(query.query_id, hits)

    def failed(self, ranked: _Ranked) -> bool:
        """Return whether the reranker failed."""
        return isinstance(ranked[1], RerankFailed)

"""The answering stage: retrieve, rerank, read; each finished item is in the run folder at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from ragaliq.aggregate.token_scores import TokenScores
from ragaliq.config import SAME
from ragaliq.errors import InputError, RagaliqError
from ragaliq.execution.progress import StageProgress
from ragaliq.execution.run_stage import run_stage
from ragaliq.formats.reading.stored_documents import by_doc_id
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.system.results import Ranked, answer_whole, failed_answer
from ragaliq.rerank import RerankFailed
from ragaliq.rerank.none import NoReranker
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rankings import Rankings, is_growing
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.error_log import told
from ragaliq.storage.journal import Journal
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.storage.redaction import error_line
from ragaliq.text.answer_language import answer_language
from ragaliq.text.language import load_detector
from ragaliq.types import Answer, AnswerOutcome, Chunk, Hit, Item, Query


@dataclass(frozen=True, slots=True)
class Answering:
    """What the stage works with.

    `answered` is called with each item that has an answer now. `indexed` holds the names of the knowledge bases that
    the chatbot has indexed; several languages may share one.
    """

    chatbot: Chatbot
    folder: RunFolder
    answers: RecordStore[RunAnswer]
    answered: Callable[[Key], None]
    scores: TokenScores
    indexed: set[str] = field(default_factory=set)

    def pending(self, items: Sequence[Item]) -> list[Item]:
        """Return the items that have no answer yet, or whose reader failed."""
        return [i for i in items if i.key not in self.answers or self.answers.header(i.key).failed]

    @property
    def ranks_again(self) -> bool:
        """Whether the reader may be shown other texts than the corpus's, which the run's rankings do not hold."""
        return getattr(self.chatbot.reranker, "alters_texts", False) or self.chatbot.overrides("retrieve", "rerank")

    @property
    def reranks(self) -> bool:
        """Whether the order of the retriever is not the final one."""
        return not isinstance(self.chatbot.reranker, NoReranker) or self.chatbot.overrides("rerank")

    @property
    def reader_searches(self) -> bool:
        """Whether the reader is the user's own, which may retrieve by itself."""
        return self.chatbot.named_config().reader != self.chatbot.config.reader

    def measured(self, item: Item, answer: Answer) -> RunAnswer:
        """Return an answer with what can be told of its language."""
        material = (item.query.text, *(hit.chunk.text for hit in answer.context))
        language = answer_language(answer.text, answer.query.lang, item.reference, material)
        return RunAnswer(item, answer, language, self.scores.of(item, answer))


async def answer(stage: Answering, chunks: Sequence[Chunk], items: Sequence[Item]) -> None:
    """Answer the pending items of one language from the chunks of a knowledge base.

    Raises:
        InputError: if a part of the system cannot do its work at all.
    """
    lang, chatbot = items[0].query.lang, stage.chatbot
    known = by_doc_id(chatbot.units(chunks))
    files = (stage.folder.retrieval_file(lang), stage.folder.retrieved_file(lang))
    pending = stage.pending(items)
    if not pending:
        for file in filter(is_growing, files):
            # A kill came between the last answer and this.
            Rankings(file, known).rewrite()
        return
    orders = _Orders(Rankings(files[0], known), Rankings(files[1], known) if stage.reranks else None)
    unranked = [item.query for item in pending if stage.ranks_again or item.query.query_id not in orders.ranked]
    # Loaded while the corpus is indexed, in another thread.
    detector = asyncio.create_task(asyncio.to_thread(load_detector))
    if unranked or stage.reader_searches:
        await index_for(stage, chunks, lang, unranked)
    await detector
    pending.sort(key=lambda item: item.key)
    with stage.answers, Journal(stage.folder.timings_file) as timings:
        work = _Language(stage, orders, timings)
        await run_stage(f"answering {lang}", pending, work.do, work, chatbot.session, size=chatbot.batch_size)
    orders.rewrite()


@dataclass(frozen=True, slots=True)
class _Orders:
    """The rankings of one language, and the order before the reranker where there is one."""

    ranked: Rankings
    retrieved: Rankings | None

    def append(self, query_id: str, ranked: Ranked) -> list[Hit]:
        """Add a ranking; the order before the reranker first, so that no ranking is without it after a kill."""
        if self.retrieved is not None:
            self.retrieved.append(query_id, ranked.retrieved)
        return self.ranked.append(query_id, ranked.hits)

    def sync(self) -> None:
        """Wait until all rankings are on disk."""
        for rankings in filter(None, (self.retrieved, self.ranked)):
            rankings.sync()

    def rewrite(self) -> None:
        """Write the files again, sorted by query id."""
        for rankings in filter(None, (self.retrieved, self.ranked)):
            rankings.rewrite()


class _Language:
    """The work on the items of one language."""

    def __init__(self, stage: Answering, orders: _Orders, timings: Journal) -> None:
        self._stage = stage
        self._orders = orders
        self._timings = timings
        self._noted = False

    async def do(self, batch: Sequence[Item]) -> list[tuple[RunAnswer, float]]:
        """Answer some items, and return each answer with the reader's seconds."""
        chatbot = self._stage.chatbot
        if chatbot.overrides("answer"):
            timed = [await answer_whole(chatbot.thread, chatbot.answer, item.query) for item in batch]
        else:
            timed = await self._read(batch)
        answers = [answer for answer, _ in timed]
        measured = await chatbot.thread.call(lambda: list(map(self._stage.measured, batch, answers)))
        return [(answered, seconds) for answered, (_, seconds) in zip(measured, timed, strict=True)]

    async def _read(self, batch: Sequence[Item]) -> list[tuple[Answer, float]]:
        chatbot = self._stage.chatbot
        ranked = [await _ranked(self._stage, self._orders, item) for item in batch]
        readable = [(item.query, hits) for item, hits in zip(batch, ranked, strict=True) if isinstance(hits, list)]
        read = iter(await chatbot.read_all([query for query, _ in readable], [hits for _, hits in readable]))
        return [next(read) if isinstance(hits, list) else (hits, 0.0) for hits in ranked]

    def append(self, result: tuple[RunAnswer, float]) -> None:
        """Write an answer, and what the models turned out to be, which are loaded by now."""
        answered, seconds = result
        query = answered.item.query
        self._timings.append({"lang": query.lang, "query_id": query.query_id, "seconds": round(seconds, 6)})
        self._stage.answers.append(answered)
        if not self._noted:
            self._noted = True
            self._stage.folder.note_models(self._stage.chatbot.resolved())
        self._stage.answered(answered.item.key)

    def sync(self) -> None:
        """Wait until what was appended is on disk."""
        self._orders.sync()
        self._stage.answers.sync()
        self._timings.sync()

    def failed(self, result: tuple[RunAnswer, float]) -> bool:
        """Return whether the reader failed."""
        return result[0].answer.failed


async def index_for(stage: Answering, chunks: Sequence[Chunk], lang: str, unranked: Sequence[Query]) -> None:
    """Index the knowledge base that the queries of a language are answered from, and announce those to rank."""
    chatbot, kb_lang = stage.chatbot, stage.chatbot.config.kb_lang
    name = lang if kb_lang == SAME else kb_lang
    parts = _parts_named(stage.folder, f"indexing {name}")
    with StageProgress(f"indexing {name}", len(chunks), "chunk") as progress, parts:
        if name not in stage.indexed:
            await chatbot.thread.call(chatbot.index, chunks)
            stage.indexed.add(name)
        await chatbot.thread.call(chatbot.prepare, unranked)
        progress.step(len(chunks))


async def _ranked(stage: Answering, orders: _Orders, item: Item) -> list[Hit] | Answer:
    """Return an item's ranked chunks; what an earlier call has ranked is read back from the run.

    Texts that a reranker, or a stage that the chatbot overrides, has changed are not in the run: such a ranking is made
    again. A ranking that failed for now,
    and what a stage that the chatbot overrides raises, is a failed answer: the same command tries it again.
    """
    query, chatbot = item.query, stage.chatbot
    if query.query_id in orders.ranked and not stage.ranks_again:
        return orders.ranked.hits(query.query_id)
    with _parts_named(stage.folder, f"ranking, query {query.query_id} ({query.lang})"):
        try:
            return orders.append(query.query_id, await chatbot.rank_query(query))
        except RerankFailed as error:
            return Answer(query, "", AnswerOutcome.ERROR, (), error=error_line(error))
        except RagaliqError:
            raise
        except (Exception, SystemExit) as error:
            if not chatbot.overrides("embed", "retrieve", "rerank"):
                raise
            return failed_answer(query, "ranking", error)


@contextmanager
def _parts_named(folder: RunFolder, doing: str) -> Iterator[None]:
    """Turn what other people's parts raise into one line: without ranked chunks there is nothing to read."""
    try:
        yield
    except RagaliqError:
        raise
    except (Exception, SystemExit) as error:
        line = told(error, doing)
        raise InputError(
            f"embedder, retriever or reranker: {line}; fix it and run again (traceback: {folder.errors_file})"
        ) from error

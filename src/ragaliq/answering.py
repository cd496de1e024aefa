"""The answering stage: retrieve, rerank, read; each finished item is in the run folder at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from tqdm import tqdm

from ragaliq.chatbot import Chatbot
from ragaliq.engine import Stage, each, work
from ragaliq.errors import InputError, RagaliqError
from ragaliq.io import Journal
from ragaliq.rankings import Rankings
from ragaliq.run_rows import FAILED, Answered
from ragaliq.runs import RunFolder
from ragaliq.scrub import error_line
from ragaliq.table import Key, Table
from ragaliq.text.language import in_language, supported
from ragaliq.token_scores import TokenScores
from ragaliq.types import Answer, Chunk, Hit, Item


@dataclass(frozen=True, slots=True)
class Answering:
    """What the stage works with.

    Attributes:
        chatbot: the system under test.
        folder: the run.
        answers: the run's answers, to which the new ones are added.
        answered: told of each item that has an answer now.
        scores: the token-level language consistency.
        concurrency: how many items are under way at once.
    """

    chatbot: Chatbot
    folder: RunFolder
    answers: Table[Answered]
    answered: Callable[[Key], None]
    scores: TokenScores
    concurrency: int

    def pending(self, items: Sequence[Item]) -> list[Item]:
        """Return the items that have no answer yet, or whose reader failed."""
        return [i for i in items if i.key not in self.answers or self.answers.note(i.key).outcome in FAILED]

    def measured(self, item: Item, made: Answer) -> Answered:
        """Return an answer with what can be told of its language."""
        return Answered(item, made, in_language(made.text, made.query.lang), self.scores.of(item, made))


async def answer(stage: Answering, chunks: Sequence[Chunk], items: Sequence[Item]) -> bool:
    """Answer the pending items of one language; tell whether there were any.

    Raises:
        InputError: if a part of the system cannot do its work at all.
    """
    pending = stage.pending(items)
    if not pending:
        return False
    lang, chatbot = pending[0].query.lang, stage.chatbot
    rankings = Rankings(stage.folder.retrieval_file(lang), {chunk.doc_id: chunk for chunk in chunks})
    # Loaded while the corpus is indexed, in another thread.
    detector = asyncio.create_task(asyncio.to_thread(supported))
    again = getattr(chatbot.reranker, "alters_texts", False)
    await _index(chatbot, chunks, [item for item in pending if again or item.query.query_id not in rankings])

    async def do(batch: Sequence[Item]) -> list[tuple[Answered, float]]:
        hits = [await _ranked(chatbot, rankings, item) for item in batch]
        start = time.perf_counter()
        answers = await chatbot.read([item.query for item in batch], hits)
        seconds = (time.perf_counter() - start) / len(batch)
        await detector
        done = await chatbot.lane.call(lambda: list(map(stage.measured, batch, answers)))
        return [(answered, seconds) for answered in done]

    with stage.answers, Journal(stage.folder.timings_file) as timings:

        def keep(item: Item, result: tuple[Answered, float]) -> None:
            made, seconds = result
            query = item.query
            timings.append({"lang": query.lang, "query_id": query.query_id, "seconds": round(seconds, 6)})
            stage.answers.append(made)
            stage.answered(item.key)

        def sync() -> None:
            stage.answers.sync()
            timings.sync()

        size = chatbot.batch_size
        reading: Stage[Item, tuple[Answered, float]] = Stage(
            f"answering {lang}", do, keep, sync, _failed, len(pending), stage.concurrency if size == 1 else 1, size
        )
        await work(reading, _sorted(pending), chatbot.calls.signal)
    rankings.rewrite()
    return True


def _failed(result: tuple[Answered, float]) -> bool:
    return result[0].answer.outcome in FAILED


def _sorted(pending: Sequence[Item]) -> AsyncIterator[Item]:
    return each(sorted(pending, key=lambda item: item.key))


async def _index(chatbot: Chatbot, chunks: Sequence[Chunk], unranked: Sequence[Item]) -> None:
    if not unranked:
        return
    with tqdm(total=1, desc=f"indexing {unranked[0].query.lang}", unit="corpus") as bar, _parts_named():
        await chatbot.lane.call(chatbot.index, chunks)
        await chatbot.lane.call(chatbot.prepare, [item.query for item in unranked])
        bar.update()


async def _ranked(chatbot: Chatbot, rankings: Rankings, item: Item) -> list[Hit]:
    """Return an item's ranked chunks; what an earlier call has ranked is read back from the run.

    Texts that a reranker has shortened are not in the run, so its ranking is made again.
    """
    query = item.query
    if query.query_id not in rankings or getattr(chatbot.reranker, "alters_texts", False):
        with _parts_named():
            return rankings.append(query.query_id, await chatbot.rank(query))
    return rankings.hits(query.query_id)


class _parts_named:
    """Turns what other people's parts raise into one line: without ranked chunks there is nothing to read."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Name the parts that may have raised the error."""
        if isinstance(error, Exception) and not isinstance(error, RagaliqError):
            raise InputError(f"embedder, retriever or reranker: {error_line(error)}; mend it and run again") from error

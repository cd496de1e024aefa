"""The stages that begin while the reader is still at work: each takes answers as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragaliq.judge import Judge
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.check import Checking
from ragaliq.pipeline.findings import Inquiry, inquire
from ragaliq.pipeline.grade import Grading, grade_answers
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.types import Item


@dataclass(slots=True)
class NextStage:
    """What one stage after the reader has to do: answers at hand, and those that are handed on as they come."""

    store: RecordStore[Any]
    waiting: list[Key]
    work: Callable[[NextStage, int], Coroutine[Any, Any, None]]
    concerns: Callable[[Key], bool] = lambda _: True
    ready: asyncio.Queue[Key | None] = field(default_factory=asyncio.Queue)
    total: int = 0

    def hand(self, key: Key) -> None:
        """Take an answer that has just come."""
        if self.concerns(key):
            self.ready.put_nowait(key)

    def expect(self, awaited: Sequence[Key]) -> None:
        """Leave to the queue what the reader is still to answer."""
        coming = {key for key in awaited if self.concerns(key)}
        self.waiting = [key for key in self.waiting if key not in coming]
        self.total = len(self.waiting) + len(coming)

    async def keys(self) -> AsyncIterator[Key]:
        """Yield the answers, those at hand first."""
        for key in self.waiting:
            yield key
        while (handed := await self.ready.get()) is not None:
            yield handed


def next_stages(
    chatbot: Chatbot,
    answers: RecordStore[RunAnswer],
    folder: RunFolder,
    items: Mapping[Key, Item],
    after: tuple[Judge | None, Checking | None],
) -> list[NextStage]:
    """Return the stages of a run after its reader: grading and the separate questions, as far as there are any."""
    session, thread, (judge, checking) = chatbot.session, chatbot.thread, after
    stages: list[NextStage] = []
    if judge is not None:
        grading = Grading(judge, answers, folder.verdicts(), session, thread, items)

        async def grade_all(stage: NextStage, row: int) -> None:
            await grade_answers(grading, stage.keys(), stage.total, row)

        stages.append(NextStage(grading.verdicts, grading.pending(), grade_all))
    for inquiry in checking.inquiries(folder, answers) if checking else ():

        async def ask_all(stage: NextStage, row: int, inquiry: Inquiry[Any] = inquiry) -> None:
            await inquire(inquiry, stage.keys(), session, thread, stage.total, row)

        stages.append(NextStage(inquiry.store, inquiry.pending(), ask_all, inquiry.concerns))
    return stages

"""The judge, and the separate questions about answers, on the machines of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge import Judge
from ragaliq.pipeline.check import Checking
from ragaliq.pipeline.distributed.calls import Calls
from ragaliq.pipeline.distributed.works import CHECKING, JUDGING
from ragaliq.pipeline.grade import JudgeElsewhere
from ragaliq.pipeline.manifest import judge_identity
from ragaliq.runs.rows import RunAnswer
from ragaliq.types import Answer, Item, Verdict


class DistributedJudge(JudgeElsewhere):
    """Grades as a judge does, on workers."""

    def __init__(self, judge: Judge, calls: Calls) -> None:
        self.name, self.prompt_hash = judge_identity(judge)
        self._calls = calls

    async def verdict_on(self, answered: RunAnswer) -> Verdict:
        """Return a worker's verdict on an answer."""
        verdict: Verdict = await self._calls.call(JUDGING, answered)
        return verdict

    async def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return a worker's verdict on an answer to an item."""
        return await self.verdict_on(RunAnswer(item, answer))


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributedChecking(Checking):
    """Asks the separate questions as a `Checking` does, on workers."""

    calls: Calls

    async def find(self, name: str, answered: RunAnswer, thread: SerialThread) -> Any:
        """Return the finding of an inquiry about an answer."""
        return await self.calls.call(CHECKING, (name, answered, tuple(self.nuggets.get(answered.item.key, ()))))


def distributed_checking(checking: Checking, calls: Calls) -> Checking:
    """Return a checking whose questions are asked on workers."""
    return DistributedChecking(**{part.name: getattr(checking, part.name) for part in fields(checking)}, calls=calls)

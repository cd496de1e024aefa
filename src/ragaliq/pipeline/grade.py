"""The judging stage: every answer gets a verdict; each one is in the run folder at once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ragaliq.errors import RagaliqError
from ragaliq.execution.progress import say
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.judge import Judge
from ragaliq.llm import LLMSession
from ragaliq.pipeline.manifest import judge_identity
from ragaliq.runs.rows import VERDICTS, AnswerHeader, RunAnswer, VerdictHeader, current_verdicts
from ragaliq.storage.error_log import told
from ragaliq.storage.record_store import Key, RecordStore
from ragaliq.storage.redaction import count_altered, redactor
from ragaliq.types import Item, Usage, Verdict, VerdictOutcome


class JudgeElsewhere:
    """A judge whose verdicts another process gives, and has checked."""

    async def verdict_on(self, answered: RunAnswer) -> Verdict:
        """Return what `verdict_on` returns there."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Grading:
    """What the stage works with.

    `items` are the benchmark's, which hold more than a run does: gold, type, difficulty. Where one is missing, the
    judge gets the item as the run holds it.
    """

    judge: Judge
    answers: RecordStore[RunAnswer]
    verdicts: RecordStore[Verdict]
    session: LLMSession
    thread: SerialThread
    items: Mapping[Key, Item] = field(default_factory=dict)

    def answer(self, key: Key) -> RunAnswer:
        """Return an answer with the benchmark's item."""
        answered = self.answers[key]
        return replace(answered, item=self.items.get(key, answered.item))

    def pending(self, only_unscored: bool = False) -> list[Key]:
        """Return the answers that have no verdict yet, or a stale one."""
        return [
            key
            for key in self.answers
            if key not in self.verdicts or _stale(self.answers.header(key), self.verdicts.header(key), only_unscored)
        ]

    def changed(self) -> list[Key]:
        """Return the graded answers that have changed since, but for those that the reader gave after a failure."""
        return [
            key
            for key in set(self.verdicts) - current_verdicts(self.answers, self.verdicts)
            if key in self.answers and self.verdicts.header(key).outcome is not VerdictOutcome.NO_ANSWER
        ]


async def grade_answers(
    stage: Grading, keys: Sequence[Key] | AsyncIterator[Key], total: int | None = None, row: int = 0
) -> None:
    """Grade the answers of the keys; `total` says how many there will be of those that come one by one."""

    async def do(batch: Sequence[Key]) -> list[Verdict]:
        return [await _hashed_verdict(stage, key) for key in batch]

    n_changed = len(stage.changed())
    if n_changed:
        line = f"{n_changed} of {len(stage.answers)} answers have changed since they were graded"
        say(f"note: {line}; they are graded again")
    with stage.verdicts:
        await run_stage("judging", keys, do, stage.verdicts, stage.session, total=total, row=row)


async def verdict_on(answered: RunAnswer, judge: Judge, thread: SerialThread) -> Verdict:
    """Return a judge's verdict on one answer; whatever goes wrong with it becomes a typed reason that there is none.

    Raises:
        RagaliqError: what the judge raises to stop the work.
    """
    if answered.answer.failed:
        return _no_grade(answered, judge, VerdictOutcome.NO_ANSWER, answered.answer.error)
    if isinstance(judge, JudgeElsewhere):
        return await judge.verdict_on(answered)
    try:
        return _checked(await thread.call(judge.grade, answered.item, answered.answer), answered)
    except RagaliqError:
        raise
    except (Exception, SystemExit) as error:  # A judge may be anybody's code; whatever it raises is no grade.
        return _no_grade(
            answered, judge, VerdictOutcome.API_ERROR, told(error, f"judge, query {' '.join(answered.item.key)}")
        )


async def _hashed_verdict(stage: Grading, key: Key) -> Verdict:
    verdict = await verdict_on(stage.answer(key), stage.judge, stage.thread)
    return replace(verdict, answer_hash=stage.answers.header(key).hash)


def _checked(verdict: Verdict, answered: RunAnswer) -> Verdict:
    """Return a judge's verdict if it is one, and on this item."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"a judge returns a Verdict, not {verdict!r}")
    if not isinstance(verdict.usage, Usage | None) or not isinstance(verdict.feedback, str):
        raise TypeError(f"a Verdict has a Usage or None, and a text for its feedback, not {verdict!r}")
    if verdict.key != answered.item.key:
        raise ValueError(f"the verdict is on {verdict.key}, not on {answered.item.key}")
    VERDICTS.check(verdict)
    clean = redactor()
    cleaned = replace(verdict, feedback=clean(verdict.feedback), reasoning=clean(verdict.reasoning))
    count_altered((verdict.feedback, verdict.reasoning), (cleaned.feedback, cleaned.reasoning))
    return cleaned


def _no_grade(answered: RunAnswer, judge: Judge, outcome: VerdictOutcome, why: str) -> Verdict:
    query = answered.item.query
    name, prompt_hash = judge_identity(judge)
    return Verdict(query.query_id, query.lang, None, outcome, why, name, prompt_hash, attempts=0)


def _stale(answer: AnswerHeader, verdict: VerdictHeader, only_unscored: bool) -> bool:
    """Return whether a verdict is to be given again."""
    if not answer.has_hash(verdict.answer_hash):
        return True
    if verdict.outcome is VerdictOutcome.NO_ANSWER:
        # The reader may have been asked again since, and have answered this time.
        return not answer.failed
    return only_unscored and not verdict.complete

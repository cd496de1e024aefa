"""The same reader and judge under other contexts: nothing, the retriever's order before the reranker, the gold."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.benchmark.kb_language import corpus_name, knowledge_base
from ragaliq.benchmark.load import Benchmark
from ragaliq.execution.stopping import together
from ragaliq.judge import Judge
from ragaliq.pipeline.answer import Answering, index_for
from ragaliq.pipeline.grade import verdict_on
from ragaliq.runs.rows import RunAnswer, VerdictHeader
from ragaliq.runs.traces import asked_under
from ragaliq.types import Answer, AnswerOutcome, Condition, ConditionAnswer, Hit, Item, VerdictOutcome

Answers = dict[Condition, ConditionAnswer]
# What a judge sees of an answer; equal ones to a query are graded once.
_Said = tuple[str, AnswerOutcome]
# Place in a batch, and what the reader sees (`seen`); equal ones are read once, under the first condition.
_Shown = tuple[int, object]
_Grade = tuple[int | None, VerdictOutcome, str]


@dataclass(frozen=True, slots=True)
class OtherContexts:
    """What the reader is to be shown of one item beside the context of the run.

    Attributes:
        run: the run's answer, with the benchmark's item.
        verdict: the run's verdict on it; None if there is none.
        contexts: by condition; those of `standing` are not read again.
        standing: answers of an earlier call that have a grade.
    """

    run: RunAnswer
    verdict: VerdictHeader | None
    contexts: Mapping[Condition, tuple[Hit, ...]]
    standing: Mapping[Condition, ConditionAnswer]


class ConditionReading:
    """Answers from other contexts; where the context is that of the run, its answer is taken."""

    def __init__(self, answering: Answering, judge: Judge, benchmark: Benchmark) -> None:
        self._answering = answering
        self._judge = judge
        self._benchmark = benchmark
        self._indexing = asyncio.Lock()

    async def answers(self, batch: Sequence[OtherContexts]) -> list[Answers]:
        """Return the answers to each item of a batch, graded, with those that stand."""
        await self._index({other.run.item.query.lang for other in batch})
        return await together(*map(self._graded, batch, await self._read(batch)))

    async def _read(self, batch: Sequence[OtherContexts]) -> list[dict[Condition, RunAnswer]]:
        """Return the answers that do not stand; equal contexts of an item are read once."""
        wanted: dict[_Shown, tuple[Condition, tuple[Hit, ...]]] = {}
        for place, other in enumerate(batch):
            for condition, context in other.contexts.items():
                if condition not in other.standing and seen(context) != seen(other.run.answer.context):
                    wanted.setdefault((place, seen(context)), (condition, context))
        read: dict[_Shown, RunAnswer] = {}
        for condition in Condition:
            contexts = {shown: context for shown, (first, context) in wanted.items() if first is condition}
            with asked_under(condition):
                read |= await self._read_contexts([batch[place].run.item for place, _ in contexts], contexts)
        return [
            {
                condition: read.get((place, seen(context)), other.run)
                for condition, context in other.contexts.items()
                if condition not in other.standing
            }
            for place, other in enumerate(batch)
        ]

    async def _read_contexts(
        self, items: Sequence[Item], contexts: Mapping[_Shown, tuple[Hit, ...]]
    ) -> dict[_Shown, RunAnswer]:
        chatbot = self._answering.chatbot
        timed = await chatbot.read_contexts([item.query for item in items], list(contexts.values()))
        answers = [answer for answer, _ in timed]
        measured = await chatbot.thread.call(lambda: list(map(self._answering.measured, items, answers)))
        return dict(zip(contexts, measured, strict=True))

    async def _graded(self, other: OtherContexts, read: Mapping[Condition, RunAnswer]) -> Answers:
        grades: dict[_Said, _Grade] = {
            (one.text, one.outcome): (one.grade, one.verdict, one.error) for one in other.standing.values()
        }
        if other.verdict is not None:
            grades[_said(other.run.answer)] = (other.verdict.grade, other.verdict.outcome, "")
        answers = dict(other.standing)
        for condition, answered in read.items():
            said = _said(answered.answer)
            if said not in grades:
                with asked_under(condition):
                    verdict = await verdict_on(answered, self._judge, self._answering.chatbot.thread)
                grades[said] = (verdict.grade, verdict.outcome, verdict.feedback if verdict.grade is None else "")
            grade, outcome, why = grades[said]
            answer = answered.answer
            doc_ids = tuple(hit.chunk.doc_id for hit in answer.context)
            answers[condition] = ConditionAnswer(
                *said, answered.language.answer, doc_ids, grade, outcome, answer.error or why
            )
        return answers

    async def _index(self, langs: set[str]) -> None:
        """Index the corpora for a reader that may search by itself, in a call that did not need them before."""
        if not self._answering.reader_searches:
            return
        kb_lang = self._answering.chatbot.config.kb_lang
        async with self._indexing:
            for lang in sorted(langs):
                if corpus_name(kb_lang, lang) not in self._answering.indexed:
                    await index_for(self._answering, knowledge_base(self._benchmark, kb_lang, lang), lang, ())


def _said(answer: Answer) -> _Said:
    return (answer.text, answer.outcome)


def seen(context: Sequence[Hit]) -> tuple[tuple[str, str], ...]:
    """Return what a reader sees of a context; equal ones are read once."""
    return tuple((hit.chunk.doc_id, hit.chunk.text) for hit in context)

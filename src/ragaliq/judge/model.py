"""A language model as judge, wherever it runs: what it is asked, and what becomes of its replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ragaliq.judge.confidence import Confidence, confidence_in
from ragaliq.judge.fence import neutralise
from ragaliq.judge.instructions import Instructions, InstructionSet
from ragaliq.judge.outcome import failure_outcome, reply_outcome, total_usage
from ragaliq.judge.parse import object_schema, parse_verdict
from ragaliq.judge.rubric import Rubric
from ragaliq.llm import CallFailed, Reply, Request
from ragaliq.llm.prompts import fence_word
from ragaliq.llm.replies.reasoning import is_in_thought
from ragaliq.types import Answer, Item, Refusal, Verdict, VerdictOutcome

MAX_TOKENS = 1024
# Few servers give more candidates; there are six grades.
_CANDIDATES = 5


class Client(Protocol):
    """Completes chats with one model."""

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the reply; raise `CallFailed` if there is none. One that `accept` takes may be kept."""
        ...


@dataclass(frozen=True, slots=True)
class _Read:
    """What a reply says."""

    grade: int | None
    outcome: VerdictOutcome
    feedback: str
    refuses: Refusal | None = None
    sure: Confidence | None = None


class ModelJudge:
    """Grades by asking a model with the rubric; the reply is parsed strictly.

    After a reply that cannot be parsed one more request in the same conversation asks for the form alone; it names no
    grade and says nothing about the rubric. A reply that was cut off, filtered, refused or empty holds no judgement to
    repair.
    """

    def __init__(
        self,
        name: str,
        client: Client,
        instructions: InstructionSet,
        parameters: Mapping[str, Any],
        seed: int = 0,
        logprobs: bool = True,
    ) -> None:
        self.name = name
        self.client = client
        self.prompt_hash = instructions.hash
        self._instructions = instructions
        asked = {"logprobs": True, "top_logprobs": _CANDIDATES} if logprobs else {}
        self._parameters: Mapping[str, Any] = {**parameters, **asked}
        self._seed = seed

    async def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return the model's grade, or the typed reason that there is none."""
        request, instructions = self.request(item, answer), self._instructions.of(item.query.lang)
        graded = (item.query.text, item.reference, *item.aliases, answer.text)
        try:
            reply = await self.client.complete(
                request, lambda r: _read(r, instructions.rubric, graded).grade is not None
            )
        except CallFailed as error:
            failed = Reply("", attempts=error.attempts)
            return self._verdict(item, _Read(None, failure_outcome(error), str(error)), failed)
        read = _read(reply, instructions.rubric, graded)
        if not _is_repairable(read, reply) or "repair" not in instructions.prompt.texts:
            return self._verdict(item, read, reply)
        repaired, second = await self._repair(request, reply, instructions, graded)
        attempts, usage = reply.attempts + second.attempts, total_usage((reply.usage, second.usage))
        return self._verdict(item, repaired or read, replace(reply, attempts=attempts, usage=usage))

    def request(self, item: Item, answer: Answer) -> Request:
        """Return what the model is asked."""
        instructions = self._instructions.of(item.query.lang)
        word = fence_word(self._seed, item.query.text, item.reference, *item.aliases, answer.text)
        aliases = [f"{word} ALSO RIGHT {n}\n{neutralise(alias)}" for n, alias in enumerate(item.aliases, start=1)]
        messages = instructions.prompt.messages(
            rubric=instructions.rubric.text_with_examples,
            fence=word,
            question=neutralise(item.query.text),
            reference="\n".join((neutralise(item.reference), *aliases)),
            answer=neutralise(answer.text),
        )
        return Request(messages, self._parameters, _schema(instructions.rubric), item.query, self.prompt_hash)

    async def _repair(
        self, request: Request, reply: Reply, instructions: Instructions, graded: Sequence[str]
    ) -> tuple[_Read | None, Reply]:
        """Ask for the form of a reply; return what it says now, if it can be read, and the second reply."""
        turns = [("assistant", reply.text), ("user", instructions.prompt.fill("repair"))]
        again = replace(request, messages=[*request.messages, *({"role": r, "content": text} for r, text in turns)])
        try:
            second = await self.client.complete(
                again, lambda r: _read(r, instructions.rubric, graded).grade is not None
            )
        except CallFailed as error:
            return None, Reply("", attempts=error.attempts)
        read = _read(second, instructions.rubric, graded)
        if read.grade is None:
            return None, second
        self._repaired(request, reply)
        # The model copies its grade here, so its probability says nothing of how sure it was.
        feedback = parse_verdict(reply.text, instructions.rubric.meanings).feedback
        return replace(read, feedback=feedback, sure=None), second

    def _repaired(self, request: Request, reply: Reply) -> None:
        """Take note of a reply that a later one repaired."""

    def _verdict(self, item: Item, read: _Read, reply: Reply) -> Verdict:
        return Verdict(
            item.query.query_id,
            item.query.lang,
            read.grade,
            read.outcome,
            read.feedback,
            self.name,
            self.prompt_hash,
            reply.attempts,
            reply.usage,
            refuses=read.refuses,
            expected_grade=None if read.sure is None else read.sure.expected_grade,
            confidence=None if read.sure is None else read.sure.confidence,
            reasoning=reply.reasoning,
        )


def _schema(rubric: Rubric) -> dict[str, Any]:
    # Strict servers require every property; a reply without `refuses` is parsed all the same.
    properties = {
        # In this order the model reasons before it grades.
        "feedback": {"type": "string"},
        "refuses": {"type": "string", "enum": [str(value) for value in Refusal]},
        "grade": {"type": "integer", "enum": sorted(rubric.meanings)},
    }
    return object_schema(properties)


def _is_repairable(read: _Read, reply: Reply) -> bool:
    """Return whether a reply says something in another form; what may be a thought is not to be repeated as a grade."""
    said = reply.text.strip()
    return read.outcome is VerdictOutcome.UNPARSEABLE and bool(said) and not is_in_thought(said, len(said))


def _read(reply: Reply, rubric: Rubric, graded: Sequence[str]) -> _Read:
    outcome = reply_outcome(reply)
    if outcome is not None:
        return _Read(None, outcome, reply.text)
    parsed = parse_verdict(reply.text, rubric.meanings, graded)
    if parsed.grade is None:
        return _Read(None, VerdictOutcome.UNPARSEABLE, reply.text)
    sure = confidence_in(reply, parsed.grade, parsed.place, rubric.meanings)
    return _Read(parsed.grade, VerdictOutcome.SCORED, parsed.feedback, parsed.refuses, sure)

"""A language model as judge, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.judge.fence import neutralise
from ragaliq.judge.instructions import Instructions, load_instructions
from ragaliq.judge.outcome import failure_outcome, reply_outcome, total_usage
from ragaliq.judge.parse import parse_verdict
from ragaliq.judge.rubric import Rubric
from ragaliq.llm import TIMEOUT_S, CallFailed, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.prompts import fence_word
from ragaliq.llm.reply import reply_to_row
from ragaliq.types import Answer, Item, Usage, Verdict, VerdictOutcome

MAX_TEMPERATURE = 2.0
_MAX_TOKENS = 1024


@dataclass(frozen=True, slots=True)
class _Read:
    """What stands in a reply."""

    grade: int | None
    outcome: VerdictOutcome
    feedback: str


class OpenAIJudge:
    """Grades by asking a model with the rubric; the reply is parsed strictly.

    After a reply in no readable form the conversation goes on once, and asks for the form alone: it names no grade and
    says nothing about the rubric. A reply that was cut off, filtered, refused or empty holds no judgement to repair.
    """

    def __init__(
        self,
        model: str = "",
        rubric: str = "",
        prompt: str = "",
        timeout_s: float = TIMEOUT_S,
        seed: int = 0,
        session: LLMSession | None = None,
        instructions: str = "english",
        temperature: float = 0.0,
    ) -> None:
        self.client = LLMClient("judge", model, session, timeout_s)
        self._instructions = load_instructions(rubric, prompt, instructions)
        if not 0 <= temperature <= MAX_TEMPERATURE:
            raise ConfigError(
                f"judge: option 'temperature' must be between 0 and {MAX_TEMPERATURE:g}, not {temperature:g}"
            )
        self._parameters: Mapping[str, Any] = {"temperature": float(temperature), "max_tokens": _MAX_TOKENS}
        self._seed = seed
        # Draws at another temperature are another judge's: nothing may take the one's grades for the other's.
        warm = f"@{temperature}".removesuffix(".0") if temperature else ""
        self.name = f"openai:{self.client.endpoint.model}{warm}"
        self.prompt_hash = self._instructions.hash

    async def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return the model's grade, or the typed reason that there is none."""
        request, own = self.request(item, answer), self._instructions.of(item.query.lang)
        try:
            reply = await self.client.complete(request, lambda r: _read(r, own.rubric).grade is not None)
        except CallFailed as error:
            return self._verdict(item, _Read(None, failure_outcome(error), str(error)), error.attempts)
        read = _read(reply, own.rubric)
        if read.outcome is not VerdictOutcome.UNPARSEABLE or not reply.text.strip() or "repair" not in own.prompt.texts:
            return self._verdict(item, read, reply.attempts, reply.usage)
        repaired, second = await self._repair(request, reply, own)
        attempts, usage = reply.attempts + second.attempts, total_usage((reply.usage, second.usage))
        return self._verdict(item, repaired or read, attempts, usage)

    def request(self, item: Item, answer: Answer) -> Request:
        """Return what the model is asked."""
        own = self._instructions.of(item.query.lang)
        texts = (item.query.text, item.reference, answer.text)
        messages = own.prompt.messages(
            rubric=own.rubric.text,
            fence=fence_word(self._seed, *texts),
            question=neutralise(item.query.text),
            reference=neutralise(item.reference),
            answer=neutralise(answer.text),
        )
        return Request(messages, self._parameters, _schema(own.rubric), item.query, self.prompt_hash)

    async def _repair(self, request: Request, reply: Reply, own: Instructions) -> tuple[_Read | None, Reply]:
        """Ask for the form of a reply; return what it says now, if it can be read, and the second reply."""
        turns = [("assistant", reply.text), ("user", own.prompt.fill("repair"))]
        again = replace(request, messages=[*request.messages, *({"role": r, "content": text} for r, text in turns)])
        try:
            second = await self.client.complete(again, lambda r: _read(r, own.rubric).grade is not None)
        except CallFailed as error:
            return None, Reply("", attempts=error.attempts)
        read = _read(second, own.rubric)
        if read.grade is None:
            return None, second
        if self.client.session.cache is not None:
            # Cached only together with the reply that repairs it: where that one is missing, both are asked for again.
            self.client.session.cache.put(self.client.cache_key(request), reply_to_row(reply))
        return replace(read, feedback=parse_verdict(reply.text, own.rubric.meanings).feedback), second

    def _verdict(self, item: Item, read: _Read, attempts: int, usage: Usage | None = None) -> Verdict:
        query, judge = item.query, (self.name, self.prompt_hash)
        return Verdict(query.query_id, query.lang, read.grade, read.outcome, read.feedback, *judge, attempts, usage)


def _schema(rubric: Rubric) -> dict[str, Any]:
    grades = {"type": "integer", "enum": sorted(rubric.meanings)}
    return {
        "type": "object",
        # In this order the model reasons before it grades.
        "properties": {"feedback": {"type": "string"}, "grade": grades},
        "required": ["feedback", "grade"],
        "additionalProperties": False,
    }


def _read(reply: Reply, rubric: Rubric) -> _Read:
    outcome = reply_outcome(reply)
    if outcome is not None:
        return _Read(None, outcome, reply.text)
    parsed = parse_verdict(reply.text, rubric.meanings)
    if parsed.grade is None:
        return _Read(None, VerdictOutcome.UNPARSEABLE, reply.text)
    return _Read(parsed.grade, VerdictOutcome.SCORED, parsed.feedback)

"""A language model as judge, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.judge.fence import neutralise
from ragaliq.judge.instructions import load_instructions
from ragaliq.judge.outcome import failure_outcome, reply_outcome
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

    A reply in no readable form is asked for once more in the same conversation, for its form alone: the request names
    no grade and says nothing about the rubric. What was cut off, filtered or refused is not asked for again, nor is an
    empty reply, which holds no judgement that could be put into form.
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
        request, rubric = self.request(item, answer), self._instructions.of(item.query.lang).rubric
        try:
            reply = await self.client.complete(request, lambda r: _read(r, rubric).grade is not None)
        except CallFailed as error:
            return self._verdict(item, _Read(None, failure_outcome(error), str(error)), error.attempts)
        read, attempts, usage = _read(reply, rubric), reply.attempts, reply.usage
        if read.outcome is VerdictOutcome.UNPARSEABLE and reply.text.strip():
            repaired, more, used = await self._repair(item, request, reply)
            read, attempts, usage = repaired or read, attempts + more, _sum(usage, used)
        return self._verdict(item, read, attempts, usage)

    def request(self, item: Item, answer: Answer) -> Request:
        """Return what the model is asked."""
        told = self._instructions.of(item.query.lang)
        texts = (item.query.text, item.reference, answer.text)
        question, reference, given = map(neutralise, texts)
        messages = told.prompt.messages(
            rubric=told.rubric.text,
            fence=fence_word(self._seed, *texts),
            question=question,
            reference=reference,
            answer=given,
        )
        return Request(messages, self._parameters, _schema(told.rubric), item.query, self.prompt_hash)

    async def _repair(self, item: Item, request: Request, reply: Reply) -> tuple[_Read | None, int, Usage | None]:
        """Ask for the form of a reply; return what stands in it now, if it can be read, the attempts and the usage."""
        told = self._instructions.of(item.query.lang)
        if "repair" not in told.prompt.texts:
            return None, 0, None
        said = {"role": "assistant", "content": reply.text}
        form = {"role": "user", "content": told.prompt.fill("repair")}
        again = replace(request, messages=[*request.messages, said, form])
        try:
            second = await self.client.complete(again, lambda r: _read(r, told.rubric).grade is not None)
        except CallFailed as error:
            return None, error.attempts, None
        read = _read(second, told.rubric)
        if read.grade is None:
            return None, second.attempts, second.usage
        if self.client.session.cache is not None:
            # Kept only now, with the reply that mends it: what was lost is asked for anew as a whole.
            self.client.session.cache.put(self.client.cache_key(request), reply_to_row(reply))
        feedback = parse_verdict(reply.text, told.rubric.meanings).feedback
        return replace(read, feedback=feedback), second.attempts, second.usage

    def _verdict(self, item: Item, read: _Read, attempts: int, usage: Usage | None = None) -> Verdict:
        query, by = item.query, (self.name, self.prompt_hash)
        return Verdict(query.query_id, query.lang, read.grade, read.outcome, read.feedback, *by, attempts, usage)


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


def _sum(one: Usage | None, other: Usage | None) -> Usage | None:
    if one is None or other is None:
        return one or other
    return Usage(one.prompt_tokens + other.prompt_tokens, one.completion_tokens + other.completion_tokens)

"""A language model as judge, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.judge.parse import parse_verdict
from ragaliq.judge.rubric import PROMPTS, load_rubric
from ragaliq.llm import TIMEOUT_S, CallFailed, Calls, FaultKind, LLMClient, Reply, Request
from ragaliq.prompts import load_prompt
from ragaliq.types import Answer, Item, Verdict, VerdictOutcome

_PARAMETERS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 1024}
_UNGRADED = {"content_filter": VerdictOutcome.FILTERED, "length": VerdictOutcome.TRUNCATED}


@dataclass(frozen=True, slots=True)
class _Read:
    """What stands in a reply."""

    grade: int | None
    outcome: VerdictOutcome
    feedback: str


class OpenAIJudge:
    """Grades by asking a model with the rubric; the reply is parsed strictly and never repaired into a grade."""

    def __init__(
        self,
        model: str = "",
        rubric: str = "",
        prompt: str = "",
        timeout_s: float = TIMEOUT_S,
        seed: int = 0,
        calls: Calls | None = None,
    ) -> None:
        self.client = LLMClient("judge", model, calls, timeout_s)
        self._rubric = load_rubric(Path(rubric) if rubric else None)
        self._prompt = load_prompt(Path(prompt) if prompt else PROMPTS / "grade.yaml")
        self._seed = seed
        self.name = f"openai:{self.client.endpoint.model}"
        self.prompt_hash = hashlib.sha256(f"{self._prompt.hash}{self._rubric.hash}".encode()).hexdigest()[:12]

    async def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return the model's grade, or the typed reason that there is none."""
        try:
            reply = await self.client.complete(self.request(item, answer), lambda r: self._read(r).grade is not None)
        except CallFailed as error:
            outcome = VerdictOutcome.FILTERED if error.kind is FaultKind.FILTERED else VerdictOutcome.API_ERROR
            return self._verdict(item, _Read(None, outcome, str(error)), Reply("", attempts=error.attempts))
        return self._verdict(item, self._read(reply), reply)

    def request(self, item: Item, answer: Answer) -> Request:
        """Return what the model is asked."""
        user = self._prompt.fill(
            "user",
            rubric=self._rubric.text,
            fence=self._fence(item, answer),
            question=item.query.text,
            reference=item.reference,
            answer=answer.text,
        )
        messages = [{"role": "system", "content": self._prompt.fill("system")}, {"role": "user", "content": user}]
        return Request(messages, _PARAMETERS, self._schema())

    def _schema(self) -> dict[str, Any]:
        grades = {"type": "integer", "enum": sorted(self._rubric.meanings)}
        return {
            "type": "object",
            # In this order the model reasons before it grades.
            "properties": {"feedback": {"type": "string"}, "grade": grades},
            "required": ["feedback", "grade"],
            "additionalProperties": False,
        }

    def _read(self, reply: Reply) -> _Read:
        if reply.refused:
            return _Read(None, VerdictOutcome.REFUSED, reply.text)
        if reply.finish_reason in _UNGRADED:
            # Even with a marker: what was cut off may have been the rest of the number.
            return _Read(None, _UNGRADED[reply.finish_reason], reply.text)
        parsed = parse_verdict(reply.text, self._rubric.meanings)
        if parsed.grade is None:
            return _Read(None, VerdictOutcome.UNPARSEABLE, reply.text)
        return _Read(parsed.grade, VerdictOutcome.SCORED, parsed.feedback)

    def _verdict(self, item: Item, read: _Read, reply: Reply) -> Verdict:
        query = item.query
        return Verdict(
            query.query_id,
            query.lang,
            read.grade,
            read.outcome,
            read.feedback,
            self.name,
            self.prompt_hash,
            reply.attempts,
            reply.usage,
        )

    def _fence(self, item: Item, answer: Answer) -> str:
        """Return a word that the graded texts cannot contain by design.

        It depends on these texts themselves, so nobody who writes one of them can know it; and on the seed, so the
        same run sends the same requests.
        """
        texts = "\0".join((str(self._seed), item.query.text, item.reference, answer.text))
        return "=====" + hashlib.sha256(texts.encode("utf-8", "surrogatepass")).hexdigest()[:16]

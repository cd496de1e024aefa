"""A language model as judge, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragaliq.judge.parse import parse_verdict
from ragaliq.judge.rubric import PROMPTS, load_rubric
from ragaliq.llm import CallFailed, LLMClient, Reply, read_endpoint
from ragaliq.prompts import load_prompt
from ragaliq.types import Answer, Item, Verdict, VerdictOutcome

_PARAMETERS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 1024}


class OpenAIJudge:
    """Grades by asking a model with the rubric; the reply is parsed strictly and never repaired into a grade."""

    def __init__(self, model: str = "", rubric: str = "", prompt: str = "", seed: int = 0) -> None:
        self._client = LLMClient(read_endpoint("judge", model))
        self._rubric = load_rubric(Path(rubric) if rubric else None)
        self._prompt = load_prompt(Path(prompt) if prompt else PROMPTS / "grade.yaml")
        self._seed = seed
        self.name = f"openai:{self._client.endpoint.model}"
        self.prompt_hash = hashlib.sha256(f"{self._prompt.hash}{self._rubric.hash}".encode()).hexdigest()[:12]

    async def grade(self, item: Item, answer: Answer) -> Verdict:
        """Return the model's grade, or the typed reason that there is none."""
        fence = self._fence(item, answer)
        user = self._prompt.fill(
            "user",
            rubric=self._rubric.text,
            fence=fence,
            question=item.query.text,
            reference=item.reference,
            answer=answer.text,
        )
        messages = [{"role": "system", "content": self._prompt.fill("system")}, {"role": "user", "content": user}]
        try:
            reply = await self._client.complete(messages, **_PARAMETERS)
        except CallFailed as error:
            return self._verdict(
                item, None, VerdictOutcome.API_ERROR, str(error), Reply("", "", False, error.attempts, None)
            )
        parsed = parse_verdict(reply.text, self._rubric.meanings)
        if reply.refused:
            return self._verdict(item, None, VerdictOutcome.REFUSED, reply.text, reply)
        if reply.finish_reason == "content_filter":
            return self._verdict(item, None, VerdictOutcome.FILTERED, reply.text, reply)
        if reply.finish_reason == "length":
            # Even with a marker: what was cut off may have been the rest of the number.
            return self._verdict(item, None, VerdictOutcome.TRUNCATED, reply.text, reply)
        if parsed.grade is None:
            return self._verdict(item, None, VerdictOutcome.UNPARSEABLE, reply.text, reply)
        return self._verdict(item, parsed.grade, VerdictOutcome.SCORED, parsed.feedback, reply)

    def _verdict(self, item: Item, grade: int | None, outcome: VerdictOutcome, feedback: str, reply: Reply) -> Verdict:
        query = item.query
        return Verdict(
            query.query_id,
            query.lang,
            grade,
            outcome,
            feedback,
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

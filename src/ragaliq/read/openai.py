"""A language model as reader, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError, nearest
from ragaliq.llm import CallFailed, LLMClient, Reply, read_endpoint
from ragaliq.prompts import load_prompt
from ragaliq.text.abstention import abstains, not_found
from ragaliq.types import AnswerOutcome, Hit, Query, Reading

_PROMPT = Path(__file__).with_name("prompts") / "answer.yaml"
_DEFAULTS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 512}
_SAMPLING = ("frequency_penalty", "max_tokens", "presence_penalty", "seed", "stop", "temperature", "top_p")


class OpenAIReader:
    """Asks a model to answer from the context."""

    def __init__(self, model: str, sampling: Mapping[str, Any] | None = None, prompt: str = "") -> None:
        self._client = LLMClient(read_endpoint("reader", model))
        self._prompt = load_prompt(Path(prompt) if prompt else _PROMPT)
        self._parameters = {**_DEFAULTS, **_chat_parameters(sampling or {})}
        self.prompt_hash = self._prompt.hash

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the model's answer, or the typed reason that there is none."""
        shown = "\n\n".join(f"[{number}] {hit.chunk.text}" for number, hit in enumerate(context, start=1))
        messages = [
            {"role": "system", "content": self._prompt.fill("system", not_found=not_found(query.lang))},
            {"role": "user", "content": self._prompt.fill("user", context=shown, question=query.text)},
        ]
        try:
            reply = await self._client.complete(messages, **self._parameters)
        except CallFailed as error:
            return Reading("", AnswerOutcome.ERROR, error=str(error))
        return Reading(reply.text.strip(), _outcome(reply, query.lang), reply.usage)


def _outcome(reply: Reply, lang: str) -> AnswerOutcome:
    if reply.finish_reason == "content_filter":
        return AnswerOutcome.FILTERED
    if not reply.text.strip():
        return AnswerOutcome.EMPTY
    if reply.finish_reason == "length":
        return AnswerOutcome.TRUNCATED
    return AnswerOutcome.ABSTAINED if abstains(reply.text, lang) else AnswerOutcome.ANSWERED


def _chat_parameters(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return sampling parameters as a chat endpoint takes them; `logprobs: n` asks for the n best tokens.

    Raises:
        ConfigError: if a parameter is unknown.
    """
    parameters: dict[str, Any] = {}
    for key, value in sampling.items():
        if key == "logprobs":
            if value:
                parameters.update(logprobs=True, top_logprobs=value)
        elif key in _SAMPLING:
            parameters[key] = value
        else:
            raise ConfigError(f"sampling: unknown parameter '{key}'; {nearest(key, [*_SAMPLING, 'logprobs'])}")
    return parameters

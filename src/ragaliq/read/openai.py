"""A language model as reader, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ragaliq.errors import ConfigError, nearest
from ragaliq.llm import TIMEOUT_S, CallFailed, FaultKind, LLMClient, LLMSession, Reply, Request
from ragaliq.local.causal.sampling import check_parameter
from ragaliq.read.outcome import outcome_of
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.read.tokenizer import load_tokens
from ragaliq.types import AnswerOutcome, Hit, Query, Reading

_DEFAULTS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 512}
_SAMPLING = ("frequency_penalty", "logprobs", "max_tokens", "presence_penalty", "seed", "stop", "temperature", "top_p")
# The other limits are the endpoint's own.
_LEAST = {"logprobs": 0, "max_tokens": 1}


class OpenAIReader:
    """Asks a model to answer from the context."""

    def __init__(
        self,
        model: str,
        sampling: Mapping[str, Any] | None = None,
        prompt: str = "",
        prompt_language: str = "",
        tokenizer: str = "",
        timeout_s: float = TIMEOUT_S,
        session: LLMSession | None = None,
    ) -> None:
        self.client = LLMClient("reader", model, session, timeout_s)
        if tokenizer and not self.client.session.planned:
            # Only then can the token-level language consistency be measured.
            self.tokens = load_tokens(tokenizer, f"reader 'openai:{model}'")
        self._prompt = ReaderPrompt(prompt, prompt_language)
        self._parameters = {**_DEFAULTS, **_chat_parameters(sampling or {})}
        self.prompt_hash = self._prompt.hash

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the model's answer, or the typed reason that there is none."""

        def kept(reply: Reply) -> bool:
            return _outcome(reply, query.lang) not in (AnswerOutcome.EMPTY, AnswerOutcome.FILTERED)

        try:
            reply = await self.client.complete(self.request(query, context), kept)
        except CallFailed as error:
            outcome = AnswerOutcome.FILTERED if error.kind is FaultKind.FILTERED else AnswerOutcome.ERROR
            return Reading("", outcome, error=str(error))
        return Reading(reply.text.strip(), _outcome(reply, query.lang), reply.usage, logprobs=reply.logprobs)

    def request(self, query: Query, context: Sequence[Hit]) -> Request:
        """Return what the model is asked."""
        messages = self._prompt.messages(query, context)
        return Request(messages, self._parameters, query=query, prompt_hash=self.prompt_hash)


def _outcome(reply: Reply, lang: str) -> AnswerOutcome:
    # A model that reasons may have spent all its tokens before the first word: cut, and empty.
    if reply.finish_reason == "content_filter":
        return AnswerOutcome.FILTERED
    return outcome_of(reply.text, lang, cut=reply.finish_reason == "length")


def _chat_parameters(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return sampling parameters as a chat endpoint takes them; `logprobs: n` asks for the n best tokens.

    Raises:
        ConfigError: if a parameter is unknown or its value cannot be.
    """
    parameters: dict[str, Any] = {}
    for key, value in sampling.items():
        if key not in _SAMPLING:
            raise ConfigError(f"sampling: unknown parameter '{key}'; {nearest(key, _SAMPLING)}")
        check_parameter(key, value, _LEAST.get(key, -math.inf))
        if key != "logprobs":
            parameters[key] = value
        elif value:
            parameters.update(logprobs=True, top_logprobs=value)
    return parameters

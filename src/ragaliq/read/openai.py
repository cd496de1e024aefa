"""A language model as reader, behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ragaliq.llm import DEFAULT_OPTIONS, CallFailed, CallOptions, FaultKind, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.endpoints.call_options import MAX_TOKENS, check_sendable
from ragaliq.local.causal.sampling import check_parameter
from ragaliq.read.outcome import CUT, outcome_of
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.read.tokenizer import load_tokens
from ragaliq.types import AnswerOutcome, Hit, Query, Reading

_DEFAULTS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 512}
# Numbers, whose values are checked here.
_CHECKED = ("frequency_penalty", "logprobs", "max_completion_tokens", "max_tokens", "min_p", "presence_penalty",
            "repetition_penalty", "seed", "stop", "temperature", "top_k", "top_p")  # fmt: skip
# What endpoints take beyond these; their values are theirs to check.
_PASSED_ON = ("chat_template_kwargs", "logit_bias", "reasoning", "reasoning_effort", "service_tier", "verbosity")
# The other limits are the endpoint's own.
_LEAST = {"logprobs": 0, "max_completion_tokens": 1, "max_tokens": 1}


class OpenAIReader:
    """Asks a model to answer from the context."""

    def __init__(
        self,
        model: str,
        sampling: Mapping[str, Any] | None = None,
        prompt: str = "",
        prompt_language: str = "",
        tokenizer: str = "",
        options: CallOptions = DEFAULT_OPTIONS,
        session: LLMSession | None = None,
    ) -> None:
        self.client = LLMClient("reader", model, session, options)
        if tokenizer and not self.client.session.planned:
            # Only then can the token-level language consistency be measured.
            self.tokens = load_tokens(tokenizer, f"reader 'openai:{model}'")
        self._prompt = ReaderPrompt(prompt, prompt_language)
        self._parameters = _chat_parameters(sampling or {})
        self._limit_is_users = any(name in (sampling or {}) for name in MAX_TOKENS)
        self.prompt_hash = self._prompt.hash

    async def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        """Return the model's answer, or the typed reason that there is none."""

        def kept(reply: Reply) -> bool:
            return bool(reply.text.strip()) and _outcome(reply, query.lang) is not AnswerOutcome.FILTERED

        try:
            reply = await self.client.complete(self.request(query, context), kept)
        except CallFailed as error:
            outcome = AnswerOutcome.FILTERED if error.kind is FaultKind.FILTERED else AnswerOutcome.ERROR
            return Reading("", outcome, error=str(error))
        text, outcome = reply.text.strip(), _outcome(reply, query.lang)
        why = CUT if outcome is AnswerOutcome.TRUNCATED and not text else ""
        return Reading(text, outcome, reply.usage, why, reply.logprobs, reasoning=reply.reasoning)

    def request(self, query: Query, context: Sequence[Hit]) -> Request:
        """Return what the model is asked."""
        messages = self._prompt.messages(query, context)
        return Request(
            messages, self._parameters, query=query, prompt_hash=self.prompt_hash, limit_is_users=self._limit_is_users
        )


def _outcome(reply: Reply, lang: str) -> AnswerOutcome:
    if reply.finish_reason == "content_filter":
        return AnswerOutcome.FILTERED
    return outcome_of(reply.text, lang, cut=reply.finish_reason == "length")


def _chat_parameters(sampling: Mapping[str, Any]) -> dict[str, Any]:
    """Return sampling parameters as a chat endpoint takes them, and the defaults.

    `logprobs: n` asks for the n best tokens. One that is not known here is passed on, with a note: endpoints have
    parameters of their own.

    Raises:
        ConfigError: if a value cannot be, or the parameter is no reader's to set.
    """
    check_sendable("sampling", sampling)
    parameters = dict(_DEFAULTS)
    if "max_completion_tokens" in sampling:
        del parameters["max_tokens"]
    for key, value in sampling.items():
        if key in _CHECKED:
            check_parameter(key, value, _LEAST.get(key, -math.inf))
        elif key not in _PASSED_ON:
            hint = get_close_matches(key, (*_CHECKED, *_PASSED_ON), n=1)
            meant = f"; did you mean '{hint[0]}'?" if hint else ""
            print(
                f"note: sampling: '{key}' is not known here, and goes to the endpoint as it is{meant}", file=sys.stderr
            )
        if key != "logprobs":
            parameters[key] = value
        elif value:
            parameters.update(logprobs=True, top_logprobs=value)
    return parameters

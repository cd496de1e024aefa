"""What a model replied, read from an endpoint's JSON or from the cache; or why it did not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from ragaliq.llm.transport import FaultKind
from ragaliq.types import TokenChoice, TokenChoices, Usage

Message = dict[str, str]


class CallFailed(Exception):
    """A call gave no reply; the message holds no secret."""

    def __init__(self, kind: FaultKind, message: str, attempts: int) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.attempts = attempts


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint answered; `finish_reason` is the endpoint's own word (`stop`, `length`, `content_filter`).

    `attempts` counts the requests that it took. `reasoning` is what some endpoints report apart from the text. `tokens`
    are those that were written, one for each place of `logprobs`.
    """

    text: str
    finish_reason: str = "stop"
    refused: bool = False
    attempts: int = 1
    usage: Usage | None = None
    logprobs: TokenChoices = ()
    reasoning: str = ""
    tokens: tuple[str, ...] = ()


def read_reply(value: Mapping[str, Any], attempts: int) -> Reply:
    """Return the first choice of a chat completion; parts that are missing or of another type are left empty.

    Raises:
        LookupError, TypeError: if there is no choice with a message.
    """
    choice = value["choices"][0]
    message = choice["message"] if isinstance(choice["message"], Mapping) else {}
    logprobs, tokens = _logprobs(choice.get("logprobs"))
    return Reply(
        # A refusal is said in a place of its own.
        text=_first_text(message, "content", "refusal"),
        finish_reason=str(choice.get("finish_reason") or ""),
        refused=bool(message.get("refusal")),
        attempts=attempts,
        usage=read_usage(value.get("usage")),
        logprobs=logprobs,
        reasoning=_first_text(message, "reasoning_content", "reasoning"),
        tokens=tokens,
    )


def read_vectors(value: Mapping[str, Any], attempts: int, count: int) -> tuple[dict[str, Any], int]:
    """Return `{"vectors", "usage"}` of a reply with `count` vectors, in the order of their texts, and `attempts`.

    Raises:
        AttributeError, LookupError, TypeError, ValueError: if it holds anything else.
    """
    vectors = [row["embedding"] for row in sorted(value["data"], key=lambda row: row.get("index", 0))]
    if len(vectors) != count:
        raise ValueError(f"{len(vectors)} vectors for {count} texts")
    return {"vectors": vectors, "usage": value.get("usage")}, attempts


def read_usage(value: Any) -> Usage | None:
    """Return the tokens that an endpoint reports; None if it reports none. Vectors have no completion."""
    if not isinstance(value, Mapping) or not _is_count(value.get("prompt_tokens")):
        return None
    completion = value.get("completion_tokens")
    return Usage(value["prompt_tokens"], completion if _is_count(completion) else 0)


def reply_to_row(reply: Reply) -> dict[str, Any]:
    """Return the JSON object of a reply for the cache."""
    usage = reply.usage and [reply.usage.prompt_tokens, reply.usage.completion_tokens]
    tokens = [[[choice.token, choice.prob] for choice in place] for place in reply.logprobs]
    return {"text": reply.text, "finish_reason": reply.finish_reason, "refused": reply.refused,
            "attempts": reply.attempts, "usage": usage, "logprobs": tokens, "reasoning": reply.reasoning,
            "tokens": reply.tokens}  # fmt: skip


def reply_from_row(row: Mapping[str, Any]) -> Reply | None:
    """Return the reply of a JSON object of the cache; None if it is none, as one of another version."""
    try:
        usage = None if row["usage"] is None else Usage(*row["usage"])
        tokens = tuple(tuple(TokenChoice(token, prob) for token, prob in place) for place in row["logprobs"])
        # What an earlier version kept has no reasoning, and no tokens.
        return Reply(**{**row, "usage": usage, "logprobs": tokens, "tokens": tuple(row.get("tokens", ()))})
    except (KeyError, TypeError, ValueError):
        return None


def _first_text(message: Mapping[str, Any], *keys: str) -> str:
    return next((text for text in map(message.get, keys) if isinstance(text, str) and text), "")


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and value >= 0


def _logprobs(value: Any) -> tuple[TokenChoices, tuple[str, ...]]:
    """Return the candidates for each token that was written, and these tokens."""
    places = value.get("content") if isinstance(value, Mapping) else None
    try:
        choices = tuple(
            tuple(TokenChoice(str(c["token"]), math.exp(min(0.0, float(c["logprob"])))) for c in _candidates(place))
            for place in places or ()
        )
        return choices, tuple(str(place.get("token", "")) for place in places or ())
    except (AttributeError, KeyError, TypeError, ValueError):
        return (), ()


def _candidates(place: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the candidates at one place, best first; a server that gives none gives the token itself."""
    return sorted(place.get("top_logprobs") or [place], key=lambda choice: -float(choice["logprob"]))

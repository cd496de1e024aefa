"""What a model replied, read from an endpoint's JSON or from the cache; or why it did not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from ragaliq.llm.connections.transport import FaultKind
from ragaliq.llm.replies.reasoning import joined_thoughts, kept_tokens, split_reasoning
from ragaliq.llm.replies.reply_json import message_parts
from ragaliq.storage.own_json import ModelText, misfit
from ragaliq.types import TokenChoice, TokenChoices, Usage

Message = dict[str, str]


# A reply in the cache.
_ROW = {
    **dict.fromkeys(("text", "finish_reason"), ModelText),
    "refused": bool,
    "attempts": int,
    "usage": ([int, int], None),
    "logprobs": [[[ModelText, float]]],
    "reasoning?": ModelText,
    "tokens?": [ModelText],
    "cut_thinking?": bool,
}


class CallFailed(Exception):
    """A call gave no reply; the message holds no secret."""

    def __init__(self, kind: FaultKind, message: str, attempts: int) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.attempts = attempts


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint answered; `finish_reason` is the endpoint's own word (`stop`, `length`, `content_filter`).

    `text` is without what the model thought before, which is `reasoning`, however the endpoint reports it.
    A thought that never ends counts as cut: `finish_reason` is then `length`. `attempts` counts the requests that it
    took. `tokens` are those of the text, one for each place of `logprobs`. `cut_thinking` tells that the limit of
    tokens cut it, and that thinking took of them.
    """

    text: str
    finish_reason: str = "stop"
    refused: bool = False
    attempts: int = 1
    usage: Usage | None = None
    logprobs: TokenChoices = ()
    reasoning: str = ""
    tokens: tuple[str, ...] = ()
    cut_thinking: bool = False


def read_reply(value: Mapping[str, Any], attempts: int) -> Reply:
    """Return the first choice of a chat completion; parts that are missing or of another type are left empty.

    Raises:
        LookupError, TypeError, ValueError: if there is no choice with a message.
    """
    choice = min(value["choices"], key=_index)
    message = choice["message"] if isinstance(choice["message"], Mapping) else {}
    logprobs, tokens = _logprobs(choice.get("logprobs"))
    parts = message_parts(message)
    finish_reason = str(choice.get("finish_reason") or "")
    reply = _without_thought(
        Reply(
            # A refusal is said in a place of its own.
            text=parts.text or parts.refusal,
            finish_reason=finish_reason,
            refused=bool(message.get("refusal") or parts.refusal),
            attempts=attempts,
            usage=read_usage(value.get("usage")),
            logprobs=logprobs,
            reasoning=parts.reasoning,
            tokens=tokens,
        )
    )
    # An endpoint may hide the thought, and say only what it took; or nothing, and there is no text.
    has_thought = reply.reasoning or _reasoning_tokens(value.get("usage")) or not reply.text.strip()
    return replace(reply, cut_thinking=finish_reason == "length" and bool(has_thought))


def read_vectors(value: Mapping[str, Any], attempts: int, count: int) -> tuple[dict[str, Any], int]:
    """Return `{"vectors", "usage"}` of a reply with `count` vectors, in the order of their texts, and `attempts`.

    Vectors without an index are in this order already.

    Raises:
        AttributeError, LookupError, TypeError, ValueError: if it holds anything else.
    """
    rows = list(value["data"])
    # A server that numbers none of them keeps the order of the texts.
    if any(row.get("index") is not None for row in rows):
        rows.sort(key=lambda row: row.get("index", 0))
    vectors = [row["embedding"] for row in rows]
    if len(vectors) != count:
        raise ValueError(f"{len(vectors)} vectors for {count} texts")
    return {"vectors": vectors, "usage": value.get("usage")}, attempts


def vectors_from_row(row: dict[str, Any] | None, count: int) -> dict[str, Any] | None:
    """Return a JSON object of the cache if it holds `count` vectors."""
    if row is None or misfit(row, {"vectors": [[float]], "usage": object}) or len(row["vectors"]) != count:
        return None
    return row


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
            "tokens": reply.tokens, "cut_thinking": reply.cut_thinking}  # fmt: skip


def reply_from_row(row: Mapping[str, Any]) -> Reply | None:
    """Return the reply of a JSON object of the cache; None if it is none, as one of another version."""
    if misfit(row, _ROW):
        return None
    try:
        usage = None if row["usage"] is None else Usage(*row["usage"])
        tokens = tuple(tuple(TokenChoice(token, prob) for token, prob in place) for place in row["logprobs"])
        # What an earlier version kept has no reasoning, and no tokens.
        reply = Reply(**{**row, "usage": usage, "logprobs": tokens, "tokens": tuple(row.get("tokens", ()))})
        return reply if "cut_thinking" in row else _without_thought(reply)
    except (KeyError, TypeError, ValueError):
        return None


def _without_thought(reply: Reply) -> Reply:
    split = split_reasoning(reply.text)
    reasoning = joined_thoughts(reply.reasoning, split.thought)
    if not reasoning and split.answer == reply.text and not split.is_open:
        return reply
    kept = slice(0, len(reply.tokens))
    if len(reply.tokens) == len(reply.logprobs):
        kept = kept_tokens(reply.tokens, reply.text, split)
    return replace(
        reply,
        text=split.answer,
        reasoning=reasoning,
        finish_reason="length" if split.is_open and reply.finish_reason != "content_filter" else reply.finish_reason,
        tokens=reply.tokens[kept],
        logprobs=reply.logprobs[kept],
    )


def _index(choice: Any) -> int:
    index = choice.get("index")
    return index if _is_count(index) else 0


def _reasoning_tokens(usage: Any) -> int:
    details = usage.get("completion_tokens_details") if isinstance(usage, Mapping) else None
    count = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    return count if _is_count(count) else 0


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
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return (), ()


def _candidates(place: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the candidates at one place, best first; a server that gives none gives the token itself."""
    return sorted(place.get("top_logprobs") or [place], key=lambda choice: -float(choice["logprob"]))

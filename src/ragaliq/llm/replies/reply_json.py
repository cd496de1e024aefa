"""The JSON of a reply: its object, and what its message says, in the shapes in which endpoints report it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ragaliq.llm.replies.reasoning import joined_thoughts

# What a reply consists of: of two, nothing tells which one is meant.
_ONCE = ("choices", "data")
_APART = ("reasoning_content", "reasoning", "reasoning_details", "thinking")
_THOUGHTS = ("think", "reason")
# Where a part has its text; a part that is encrypted has none.
_TEXTS = ("text", "content", "thinking", "reasoning", "summary", "refusal")


def parse_object(body: str | bytes) -> dict[str, Any] | None:
    """Return the JSON object of a reply's body; None if it is none, or says twice what it consists of.

    A mark of the byte order before it is skipped.
    """
    text = body.decode("utf-8", errors="replace") if isinstance(body, bytes) else body
    # A function for each object takes time, which the thousands of objects of log-probabilities need not cost.
    doubted = any(text.count(f'"{key}"') > 1 for key in _ONCE)
    try:
        value = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_once if doubted else None)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class MessageParts(NamedTuple):
    """The text of a message, the thought that came apart from it, and its refusal."""

    text: str
    reasoning: str
    refusal: str


def message_parts(message: Mapping[str, Any]) -> MessageParts:
    """Return what a message says; `content` is a text, or a list of parts, each of a type of its own."""
    # Several keys with the same thought are one thought.
    apart = next((text for text in (_text(message.get(key)) for key in _APART) if text), "")
    content, refusal = message.get("content"), message.get("refusal")
    refusal = refusal if isinstance(refusal, str) else ""
    if isinstance(content, str):
        return MessageParts(content, apart, refusal)
    texts, thoughts = [], [apart]
    for part in content if isinstance(content, list) else [content]:
        kind = str(part.get("type", "")) if isinstance(part, Mapping) else ""
        if kind == "refusal":
            refusal = refusal or _text(part)
        elif any(word in kind for word in _THOUGHTS):
            thoughts.append(_text(part))
        elif isinstance(part, str) or kind.endswith("text"):
            texts.append(_text(part))
    return MessageParts("".join(texts), joined_thoughts(*thoughts), refusal)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        if any(keys.count(key) > 1 for key in _ONCE):
            raise ValueError("a reply that consists of two")
    return value


def _text(value: Any, depth: int = 3) -> str:
    """Return the text of a part: itself, that of its parts, or what it has under a known key."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and depth:
        return "".join(_text(part, depth - 1) for part in value)
    if isinstance(value, Mapping) and depth:
        return next((text for text in (_text(value.get(key), depth - 1) for key in _TEXTS) if text), "")
    return ""

"""The texts in what went into a step of a trace and what came out: question, answer, reference, contexts.

Programs write a text, JSON in a text, chat messages, or an object of their choice. Nothing here refuses a record: what
holds no text that can be told is empty, and is counted as that later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ragaliq.formats.answers.columns import USUAL_NAMES
from ragaliq.storage.files import is_unicode

_INPUT_KEYS = (*USUAL_NAMES["question"], "inputs", "args", "kwargs", "messages", "content", "text", "value")
_OUTPUT_KEYS = (*USUAL_NAMES["answer"], "outputs", "result", "messages", "choices", "message", "generations", "kwargs",
    "content", "text", "value")  # fmt: skip
_REFERENCE_KEYS = (*USUAL_NAMES["reference"], "reference_outputs", *_OUTPUT_KEYS)
_CONTEXT_KEYS = (*USUAL_NAMES["contexts"], "docs", "chunks", "retrieved_documents", "results", "matches")
_DOCUMENT_KEYS = ("text", "content", "page_content", "document", "passage", "chunk", "kwargs")
_PEOPLE = ("user", "human")
_MODELS = ("assistant", "ai", "model")
_ROLES = (*_PEOPLE, *_MODELS, "system", "developer", "tool", "function")
_DEEPEST = 8


def question_in(value: Any) -> str:
    """Return the question in what went in: of chat messages the last of the user."""
    return _text(value, _INPUT_KEYS, _PEOPLE)


def answer_in(value: Any) -> str:
    """Return the answer in what came out: of chat messages the last of the model, without its reasoning."""
    return _text(value, _OUTPUT_KEYS, _MODELS)


def reference_in(value: Any) -> str:
    """Return the reference answer in what was expected."""
    return _text(value, _REFERENCE_KEYS, _MODELS)


def contexts_in(value: Any, of_retriever: bool = False) -> tuple[str, ...] | None:
    """Return the texts of the documents that a value names; None where it names none.

    Documents stand under a usual name; what a retriever itself gives may be the list itself.
    """
    value = parsed(value)
    if isinstance(value, list):
        texts = [_document(one) for one in value] if of_retriever else []
        return tuple(text for text in texts if text) if any(texts) or (of_retriever and not value) else None
    if not isinstance(value, Mapping):
        return None
    for key in _CONTEXT_KEYS:
        inner = parsed(value.get(key))
        if isinstance(inner, list):
            return contexts_in(inner, of_retriever=True)
    return next((contexts_in(value[key], of_retriever) for key in ("output", "outputs") if key in value), None)


def parsed(value: Any) -> Any:
    """Return a list or an object that is written as JSON in a text; any other value unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _text(value: Any, keys: tuple[str, ...], roles: tuple[str, ...], depth: int = 0) -> str:
    if depth > _DEEPEST:
        return ""
    if isinstance(value, str):
        inside = parsed(value)
        inner = "" if isinstance(inside, str) else _text(inside, keys, roles, depth + 1)
        # An answer may be JSON itself; a chat in which nobody of the role spoke is no text.
        return inner or ("" if _messages(inside) or not is_unicode(value) else value)
    if isinstance(value, list):
        return _listed_text(value, keys, roles, depth)
    if not isinstance(value, Mapping):
        return ""
    # A message of a chat: its parts, or its content.
    if _role(value) and isinstance(value.get("parts"), list):
        return _text(value["parts"], keys, roles, depth + 1)
    named = [value.get(key) for key in keys]
    if len(value) == 1:
        named += value.values()
    return next((text for inner in named if (text := _text(inner, keys, roles, depth + 1)).strip()), "")


def _listed_text(values: list[Any], keys: tuple[str, ...], roles: tuple[str, ...], depth: int) -> str:
    """Return the text of a list: of the last message of a role, of the parts of a message, or of the only value."""
    messages = _messages(values)
    if messages:
        said = [_text({**one, "role": None}, ("parts", "content", "text", "kwargs"), roles, depth + 1)
            for one in messages if _role(one) in roles]  # fmt: skip
        return next((text for text in reversed(said) if text.strip()), "")
    parts = [one for one in values if isinstance(one, Mapping) and one.get("type") == "text"]
    if parts:
        texts = [one.get("content", one.get("text")) for one in parts]
        return "\n".join(text for text in texts if isinstance(text, str) and is_unicode(text))
    return _text(values[0], keys, roles, depth + 1) if len(values) == 1 else ""


def _messages(values: Any) -> list[Mapping[str, Any]]:
    return [one for one in values if isinstance(one, Mapping) and _role(one)] if isinstance(values, list) else []


def _role(message: Mapping[str, Any]) -> str:
    """Return whose a chat message is; empty where the value is no message."""
    kwargs = message.get("kwargs")
    inner = kwargs if isinstance(kwargs, Mapping) else message
    role = message.get("role") or inner.get("type")
    return role.casefold() if isinstance(role, str) and role.casefold() in _ROLES else ""


def _document(value: Any, depth: int = 0) -> str:
    value = parsed(value)
    if isinstance(value, str):
        return value if is_unicode(value) else ""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return ""
    inner = (_document(value[key], depth + 1) for key in _DOCUMENT_KEYS if key in value)
    return next((text for text in inner if text.strip()), "")

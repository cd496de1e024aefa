"""The prompts of the builder: files of `prompts/`, filled in with texts between fences, and their replies' schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragaliq.judge.fence import neutralise
from ragaliq.llm.prompts import Prompt, fence_word, load_prompt

_FOLDER = Path(__file__).parent.parent / "prompts"


@lru_cache(maxsize=32)
def builder_prompt(task: str) -> Prompt:
    """Return the prompt of a task."""
    return load_prompt(_FOLDER / f"{task}.yaml")


def fenced_messages(
    task: str, lang: str, texts: Mapping[str, str | Sequence[str]], **values: str
) -> list[dict[str, str]]:
    """Return the messages of a task.

    Args:
        task: names the prompt file.
        lang: language of the texts and of the replies.
        texts: label → text, or texts that are numbered from 1; each is put between fences that no text can contain.
        values: further placeholders of the prompt file.
    """
    flat = [text for text in texts.values() for text in ([text] if isinstance(text, str) else text)]
    word = fence_word(0, *flat)
    parts = []
    for label, text in texts.items():
        if isinstance(text, str):
            parts.append(f"{word} {label}\n{neutralise(text)}")
        else:
            parts += [f"{word} {label} {number}\n{neutralise(one)}" for number, one in enumerate(text, start=1)]
    return builder_prompt(task).messages(fence=word, lang=lang, texts="\n".join([*parts, f"{word} END"]), **values)


def json_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def json_list(items: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of a list."""
    return {"type": "array", "items": dict(items)}


TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}


def one_of(values: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of one text of several."""
    return {"type": "string", "enum": list(values)}

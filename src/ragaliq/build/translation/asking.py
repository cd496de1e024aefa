"""The question for translations of segments, and the strict reading of its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.benchmark.translation.terms_kept import Terms, terms_found
from ragaliq.build.model import Model
from ragaliq.build.model.ask import Asked, Unreadable, ask
from ragaliq.build.model.prompts import NUMBER, TEXT, builder_prompt, fenced_messages, json_list, json_object
from ragaliq.build.translation.segment import segment_text
from ragaliq.llm import Request
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.text.language import is_foreign

PROMPT = "translate"
_SCHEMA = json_object({"segments": json_list(json_object({"segment": NUMBER, "translation": TEXT}))})
# A reply repeats numbers and keys; another language or script may take several times the tokens.
_BASE_TOKENS, _TOKENS_PER_SEGMENT, _GROWTH = 512, 24, 4


@dataclass(frozen=True, slots=True)
class TranslationTask:
    """What is to be translated.

    Attributes:
        source_lang: language of the segments.
        lang: language that they are translated into.
        segments: the segments.
        passages: the texts that they come from.
        translations: those of the passages that are translated already.
    """

    source_lang: str
    lang: str
    segments: tuple[str, ...]
    passages: tuple[str, ...] = ()
    translations: tuple[str, ...] = ()


async def ask_translations(model: Model, task: TranslationTask, terms: Terms, temperature: float) -> Asked[list[str]]:
    """Return the translation of each segment; that of a text that the model does not translate is the text."""
    texts: dict[str, str | Sequence[str]] = {
        "PASSAGE": task.passages,
        "TRANSLATION": task.translations,
        **terms_in(task, terms),
        "SEGMENT": task.segments,
    }
    messages = fenced_messages(
        PROMPT, task.lang, {label: text for label, text in texts.items() if text}, source_lang=task.source_lang
    )
    tokens = sum(_GROWTH * estimate_tokens(segment) + _TOKENS_PER_SEGMENT for segment in task.segments)
    parameters = {"temperature": temperature, "max_tokens": _BASE_TOKENS + tokens}
    request = Request(messages, parameters, _SCHEMA, prompt_hash=builder_prompt(PROMPT).hash)
    return await ask(model, request, lambda value: _read(value, task))


def terms_in(task: TranslationTask, terms: Terms) -> dict[str, list[str]]:
    """Return the terms that occur in the segments."""
    kept, glossary = terms_found("\n".join(task.segments), task.lang, terms)
    return {"TERM": kept, "GLOSSARY": glossary}


def _read(value: Mapping[str, Any], task: TranslationTask) -> list[str]:
    entries, wanted = value.get("segments"), task.segments
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unreadable("'segments' must be a list of objects")
    numbers = [entry.get("segment") for entry in entries]
    # true and 1.0 equal 1, but are not numbers of segments.
    if numbers != list(range(1, len(wanted) + 1)) or any(type(number) is not int for number in numbers):
        raise Unreadable(f"every segment from 1 to {len(wanted)} needs one entry, in order")
    texts = [entry.get("translation") for entry in entries]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise Unreadable("'translation' must be a text")
    if any("\n" in text.strip() for text in texts):
        raise Unreadable("a translation must be on one line")
    changed = " ".join(text for text, segment in zip(texts, wanted, strict=True) if segment_text(text) != segment)
    if is_foreign(changed, task.lang):
        raise Unreadable(f"the translations must be in the language '{task.lang}'", "other language")
    return [segment_text(text) for text in texts]

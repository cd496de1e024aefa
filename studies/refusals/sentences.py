"""The sentences that the detector of refusals is fitted on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from ragaliq.text.refusal_words import has_negation
from ragaliq.text.sentences import sentences

LANGUAGES = ("en", "de", "fr", "es", "ru", "zh")
_HERE = Path(__file__).resolve().parent
_CORPUS = _HERE.parents[1] / "data" / "velmora" / "corpus"
# Fillings of a template, the first ones of a stride that has no factor in common with their number.
_FILLED, _STRIDE = 4, 11
# Sentences with a negation from the sample's documents, which refuse nothing; each counts half.
_FROM_CORPUS, _CORPUS_WEIGHT = 80, 0.5
_SLOT = regex.compile(r"\{(\w+)\}")
_FIRST = regex.compile(r"\p{L}")


@dataclass(frozen=True, slots=True)
class Example:
    """A clause with its label, register and template; the fillings of a template share the weight 1."""

    text: str
    label: str
    register: str
    lang: str
    template: int
    weight: float


def examples(lang: str) -> list[Example]:
    """Return the clauses of a language, templates filled, and negated sentences of the sample's documents."""
    rows = [row for row in _rows(lang) if row.get("register") not in (None, "whole")]
    slots = {row["slot"]: row["values"] for row in _rows(lang) if "slot" in row}
    found = []
    for number, row in enumerate(rows):
        texts = list(dict.fromkeys(_filled(row["text"], slots, number)))
        found += [Example(t, row["label"], row["register"], lang, number, 1 / len(texts)) for t in texts]
    negated = [text for text in dict.fromkeys(_corpus(lang)) if has_negation(text, lang)]
    step = max(1, len(negated) // _FROM_CORPUS)
    chosen = negated[::step][:_FROM_CORPUS]
    return found + [Example(t, "states", "corpus", lang, len(rows) + i, _CORPUS_WEIGHT) for i, t in enumerate(chosen)]


def whole_answers(lang: str) -> list[tuple[str, str]]:
    """Return answers of several clauses with `none`, `partial` or `full`; nothing is fitted on them."""
    return [(row["text"], row["label"]) for row in _rows(lang) if row.get("register") == "whole"]


def _filled(text: str, slots: dict[str, list[str]], number: int) -> Iterator[str]:
    for turn in range(_FILLED):

        def value(match: regex.Match[str], turn: int = turn) -> str:
            values = slots[match[1]]
            return str(values[(number * 5 + turn * _STRIDE) % len(values)])

        filled = _SLOT.sub(value, text)
        yield _FIRST.sub(lambda match: match[0].upper(), filled, count=1)


def _corpus(lang: str) -> Iterator[str]:
    for line in (_CORPUS / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines():
        yield from sentences(json.loads(line)["text"])


def _rows(lang: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_HERE / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()]

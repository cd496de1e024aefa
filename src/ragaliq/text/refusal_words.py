"""The words of refusals, per language: what a clause holds of them, as features of the model."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.terms import base_language, fold, reading_length

WORDS = Path(__file__).with_name("refusals.yaml")
_CLASSES = ("not", "source", "say", "know", "info", "self", "sorry", "point", "that", "if")
_TOGETHER = (
    ("not", "source"), ("not", "say"), ("not", "know"), ("not", "info"), ("not", "self"), ("source", "say"),
    ("source", "info"), ("know", "self"), ("sorry", "not"), ("not", "source", "say"), ("not", "self", "know"),
    ("not", "info", "source"), ("not", "know", "source"), ("not", "that"), ("source", "that"),
)  # fmt: skip
_DIGIT = regex.compile(r"\p{N}")
# A word of a script with spaces, or underscores: an unknown one is rather a name. Nothing gives back what it has taken.
_LONE = regex.compile(r"\W*+_[\W_]*+$|[\W_]*+(?!.*\p{Han})\w++[\W_]*+$")
_ADDRESS = regex.compile(r"\S@\S|@\w+\.|https?://|www\.", regex.I)
# Reading lengths that part clauses of a word or two from sentences, and these from long ones.
_LENGTHS = (12, 25, 50, 120, 200)


def word_features(text: str, lang: str) -> list[int]:
    """Return 0 or 1 for each class of words, for some that occur together, for their order, digits and length."""
    folded = fold(text)
    at: dict[str, int] = {}
    for name in _CLASSES:
        starts = [match.start() for pattern in _patterns(name, lang) if (match := pattern.search(folded))]
        if starts:
            at[name] = min(starts)
    length = reading_length(text)
    values = [
        *(name in at for name in _CLASSES),
        *(all(name in at for name in names) for names in _TOGETHER),
        _before(at, "that", "not"),
        _before(at, "not", "that"),
        _before(at, "say", "not"),
        _before(at, "not", "say"),
        at.get("not", 9) <= 2,
        any(len(pattern.findall(folded)) > 1 for pattern in _patterns("not", lang)),
        bool(_DIGIT.search(folded)),
        *(length > bound for bound in _LENGTHS),
    ]
    return [int(value) for value in values]


def may_refuse(text: str, lang: str) -> bool:
    """Return whether the network is asked: of a lone word, an address and long texts with digits, only if they deny."""
    sized = reading_length(text) > _LENGTHS[2] and _DIGIT.search(text)
    return not (sized or _LONE.match(text) or _ADDRESS.search(text)) or has_negation(text, lang)


def has_negation(text: str, lang: str) -> bool:
    """Return whether a text holds any of the words that deny; of a language without words, always."""
    if base_language(lang) not in refusal_data():
        return True
    return has_words("not", text, lang)


def has_words(name: str, text: str, lang: str) -> bool:
    """Return whether any pattern of a name, or of a class of words, is found in a text."""
    folded = fold(text)
    return any(pattern.search(folded) for pattern in _patterns(name, lang))


def refusal_texts(name: str, lang: str) -> list[str]:
    """Return what the file has by a name, or as a class of words, in `lang` and then in English, each text once."""
    texts: list[str] = []
    for code in (base_language(lang), "en"):
        entry = refusal_data().get(code, {"words": {}})
        values = {**entry, **entry["words"]}.get(name, [])
        texts += [values] if isinstance(values, str) else values
    return list(dict.fromkeys(texts))


@cache
def refusal_data() -> dict[str, Any]:
    """Return the file of words, by language."""
    return read_mapping(WORDS)


def _before(at: dict[str, int], first: str, second: str) -> bool:
    return first in at and second in at and at[first] < at[second]


@cache
def _patterns(name: str, lang: str) -> tuple[regex.Pattern[str], ...]:
    return tuple(map(regex.compile, refusal_texts(name, lang)))

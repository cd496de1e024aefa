"""Yes and no, negation, and words that make a statement vague, per language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.terms import UNSPACED, WORD, base_language, word_terms

_FILE = Path(__file__).with_name("polarity.yaml")


def answer_word(folded: str, lang: str) -> int:
    """Return 1 if a folded text opens with yes, -1 if with no, 0 otherwise; English is understood everywhere."""
    if _pattern("yes", lang).match(folded):
        return 1
    return -1 if _pattern("no", lang).match(folded) else 0


def negations(folded: str, lang: str) -> int:
    """Count the negations of a folded text, prohibitions included."""
    return len(_pattern("negation", lang).findall(folded))


def affirmed(folded: str, lang: str) -> list[str]:
    """Return the words of a folded text that carry content, in order, without its negations.

    Two texts with the same such words, of which one holds a negation, say the opposite of each other.
    """
    known, rest = function_words(lang), _pattern("negation", lang).sub(" ", folded)
    return [word for word in WORD.findall(rest) if word not in known]


def hedges(folded: str, lang: str) -> int:
    """Count the words of a folded text that make a statement vague, such as "usually" and "possibly"."""
    return len(_pattern("hedge", lang).findall(folded))


def choices(lang: str) -> regex.Pattern[str]:
    """Return the pattern of the words for "or" in folded text; of a language not known, the English one."""
    return _one_language("choice", lang)


def open_marks(lang: str) -> regex.Pattern[str]:
    """Return the pattern of what says in folded text that a choice is open, such as "either" and "perhaps"."""
    return _one_language("open", lang)


def one_of_these(lang: str) -> regex.Pattern[str]:
    """Return the pattern of "one of these" behind a list in folded text, which leaves open which."""
    return _one_language("one_of", lang)


def content_terms(folded: str, lang: str) -> frozenset[str]:
    """Return the terms of a folded text, function words left out, and of an unspaced script the 2-grams alone."""
    known = function_words(lang)
    words = (word for word in WORD.findall(folded) if word not in known)
    terms = {term for word in words for term in word_terms(word, lang)}
    return frozenset(term for term in terms if len(term) > 1 or not UNSPACED.match(term))


@cache
def function_words(lang: str) -> frozenset[str]:
    """Return the folded words of `lang` that carry no content, empty where none are known."""
    return frozenset(_data().get(base_language(lang), {}).get("function", "").split())


@cache
def _pattern(kind: str, lang: str) -> regex.Pattern[str]:
    data, base = _data(), base_language(lang)
    entries = [data[base][kind]] if base in data else []
    if base != "en":
        # "No" begins ordinary sentences of Spanish and others.
        entries.append(data["en"]["no_elsewhere" if kind == "no" else kind])
    start = r"[\s\p{P}*]*" if kind in ("yes", "no") else ""
    return regex.compile(start + "(?:" + "|".join(entries) + ")")


@cache
def _one_language(kind: str, lang: str) -> regex.Pattern[str]:
    data = _data()
    return regex.compile(data.get(base_language(lang), {}).get(kind, data["en"][kind]))


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)

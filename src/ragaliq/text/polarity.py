"""Yes and no, negation, and words that make a statement vague, per language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.terms import UNSPACED, WORD, base_language, word_terms

_FILE = Path(__file__).with_name("polarity.yaml")
_CHOICES = {
    "en": r"\bor\b",
    "de": r"\boder\b",
    # A "soit" alone is "that is".
    "fr": r"\bou\b|\bsoit\b(?=.*\bsoit\b)|(?<=\bsoit\b.*)\bsoit\b",
    "es": r"\b[ou]\b",
    "ru": r"\b(?:или|либо|то ли)\b",
    "zh": "或者?|还是|要么",
}
_OPEN_MARKS = {
    "en": r"\b(?:either|perhaps|maybe|possibly)\b",
    "de": r"\b(?:entweder|vielleicht|möglicherweise|eventuell)\b",
    "fr": r"\bsoit\b.*\bsoit\b|\b(?:peut-être|éventuellement)\b",
    "es": r"\bo\b.*\bo\b|\b(?:quizás?|tal vez|posiblemente|acaso)\b",
    "ru": r"\bлибо\b.*\bлибо\b|\bили\b.*\bили\b|\b(?:может быть|возможно|наверное)\b",
    "zh": "要么|也许|可能|或许|大概",
}
# Behind a list, and at the end but for a noun.
_ONE_OF = {
    "en": r"\bone of (?:these|those|the following)(?: \w+)?\W*$",
    "de": r"\b(?:eine[rsm]?|an einem|in einem) (?:dieser|von diesen)(?: \w+)?\W*$",
    "fr": r"\bl['’]une? de ces(?: \w+)?\W*$",
    "es": r"\bun[oa] de (?:est[oa]s|es[oa]s)(?: \w+)?\W*$",
    "ru": r"\b(?:один|одна|одно|одного|одной|одному|одном|одну) из этих(?: \w+)?\W*$",
    "zh": r"(?:这.{1,4}|[两三四五几][个人位天].{0,2})[里中](?:的?某?一[个位天家种]?|有一[个位天家种]?\w{0,3})\W*$",
}


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


@cache
def choices(lang: str) -> regex.Pattern[str]:
    """Return the pattern of the words for "or" in folded text; of a language not known, the English one."""
    return regex.compile(_CHOICES.get(base_language(lang), _CHOICES["en"]))


@cache
def open_marks(lang: str) -> regex.Pattern[str]:
    """Return the pattern of what says in folded text that a choice is open, such as "either" and "perhaps"."""
    return regex.compile(_OPEN_MARKS.get(base_language(lang), _OPEN_MARKS["en"]))


@cache
def one_of_these(lang: str) -> regex.Pattern[str]:
    """Return the pattern of "one of these" behind a list in folded text, which leaves open which."""
    return regex.compile(_ONE_OF.get(base_language(lang), _ONE_OF["en"]))


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
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)

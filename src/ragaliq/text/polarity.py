"""Yes and no, negation, and words that make a statement vague, per language."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import regex

from ragaliq.storage.yaml_files import read_yaml
from ragaliq.text.terms import WORD, base_language

_FILE = Path(__file__).with_name("polarity.yaml")


def answer_word(folded: str, lang: str) -> int:
    """Return 1 if a folded text opens with yes, -1 if with no, 0 otherwise; English is understood everywhere."""
    if _pattern("yes", base_language(lang)).match(folded):
        return 1
    return -1 if _pattern("no", base_language(lang)).match(folded) else 0


def negations(folded: str, lang: str) -> int:
    """Count the negations of a folded text, prohibitions included."""
    return len(_pattern("negation", base_language(lang)).findall(folded))


def affirmed(folded: str, lang: str) -> list[str]:
    """Return the words of a folded text that carry content, in order, without its negations.

    Two texts with the same such words, of which one holds a negation, say the opposite of each other.
    """
    known, rest = function_words(lang), _pattern("negation", base_language(lang)).sub(" ", folded)
    return [word for word in WORD.findall(rest) if word not in known]


def hedges(folded: str, lang: str) -> int:
    """Count the words of a folded text that make a statement vague, such as "usually" and "possibly"."""
    return len(_pattern("hedge", base_language(lang)).findall(folded))


def function_words(lang: str) -> frozenset[str]:
    """Return the folded words of `lang` that carry no content, empty where none are known."""
    return _function_words(base_language(lang))


@cache
def _function_words(lang: str) -> frozenset[str]:
    return frozenset(str(_data().get(lang, {}).get("function", "")).split())


@cache
def _pattern(kind: str, lang: str) -> regex.Pattern[str]:
    data = _data()
    entries = [data[lang][kind]] if lang in data else []
    if lang != "en":
        # "No" begins ordinary sentences of Spanish and others.
        entries.append(data["en"]["no_elsewhere" if kind == "no" else kind])
    start = r"[\s\p{P}*]*" if kind in ("yes", "no") else ""
    return regex.compile(start + "(?:" + "|".join(entries) + ")")


@lru_cache(maxsize=1)
def _data() -> dict[str, dict[str, str]]:
    data = read_yaml(_FILE)
    return {lang: entry for lang, entry in data.items() if lang != "version"}

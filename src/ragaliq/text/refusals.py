"""Saying, and recognising, that the documents hold no answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.sentences import sentences
from ragaliq.text.terms import base_language, fold, reading_length

_FILE = Path(__file__).with_name("refusals.yaml")
# A longer answer that only mentions a gap somewhere is an answer; one this short is nothing but the mention.
_SHORT = 240


def not_found(lang: str) -> str:
    """Return the sentence with which our reader abstains, in `lang` or else in English."""
    data = _data()
    return str(data.get(base_language(lang), data["en"])["phrase"])


def knows_abstentions(lang: str) -> bool:
    """Tell whether there are a phrase and patterns for `lang`; other languages have the English ones."""
    return base_language(lang) in _data()


def abstains(text: str, lang: str) -> bool:
    """Tell whether an answer says that nothing was found.

    The patterns of `lang` and of English are looked for in the first sentence, and in all of a short answer.
    """
    if reading_length(text) <= _SHORT:
        return mentions_gap(text, lang)
    parts = sentences(text)
    return bool(parts) and mentions_gap(parts[0], lang)


def mentions_gap(text: str, lang: str) -> bool:
    """Tell whether any part of a text says that something was not found; the rest of it may answer all the same."""
    scope = fold(text)
    return any(pattern.search(scope) for pattern in _patterns(lang))


@cache
def _patterns(lang: str) -> tuple[regex.Pattern[str], ...]:
    data = _data()
    entries = [data[code] for code in dict.fromkeys((base_language(lang), "en")) if code in data]
    return tuple(regex.compile(pattern, regex.DOTALL) for entry in entries for pattern in entry["patterns"])


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)

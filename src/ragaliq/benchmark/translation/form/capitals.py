"""Words in capitals, such as the names of norms, tools and offices: they stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.types import Severity, TranslationFinding, TranslationPair

_WORD = regex.compile(r"(?<![\p{L}\p{M}\p{Nd}_])\p{Lu}{2,}(?![\p{L}\p{M}\p{Nd}_])")
# Next to a letter of its own script a word is part of another one; Chinese follows without a blank.
_BESIDE = r"[\p{Latin}\p{Cyrillic}\p{M}\p{Nd}_]"
# What a number counts, as in "EUR 40".
_COUNTED = regex.compile(r"(?<=\p{Nd}\s?)\p{Lu}{3}(?!\p{L})|(?<!\p{L})\p{Lu}{3}(?=\s?\p{Nd})")
# Two letters are too often a word of the other language: AM, AN, IT.
_SHORTEST = 3


def capitals_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `name` findings: an error where a word in capitals is written with small letters in the translation.

    A warning where it is not there at all: many are translated (EU, UE) or written in the other script. Lines without
    small letters, which are headings, do not count, nor codes of currencies beside a number; neither do, for the error,
    words of two letters.
    """
    for pair in pairs:
        absent = [word for word in _capitals(pair.source) if not _has(pair.target, word)]
        if not absent or not pair.target.strip():
            continue
        changed = [word for word in absent if len(word) >= _SHORTEST and _has(pair.target, word, regex.IGNORECASE)]
        if changed:
            message = f"{quoted(changed)} not in capitals in the translation"
            yield finding_of(pair, "name", Severity.ERROR, message)
        missing = [word for word in absent if word not in changed]
        if missing:
            yield finding_of(pair, "name", Severity.WARNING, f"{quoted(missing)} not in the translation")


def _capitals(text: str) -> list[str]:
    lines = [line for line in text.split("\n") if regex.search(r"\p{Ll}", line)]
    from babel.core import get_global

    # A currency may be written as a sign.
    money = {word for line in lines for word in _COUNTED.findall(line) if word in get_global("all_currencies")}
    return sorted({word for line in lines for word in _WORD.findall(line)} - money)


def _has(text: str, word: str, flags: int = 0) -> bool:
    return regex.search(f"(?<!{_BESIDE}){regex.escape(word)}(?!{_BESIDE})", text, flags) is not None

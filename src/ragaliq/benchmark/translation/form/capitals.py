"""Words in capitals, such as the names of norms, tools and offices: they stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from ragaliq.benchmark.translation.finding import finding_of, quoted
from ragaliq.types import Severity, TranslationFinding, TranslationPair

# Next to these a word is part of another one; letters without case, as in Chinese, follow without a blank.
_BESIDE = r"[\p{Lu}\p{Ll}\p{M}\p{Nd}_]"
_WORD = regex.compile(rf"(?<!{_BESIDE})\p{{Lu}}{{2,}}(?!{_BESIDE})")
# What a number counts, as in "EUR 40".
_COUNTED = regex.compile(rf"(?<=\p{{Nd}}\s?)\p{{Lu}}{{3}}(?!{_BESIDE})|(?<!{_BESIDE})\p{{Lu}}{{3}}(?=\s?\p{{Nd}})")
# A line without them is a heading in capitals.
_NO_CAPITAL = regex.compile(r"[\p{Ll}\p{Lo}]")
# Two letters are too often a word of the other language: AM, AN, IT.
_SHORTEST = 3


def capitals_findings(pairs: Sequence[TranslationPair]) -> Iterator[TranslationFinding]:
    """Yield `name` warnings: a word in capitals is written with small letters in the translation, or not there.

    Both may be sound: Spanish writes "led" and "pin", German "Nato", and many are translated (EU, UE) or written in the
    other script. Lines whose letters are all capitals, which are headings, do not count, nor codes of currencies beside
    a number. Words of two letters in small ones are other words, and count as not there.
    """
    for pair in pairs:
        absent = [word for word in _capitals(pair.source) if not _has(pair.target, word)]
        if not absent or not pair.target.strip():
            continue
        changed = [word for word in absent if len(word) >= _SHORTEST and _has(pair.target, word, regex.IGNORECASE)]
        if changed:
            message = f"{quoted(changed)} not in capitals in the translation"
            yield finding_of(pair, "name", Severity.WARNING, message)
        missing = [word for word in absent if word not in changed]
        if missing:
            yield finding_of(pair, "name", Severity.WARNING, f"{quoted(missing)} not in the translation")


def _capitals(text: str) -> list[str]:
    lines = [line for line in text.split("\n") if _NO_CAPITAL.search(line)]
    from babel.core import get_global

    # A currency may be written as a sign.
    money = {word for line in lines for word in _COUNTED.findall(line) if word in get_global("all_currencies")}
    return sorted({word for line in lines for word in _WORD.findall(line)} - money)


def _has(text: str, word: str, flags: int = 0) -> bool:
    return regex.search(f"(?<!{_BESIDE}){regex.escape(word)}(?!{_BESIDE})", text, flags) is not None

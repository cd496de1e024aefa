"""Analyzers: from text to index terms, for any language.

Tokens are runs of Unicode letters, combining marks and digits (the word class of Python's `re` leaves the marks
out and so breaks words of Hindi, Thai and others). Words are casefolded and stemmed by Snowball where it knows the language. Runs of
scripts that write no spaces become character 1-grams and 2-grams.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import cache

import regex

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々]+")
_SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hi": "hindi", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def fold(text: str) -> str:
    """Return `text` in NFKC and casefolded; `ё` and `е` count as one letter, as Russian writes them."""
    return unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")


def words(text: str) -> list[str]:
    """Return the folded words of `text`; a run of an unspaced script is one word."""
    return list(WORD.findall(fold(text)))


def terms(text: str, lang: str) -> list[str]:
    """Return the index terms of `text` in reading order, repeats included.

    A word of a spaced script gives its stem; a run of an unspaced script gives its character 1-grams, then 2-grams.
    """
    stem = _stemmer(lang)
    found: list[str] = []
    for word in words(text):
        if UNSPACED.search(word) is None:
            found.append(stem(word))
            continue
        for part in UNSPACED.splititer(word, concurrent=False):
            if part:
                found.append(stem(part))
        for run in UNSPACED.findall(word):
            found.extend(run)
            found.extend(run[i : i + 2] for i in range(len(run) - 1))
    return found


def reading_length(text: str) -> int:
    """Return the length of `text` for a reading budget: a Han, kana or hangul character counts 3, any other 1.

    A character of these scripts carries about as much text as three letters of an alphabet.
    """
    return len(text) + 2 * len(_WIDE.findall(text))


_WIDE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


@cache
def _stemmer(lang: str) -> Callable[[str], str]:
    name = _SNOWBALL.get(lang.partition("-")[0])
    if name is None:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(name).stemWord
    return stem

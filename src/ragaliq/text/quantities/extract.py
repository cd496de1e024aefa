"""The numbers, times, dates and names that a text states."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from ragaliq.errors import InputError, listed
from ragaliq.text.quantities.clock import read_times
from ragaliq.text.quantities.dates import read_dates
from ragaliq.text.quantities.digits import marks, read_numbers
from ragaliq.text.quantities.entities import read_entities
from ragaliq.text.quantities.han import read_han_numbers
from ragaliq.text.quantities.mentions import READ, Mention, Scan
from ragaliq.text.quantities.spelled import read_words
from ragaliq.text.terms import base_language

LANGUAGES = ("de", "en", "es", "fr", "ru", "zh")
_DASHES = regex.compile("[‐‑‒–—―−]")
_WIDE_COMMA = regex.compile("(?<![０-９])，|，(?![０-９])")
_WIDE_COLON = regex.compile(r"(?<!\p{Nd})：|：(?!\p{Nd})")
_FOREIGN_DIGIT = regex.compile(r"(?![0-9])\d")
# Of a unit, as in m³; NFKC would make a digit of it.
_POWER = regex.compile(r"(?<=\p{L})[²³]")
_VULGAR = {"½": "5", "¼": "25", "¾": "75"}
_VULGAR_FRACTION = regex.compile(r"(?P<whole>\p{Nd}+)?\s?(?P<part>[½¼¾])")


# Texts are compared with their counterparts in several languages.
@lru_cache(maxsize=8192)
def quantities(text: str, lang: str) -> tuple[Mention, ...]:
    """Return what a text states in numbers, times, dates, months, weekdays and names, in reading order.

    Digits of all scripts are read alike. Separators are those of the language by CLDR; where a run of digits can be
    read in more than one way, the mention has all readings. Numbers in words, and months or weekdays that may be other
    words, are allowed and not demanded; see `Strictness`.

    Args:
        text: in `lang`.
        lang: code of one of `LANGUAGES`, with or without a region.

    Raises:
        InputError: if the language is none of those.
    """
    base = base_language(lang)
    if base not in LANGUAGES:
        raise InputError(f"numbers of '{lang}' cannot be compared; {listed(LANGUAGES)}")
    scan = Scan(_plain(text, lang))
    read_entities(scan)
    read_times(scan, base)
    read_dates(scan, base)
    read_numbers(scan, lang)
    if base == "zh":
        read_han_numbers(scan)
    read_words(scan, base)
    return scan.mentions()


def comparable(lang: str) -> bool:
    """Return whether the numbers of texts in a language can be compared with those of another."""
    return base_language(lang) in LANGUAGES


def _plain(text: str, lang: str) -> str:
    """Return a text in NFKC with ASCII digits, plain dashes and no soft hyphens."""
    if not _VULGAR.keys().isdisjoint(text):
        mark = marks(lang)[0]
        text = _VULGAR_FRACTION.sub(lambda match: f"{match['whole'] or '0'}{mark}{_VULGAR[match['part']]}", text)
    text = _POWER.sub("", text)
    # In Chinese wide commas and colons part clauses; the comma between wide digits groups them.
    text = _WIDE_COLON.sub(": ", _WIDE_COMMA.sub(", ", text))
    text = _DASHES.sub("-", unicodedata.normalize("NFKC", text).replace("\u00ad", ""))
    return _FOREIGN_DIGIT.sub(lambda match: _ascii_digit(match[0]), text)


def _ascii_digit(char: str) -> str:
    """Return the ASCII form of a digit; of one that is too new for this Python, a mark that is no letter."""
    value = unicodedata.digit(char, None)
    return READ if value is None else str(value)

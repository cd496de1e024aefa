"""The words of `words.yaml`, made ready for reading."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.numbers import number_words
from ragaliq.text.quantities.mentions import Quantity
from ragaliq.text.terms import fold

_FILE = Path(__file__).with_name("words.yaml")
_KINDS = {"n": "number", "t": "time", "w": "weekday"}
# No form of an alphabet ends within a word; Chinese has no ends of words.
_END = r"(?![\p{Latin}\p{Cyrillic}])"
_START = r"(?<![\p{Latin}\p{Cyrillic}])"


def unit_at(text: str, place: int) -> tuple[str, int]:
    """Return the unit that stands at a place of a text, behind at most a blank or a hyphen, and where it ends."""
    match = _pattern("units", r"[ \-]?").match(text, place)
    return (_table("units")[fold(match[1])], match.end()) if match else ("", place)


def currency_before(text: str, place: int) -> str:
    """Return the currency whose sign stands before a place of a text, "" if none does."""
    sign = text[max(place - 2, 0) : place].rstrip()[-1:]
    return _table("units").get(sign, "") if sign and sign in "€$£¥₽" else ""


def scale_at(text: str, place: int) -> tuple[Decimal, int]:
    """Return what multiplies the number before a place of a text ("million", "万"), and where that ends."""
    match = _pattern("scales", " ?").match(text, place)
    return (Decimal(_table("scales")[fold(match[1])]), match.end()) if match else (Decimal(1), place)


@cache
def firm_words(lang: str) -> frozenset[str]:
    """Return the spelled numbers that are seldom another word."""
    return frozenset(fold(word) for word in str(_data()["firm"].get(lang, "")).split())


@cache
def spelled_numbers(lang: str) -> dict[str, int]:
    """Return all spelled numbers of a language, ordinals and articles included, with their values."""
    also = {fold(word): int(value) for value, forms in _data()["also"].get(lang, {}).items() for word in forms.split()}
    return also | number_words(lang)


@cache
def idioms(lang: str) -> tuple[tuple[regex.Pattern[str], tuple[Quantity, ...]], ...]:
    """Return patterns of words that stand for a number, a time or a weekday, and what they may stand for."""
    rows = _data()["idioms"].get(lang, {})
    return tuple((_any_of(forms), tuple(map(_atom, key.split()))) for key, forms in rows.items())


@cache
def part_of_day(lang: str) -> tuple[str, str]:
    """Return the alternatives, as they stand in a pattern, of the words for afternoon and morning."""
    return tuple("|".join(_forms(_data()[key][lang])) for key in ("afternoon", "morning"))  # type: ignore[return-value]


def _atom(written: str) -> Quantity:
    return Quantity(_KINDS[written[0]], written[1:])


def _any_of(forms: str) -> regex.Pattern[str]:
    return regex.compile(f"{_START}(?:{'|'.join(_forms(forms))}){_END}", regex.IGNORECASE)


def _forms(forms: str) -> list[str]:
    """Return the forms of a row, escaped, the longest first."""
    named = sorted((form.replace("_", " ") for form in forms.split()), key=lambda form: (-len(form), form))
    return [regex.escape(form) for form in named]


@cache
def _table(key: str) -> dict[str, str]:
    """Return the folded forms of `units` or `scales`, each with what it stands for."""
    rows = _data()[key].items()
    return {fold(form.replace("_", " ")): str(name) for name, forms in rows for form in forms.split()}


@cache
def _pattern(key: str, gap: str) -> regex.Pattern[str]:
    forms = _forms(" ".join(_data()[key].values()))
    # 千克 is a unit, and 千 no scale before it.
    return regex.compile(rf"{gap}({'|'.join(forms)}){_END}(?<!千(?=[克米瓦帕]))", regex.IGNORECASE)


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)

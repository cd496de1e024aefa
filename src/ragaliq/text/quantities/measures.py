"""Lengths, weights, volumes, durations and temperatures, in a form that compares across units."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.quantities.words import currency_before, unit_at
from ragaliq.text.terms import base_language, fold

_FILE = Path(__file__).with_name("measures.yaml")
_NUMBER = r"(?<![\d.,:/\p{Latin}\p{Cyrillic}])(?:[1-9]\d{0,2}(?:[ .,'’]\d{3})+|\d+(?:[.,]\d+)?)(?![\d:/])(?![.,]\d)"
_GROUPED = regex.compile(r"[1-9]\d{0,2}(?:[ .,'’]\d{3})+")
_MINUS = regex.compile(r"(?:(?<![\p{L}\p{N})]\s?)[\-−–]|\b(?:minus|moins|menos|минус)\s|零下|负)$")
_JOINED = regex.compile(r"(?:,? ?| (?:and|und|et|y|и) |零|又)")
_FAHRENHEIT = regex.compile(r"华氏$")
_LONGEST_SIGN = 8
# What a rough conversion, and what the rounding of a temperature, may change.
_ROUGHLY, _HALF_A_DEGREE = Fraction(1, 100), Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class UnitValue:
    """A number with a unit, in the smallest unit of its dimension, with its place in the text.

    `counted` is false where the number is an article, "an hour"; `rough` says that conversion is only approximate.
    """

    start: int
    end: int
    dimension: str
    value: Fraction
    unit: str
    counted: bool = True
    rough: bool = False

    def equals(self, other: UnitValue) -> bool:
        """Return whether two measures are of the same dimension and value."""
        if self.dimension != other.dimension:
            return False
        if self.unit == other.unit or not (self.rough or other.rough):
            return self.value == other.value
        limit = _HALF_A_DEGREE if self.dimension == "temperature" else _ROUGHLY * max(abs(self.value), abs(other.value))
        return abs(self.value - other.value) <= limit


def unit_values(folded: str, lang: str) -> list[UnitValue]:
    """Return the measures of a folded text whose numbers are digits, in reading order.

    Neighbours of one dimension that descend are one measure: "1 h 30 min", "5 ft 3 in".
    """
    joined: list[UnitValue] = []
    for match in _number(base_language(lang)).finditer(folded):
        measure = _measure(folded, match)
        if measure is None:
            continue
        before = joined[-1] if joined else None
        if before and _continues(folded, before, measure):
            joined[-1] = UnitValue(
                before.start, measure.end, before.dimension, before.value + measure.value, measure.unit,
                before.counted or measure.counted, before.rough,
            )  # fmt: skip
        else:
            joined.append(measure)
    return joined


def in_unit(value: Fraction, dimension: str, unit: str) -> Fraction:
    """Return a value of a dimension in one of its units."""
    shifted = value / _factor(dimension, unit)
    return shifted + 32 if unit == "°F" else shifted


def _measure(text: str, match: regex.Match[str]) -> UnitValue | None:
    unit, end = _unit_at(text, match.end())
    dimension = _dimension_of(unit)
    if not dimension or currency_before(text, match.start()):
        return None
    start, written = match.start(), match[0]
    if dimension == "temperature" and _FAHRENHEIT.search(text, max(start - _LONGEST_SIGN, 0), start):
        unit = "°F"
    counted = written[0].isdigit()
    if counted:
        value = Fraction(
            regex.sub(r"[ .,'’]", "", written) if _GROUPED.fullmatch(written) else written.replace(",", ".")
        )
    else:
        value = Fraction(1)
    sign = _MINUS.search(text, max(start - _LONGEST_SIGN, 0), start) if dimension == "temperature" else None
    if sign:
        start, value = sign.start(), -value
    if unit == "°F":
        value -= 32
    return UnitValue(start, end, dimension, value * _factor(dimension, unit), unit, counted, unit in _rough())


def _continues(text: str, before: UnitValue, measure: UnitValue) -> bool:
    if before.dimension != measure.dimension or before.dimension == "temperature":
        return False
    smaller = _factor(before.dimension, before.unit) > _factor(measure.dimension, measure.unit)
    return smaller and _JOINED.fullmatch(text[before.end : measure.start]) is not None


def _unit_at(text: str, place: int) -> tuple[str, int]:
    """Return the unit at a place, read from the longest form that matches, and where it ends."""
    match = _forms().match(text, place)
    known, end = unit_at(text, place)
    return (_table()[fold(match[1])], match.end()) if match and match.end() > end else (known, end)


@cache
def _number(lang: str) -> regex.Pattern[str]:
    ones = str(_data()["one"].get(lang, "")).split()
    one = "|".join(map(regex.escape, sorted(ones, key=len, reverse=True)))
    gap = "" if lang == "zh" else r"(?= )"
    return regex.compile(rf"{_NUMBER}|(?<![\p{{Latin}}\p{{Cyrillic}}])(?:{one}){gap}" if ones else _NUMBER)


@cache
def _dimension_of(unit: str) -> str:
    return next((name for name, units in _data()["dimensions"].items() if unit in units), "")


@cache
def _factor(dimension: str, unit: str) -> Fraction:
    return Fraction(_data()["dimensions"][dimension][unit])


@cache
def _rough() -> frozenset[str]:
    return frozenset(str(_data()["rough"]).split())


@cache
def _table() -> dict[str, str]:
    rows = _data()["units"].items()
    return {fold(form.replace("_", " ")): unit for unit, forms in rows for form in forms.split()}


@cache
def _forms() -> regex.Pattern[str]:
    forms = "|".join(regex.escape(form) for form in sorted(_table(), key=lambda form: (-len(form), form)))
    return regex.compile(rf"[ \-]?({forms})(?![\p{{Latin}}\p{{Cyrillic}}])")


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)

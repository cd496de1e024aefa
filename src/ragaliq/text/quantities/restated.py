"""A text with its values written as another text writes them: 90 minutes for an hour and a half, 3 July for 03.07."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from functools import lru_cache

import regex

from ragaliq.text.numbers import spelled_in_digits
from ragaliq.text.quantities.measures import UnitValue, in_unit, unit_values
from ragaliq.text.quantities.whole_dates import WholeDate, whole_dates

_DIGITS = regex.compile(r"\d")
_YEAR = regex.compile(r"(?<!\d)\d{4}(?!\d)")
# Measures, and dates, that are read of a text; each is compared with those of the other text that are near it.
_MOST = 2_000
# More than what rounding may change, as a share of a value and in its smallest unit.
_NEAR, _NEAR_ZERO = Fraction(1, 50), 1
# Digits of a converted value that equals none of the other text.
_PLACES = 3


def restated(folded: str, like: str, lang: str) -> str:
    """Return a folded text in which the measures and dates that another text has, too, are written as there.

    A measure that equals none of the other text is converted into its unit, so that the numbers can be compared: beside
    "1.5 km", "1.5 m" becomes 0.0015 km; a wrong date becomes one number. The text comes back as it is where nothing is
    to be said in another way.
    """
    wanted = _values(like, lang)
    if not wanted.measures and not wanted.dates:
        return folded
    stated = _values(folded, lang)
    known = {key: _as_measure(one, wanted, key[-1]) for key, one in stated.distinct.items()}
    changes = [(one.start, one.end, known[stated.key(one)]) for one in stated.measures]
    changes += [(one.start, one.end, said) for one, said in _as_dates(stated.dates, wanted, stated.text)]
    text = stated.text
    for start, end, said in sorted(changes, reverse=True):
        if said:
            text = text[:start] + said + text[end:]
    return folded if text == stated.text else text


class _Values:
    """A text whose numbers are digits, with its measures and dates."""

    def __init__(self, folded: str, lang: str) -> None:
        self.text = spelled_in_digits(folded, lang)
        # Without a digit the only number can be an article.
        self.measures: list[UnitValue] = unit_values(self.text, lang)[:_MOST]
        self.dates: list[WholeDate] = whole_dates(self.text, lang)[:_MOST]
        self.units = {one.unit for one in self.measures}
        self.first: dict[str, UnitValue] = {}
        self._by_value: dict[str, list[UnitValue]] = {}
        # Of those that are the same, the first.
        self.distinct = {self.key(one): one for one in reversed(self.measures)}
        for one in sorted(self.distinct.values(), key=lambda one: one.start):
            self.first.setdefault(one.dimension, one)
            self._by_value.setdefault(one.dimension, []).append(one)
        for ones in self._by_value.values():
            ones.sort(key=_value)

    def key(self, one: UnitValue) -> tuple[str, Fraction, str]:
        """Return what the comparison of a measure depends on."""
        return one.unit, one.value, self.written(one)

    def written(self, one: UnitValue) -> str:
        """Return how this text says one of its measures."""
        return self.text[one.start : one.end]

    def equal_to(self, one: UnitValue) -> list[str]:
        """Return how this text says what equals a measure of the other, in reading order."""
        ones, slack = self._by_value.get(one.dimension, []), abs(one.value) * _NEAR + _NEAR_ZERO
        first = bisect_left(ones, one.value - slack, key=_value)
        near = ones[first : bisect_right(ones, one.value + slack, key=_value)]
        return [self.written(other) for other in sorted(near, key=lambda other: other.start) if one.equals(other)]


_values = lru_cache(maxsize=4096)(_Values)


def _as_measure(one: UnitValue, wanted: _Values, written: str) -> str:
    """Return how the other text says a measure, "" to leave it."""
    equal = wanted.equal_to(one)
    if equal:
        return "" if written in equal else equal[0]
    other = wanted.first.get(one.dimension)
    if other is None or not one.counted or one.unit in wanted.units:
        return ""
    number = wanted.written(other)
    tail = number[max((match.end() for match in _DIGITS.finditer(number)), default=0) :]
    return _written(in_unit(one.value, other.dimension, other.unit)) + tail


def _value(one: UnitValue) -> Fraction:
    return one.value


def _written(value: Fraction) -> str:
    return f"{float(value):.{_PLACES}g}" if abs(value) < 1 else f"{float(value):.{_PLACES}f}".rstrip("0").rstrip(".")


def _as_dates(dates: list[WholeDate], wanted: _Values, text: str) -> list[tuple[WholeDate, str]]:
    """Return how the other text says each date, "" to leave it.

    Where none is a date of the other text, each becomes one number: 3 July and 7 March share their digits.
    """
    if wanted.dates and not any(one.equals(other) for one in dates for other in wanted.dates):
        return [(one, "{}{:02d}{:02d}".format(one.year or "", *one.readings[0])) for one in dates]
    return [(one, _as_date(one, wanted, text)) for one in dates]


def _as_date(one: WholeDate, wanted: _Values, text: str) -> str:
    """Return how the other text says a date, without the year where this text has none; "" to leave it."""
    equal = [wanted.text[other.start : other.end] for other in wanted.dates if one.equals(other)]
    if not equal or text[one.start : one.end] in equal:
        return ""
    return equal[0] if one.year else _YEAR.sub(" ", equal[0])

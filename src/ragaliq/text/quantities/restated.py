"""A text with its values written as another text writes them: 90 minutes for an hour and a half, 3 July for 03.07."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import regex

from ragaliq.text.numbers import spelled_in_digits
from ragaliq.text.quantities.measures import UnitValue, in_unit, unit_values
from ragaliq.text.quantities.whole_dates import WholeDate, whole_dates

_DIGITS = regex.compile(r"\d")
_YEAR = regex.compile(r"(?<!\d)\d{4}(?!\d)")
# Measures, and dates, that are read of a text: each is compared with each of the other text.
_MOST = 200
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
    changes = [(one.start, one.end, _as_measure(one, wanted, stated.text)) for one in stated.measures]
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


_values = lru_cache(maxsize=4096)(_Values)


def _as_measure(one: UnitValue, wanted: _Values, text: str) -> str:
    """Return how the other text says a measure, "" to leave it."""
    others = [other for other in wanted.measures if other.dimension == one.dimension]
    equal = [wanted.text[other.start : other.end] for other in others if one.equals(other)]
    if equal:
        return "" if text[one.start : one.end] in equal else equal[0]
    if not others or not one.counted or one.unit in {other.unit for other in others}:
        return ""
    other = others[0]
    number = wanted.text[other.start : other.end]
    tail = number[max((match.end() for match in _DIGITS.finditer(number)), default=0) :]
    return _written(in_unit(one.value, other.dimension, other.unit)) + tail


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

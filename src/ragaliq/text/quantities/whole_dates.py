"""Dates with day and month, and mostly a year, in any order and format, with their place in the text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import regex

from ragaliq.text.quantities.dates import month_names
from ragaliq.text.quantities.extract import LANGUAGES
from ragaliq.text.terms import base_language

_YEAR_FIRST = regex.compile(r"(?<![\d.,/\-])(?P<y>\d{4})[\-/.](?P<m>\d{1,2})[\-/.](?P<d>\d{1,2})(?![\d/\-]|[.,]\d)")
_YEAR_LAST = regex.compile(r"(?<![\d.,/\-])(?P<a>\d{1,2})([\-/.])(?P<b>\d{1,2})\2(?P<y>\d{4}|\d\d)(?![\d/\-]|[.,]\d)")
_HAN = regex.compile(r"(?:(?<!\d)(?P<y>\d{4})\s?年\s?)?(?<!\d)(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]")
_END = r"(?![\p{L}\p{N}])"


@dataclass(frozen=True, slots=True)
class WholeDate:
    """A date and its place; `readings` are (month, day), two where the order is open; `year` is 0 if it is left out."""

    start: int
    end: int
    year: int
    readings: tuple[tuple[int, int], ...]

    def equals(self, other: WholeDate) -> bool:
        """Return whether two texts may mean the same day; a year counts where both name one."""
        return bool(set(self.readings) & set(other.readings)) and (
            self.year == other.year or not self.year * other.year
        )


def whole_dates(folded: str, lang: str) -> list[WholeDate]:
    """Return the dates of a folded text whose numbers are digits, in reading order; none in a language not known."""
    base = base_language(lang)
    if base not in LANGUAGES or not any(map(str.isdigit, folded)):
        return []
    dates = [_date(match, "ymd") for match in _YEAR_FIRST.finditer(folded)]
    dates += [_date(match, "mdy" if base == "en" else "dmy") for match in _YEAR_LAST.finditer(folded)]
    if base == "zh":
        dates += [_date(match, "ymd") for match in _HAN.finditer(folded)]
    else:
        names = month_names(base)
        for pattern in _patterns(base):
            for match in pattern.finditer(folded):
                dates.append(_whole(match, ((names[match["month"]], int(match["d"])),)))
    kept: list[WholeDate] = []
    for date in sorted((date for date in dates if date), key=lambda date: (date.start, -date.end)):
        if not kept or date.start >= kept[-1].end:
            kept.append(date)
    return kept


def _date(match: regex.Match[str], order: str) -> WholeDate | None:
    groups = match.groupdict()
    if order == "ymd":
        pairs = [(int(groups["m"]), int(groups["d"]))]
    else:
        one, two = int(groups["a"]), int(groups["b"])
        pairs = [(one, two), (two, one)] if order == "mdy" else [(two, one)]
    return _whole(match, tuple(dict.fromkeys(pairs)))


def _whole(match: regex.Match[str], pairs: tuple[tuple[int, int], ...]) -> WholeDate | None:
    readings = tuple((month, day) for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31)
    written = match["y"] or "0"
    year = int(written) if len(written) != 2 else 2000 + int(written)
    return WholeDate(match.start(), match.end(), year, readings) if readings else None


@cache
def _patterns(lang: str) -> tuple[regex.Pattern[str], ...]:
    names = sorted(month_names(lang), key=lambda name: (-len(name), name))
    month = rf"(?P<month>{'|'.join(map(regex.escape, names))})(?!\p{{L}})"
    suffix = r"(?:st|nd|rd|th|er|\.?[oº]|\.|-го|-е|-ое)?"
    day = rf"(?<![\d.,:/\-])(?P<d>\d{{1,2}}){suffix}"
    year = rf"(?P<y>\d{{4}}){_END}(?:\s?(?:года|год|г\.))?"
    day_first = regex.compile(rf"{day}\s?(?:day of |of |de |d['’])?{month}(?:\.?,?\s(?:of |de |del |del año )?{year})?")
    # Elsewhere a number behind a month counts something else: "в январе первого года".
    if lang != "en":
        return (day_first,)
    month_first = rf"(?<!\p{{L}}){month}\.?\s(?:the )?(?P<d>\d{{1,2}}){suffix}(?![\d:%.,]\d|\d)(?:,?\s{year})?"
    return day_first, regex.compile(month_first)

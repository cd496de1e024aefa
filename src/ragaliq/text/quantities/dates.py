"""Dates, months and weekdays, with the names of CLDR."""

from __future__ import annotations

from functools import cache
from typing import Literal

import regex

from ragaliq.text.quantities.han import RUN, figure
from ragaliq.text.quantities.mentions import Mention, Quantity, Scan, Strictness, mention

_LETTER = r"[\p{L}\p{M}]"
_SUFFIX = r"(?:st|nd|rd|th|er|re|\.?[oº]|\.|-го|-е|-ое)?"
_BETWEEN = (
    r"\s?(?:,? ?(?:to|and|or|until|through|bis zum|bis|auf|und|oder|au|à|et|ou|al|a|hasta(?: el)?|y|o|e|или|по|до|и)"
    r"|-|,|/)\s?"
    r"(?:the |zum |le |el |den |dem )?"
)
_DAY = rf"\d{{1,2}}{_SUFFIX}"
_ISO = regex.compile(r"(?<!\d)(?P<y>\d{4})-(?P<a>\d{1,2})-(?P<b>\d{1,2})(?!\d)")
_NUMERIC = regex.compile(r"(?<![\d.,/])(?P<a>\d{1,2})([./])(?P<b>\d{1,2})\2(?P<y>\d{4}|\d\d)?(?![\d/])")
# "le 14/04"; it may be a score or a share, too.
_DAY_AND_MONTH = regex.compile(r"(?<![\d.,/])(?P<a>0?[1-9]|[12]\d|3[01])/(?P<b>0[1-9]|1[0-2])(?![\d/]|[.,]\d)")
_HAN_MONTH = r"(?:\d{1,2}|十[一二]?|[一二三四五六七八九])"
_HAN_DAY = rf"(?:\d{{1,2}}|{RUN}{{1,3}})"
_HAN_DATE = regex.compile(
    rf"(?<!\d)(?P<month>{_HAN_MONTH})\s?月\s?(?P<day>{_HAN_DAY})\s?[日号]?"
    rf"(?:\s?[至到、和或\-]\s?(?P<more>{_HAN_DAY})\s?[日号](?!\d)){{0,6}}(?<=[日号])"
)
_HAN_MONTHS = regex.compile(
    rf"(?<!\d)(?:(?P<from>{_HAN_MONTH})月?\s?[至到\-]\s?)?(?P<month>{_HAN_MONTH})\s?月(?!球|亮)"
)
_HAN_WEEKDAY = regex.compile(
    r"(?:周|星期|礼拜)(?P<day>[一二三四五六日天]|[1-6](?!\d))(?:\s?(?:[、和与或至到\-]|及)\s?(?P<more>[一二三四五六日](?![个名位天次小]))){0,6}"
    r"(?![次个名位小])"
)
# Ambiguous when alone: Russian "среда" is also surroundings.
_WEEKDAYS_RU = (
    r"понедельник\p{L}*", r"вторник\p{L}*", r"сред(?:у|ам|ами|ах)", r"четверг\p{L}*", r"пятниц\p{L}*", r"суббот\p{L}*",
    r"воскресе?н\p{L}*",
)  # fmt: skip
_CONTEXTS: tuple[Literal["format"], Literal["stand-alone"]] = ("format", "stand-alone")
_DAYTIMES = "abend|morgen|mittag|vormittag|nachmittag|nacht"
_BEFORE_MONTH = regex.compile(
    r"(?:\b(?:in|of|by|until|till|from|since|and|to|or|every|each|late|early|mid|through|between|during|before|after|last|"
    r"next)[ \-]|\d )$", regex.IGNORECASE,
)  # fmt: skip


def read_dates(scan: Scan, lang: str) -> None:
    """Read dates in figures and with the month's name, months and weekdays."""
    scan.take(_ISO, lambda match: _figures(match, "ymd"))
    scan.take(_NUMERIC, lambda match: _figures(match, "mdy" if lang == "en" else "dmy"))
    if lang not in ("en", "zh"):
        scan.take(_DAY_AND_MONTH, lambda match: [_day_and_month(match)])
    if lang == "zh":
        scan.take(_HAN_DATE, _han_date)
        scan.take(_HAN_MONTHS, _han_months)
        scan.take(_HAN_WEEKDAY, lambda match: [_weekday(match[0], match.captures("day") + match.captures("more"))])
        return
    names = month_names(lang)
    day_first, month_first, alone = _month_patterns(lang)
    scan.take(day_first, lambda match: _days(match, names))
    scan.take(month_first, lambda match: _days(match, names))
    scan.take(alone, lambda match: [_month(match, names, lang)])
    for number, firm, loose in _weekday_patterns(lang):
        quantity = Quantity("weekday", str(number))
        scan.take(firm, lambda match, quantity=quantity: [mention(match[0], quantity)])  # type: ignore[misc]
        scan.take(loose, lambda match, quantity=quantity: [mention(match[0], quantity, strictness=Strictness.ALLOWED)])  # type: ignore[misc]


def _figures(match: regex.Match[str], order: str) -> list[Mention]:
    """Return the date of a match, and its year; only in English may both orders be meant."""
    one, two, year = int(match["a"]), int(match["b"]), match["y"]
    pairs = [(one, two), (two, one)] if order in ("ymd", "mdy") else [(two, one), (one, two)]
    if order == "ymd" or (order == "dmy" and two <= 12):
        pairs = pairs[:1]
    quantities = [
        Quantity("date", f"{month:02d}-{day:02d}") for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31
    ]
    # In English "3.07." is a number.
    if not quantities or (order == "mdy" and not year):
        return []
    years = [year] if not year or len(year) == 4 else ["20" + year, "19" + year]
    stated = [mention(year, *(Quantity("number", each) for each in years))] if year else []
    return [mention(match[0], *quantities), *stated]


def _day_and_month(match: regex.Match[str]) -> Mention:
    date = Quantity("date", f"{int(match['b']):02d}-{int(match['a']):02d}")
    return mention(match[0], date, (Quantity("number", match["a"]), Quantity("number", match["b"])))


def _days(match: regex.Match[str], names: dict[str, int]) -> list[Mention]:
    month = names[match["month"].casefold()]
    days = [int(day) for day in regex.findall(r"\d+", match["days"])]
    return _dates(match[0], month, days) if all(1 <= day <= 31 for day in days) else []


def _han_date(match: regex.Match[str]) -> list[Mention]:
    month = figure(match["month"]) or 0
    days = [figure(day) or 0 for day in [match["day"], *match.captures("more")]]
    return _dates(match[0], month, days) if month <= 12 and all(1 <= day <= 31 for day in days) else []


def _dates(text: str, month: int, days: list[int]) -> list[Mention]:
    return [mention(text, Quantity("date", f"{month:02d}-{day:02d}")) for day in days]


def _han_months(match: regex.Match[str]) -> list[Mention]:
    numbers = [figure(each) or 0 for each in (match["from"], match["month"]) if each]
    return [mention(match[0], Quantity("month", str(number))) for number in numbers] if max(numbers) <= 12 else []


def _weekday(text: str, days: list[str]) -> Mention:
    numbers = ["一二三四五六日".find("日" if day == "天" else day) + 1 or int(day) for day in days]
    return mention(text, tuple(Quantity("weekday", str(number)) for number in numbers))


def _month(match: regex.Match[str], names: dict[str, int], lang: str) -> Mention:
    """Return a month without a day; a name that may be another word is allowed, not demanded."""
    name = match["month"]
    capital = name[0].isupper()
    doubtful = capital if lang in ("fr", "es", "ru") else not capital
    if lang == "en" and name in ("May", "March"):
        doubtful = _BEFORE_MONTH.search(match.string, max(match.start() - 10, 0), match.start()) is None
    strictness = Strictness.ALLOWED if doubtful or match["compound"] else Strictness.DEMANDED
    return mention(match[0], Quantity("month", str(names[name.casefold()])), strictness=strictness)


@cache
def _month_patterns(lang: str) -> tuple[regex.Pattern[str], regex.Pattern[str], regex.Pattern[str]]:
    names = month_names(lang)
    month = f"(?P<month>{_alternatives(names)})(?!{_LETTER})"
    whole = [name for name in names if not name.endswith(".") and name in _wide_months(lang)]
    days = rf"(?P<days>{_DAY}(?:{_BETWEEN}{_DAY}){{0,6}})"
    genitive = "s?" if lang == "de" else ""
    compound = rf"(?P<compound>{_LETTER}+)?" if lang in ("de", "ru") else "(?P<compound>(?!))?"
    return (
        regex.compile(rf"(?<![\d.,:]){days}\s?(?:of |de |d['’])?{month}", regex.IGNORECASE),
        regex.compile(rf"(?<!{_LETTER}){month}\.? (?:the )?{days}(?![\d:%])", regex.IGNORECASE),
        regex.compile(
            rf"(?<!{_LETTER})(?P<month>{_alternatives(whole)}){genitive}{compound}(?!{_LETTER})", regex.IGNORECASE
        ),
    )


@cache
def month_names(lang: str) -> dict[str, int]:
    """Return the names of the months, inflected and shortened ones included, folded."""
    from babel.dates import get_month_names

    names = dict(_wide_months(lang))
    for context in _CONTEXTS:
        for number, name in get_month_names("abbreviated", context, lang).items():
            short = name.casefold().rstrip(".")
            names |= {short: number, short + ".": number}
    return names


@cache
def _wide_months(lang: str) -> dict[str, int]:
    from babel.dates import get_month_names

    names = {name.casefold(): n for n, name in get_month_names("wide", "stand-alone", lang).items()}
    names |= {name.casefold(): n for n, name in get_month_names("wide", "format", lang).items()}
    if lang == "ru":
        for name, number in list(names.items()):
            stem = name[:-1] if name[-1] in "ьйяа" else name
            endings = "яюейь" if names.get(stem + "я") == number else "ауе"
            names |= {stem + ending: number for ending in (*endings, "ем" if "я" in endings else "ом")}
            names.pop("ма", None)
    return names


@cache
def _weekday_patterns(lang: str) -> tuple[tuple[int, regex.Pattern[str], regex.Pattern[str]], ...]:
    """Return for each weekday what surely names it, and what may."""
    from babel.dates import get_day_names

    wide = get_day_names("wide", "format", lang)
    short = get_day_names("abbreviated", "stand-alone", lang)
    patterns = []
    for index in range(7):
        name, letters = wide[index].casefold(), regex.escape(short[index].rstrip("."))
        if lang == "ru":
            firm, loose = _WEEKDAYS_RU[index], rf"(?:{name}|{name[:-1]}[ыей]|{name[:-1]}ой)" if index == 2 else letters
        elif lang == "de":
            both = f"(?:{name}|sonnabend)" if index == 5 else name
            firm, loose = rf"{both}(?:s|e|en|es|(?:{_DAYTIMES})s?)?", rf"{both}{_LETTER}*"
        else:
            firm, loose = f"{name}s?", f"(?-i:{letters.capitalize()})" if lang == "en" else rf"{letters}\."
        patterns.append(
            tuple(regex.compile(rf"(?<!{_LETTER})(?:{each})(?!{_LETTER})", regex.IGNORECASE) for each in (firm, loose))
        )
    return tuple((index + 1, firm, loose) for index, (firm, loose) in enumerate(patterns))


def _alternatives(names: object) -> str:
    return "|".join(regex.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))  # type: ignore[call-overload]

"""Times of day, in 12 and 24 hours."""

from __future__ import annotations

from functools import cache

import regex

from ragaliq.text.numbers import HAN_DIGITS
from ragaliq.text.quantities.han import RUN, figure
from ragaliq.text.quantities.mentions import Mention, Quantity, Scan, Strictness, mention
from ragaliq.text.quantities.words import part_of_day, spelled_numbers
from ragaliq.text.terms import fold

# "from 9 to 12 a.m.", "9–12 Uhr": the first hour has no mark of its own.
_FROM = (
    r"(?:(?<![\d.,:])(?P<h0>\d{1,2})(?:[.:](?P<m0>[0-5]\d))?\s?"
    r"(?:-|(?<=\s)(?:to|until|till|and|or|bis|und|à|et|a|y|до|по|и)(?=\s)(?: las)?|[至到和])\s?)?"
)
_HOUR = r"(?<![\d.,:])(?P<h>\d{1,2})"
_HALF = r"(?:\s?(?P<half>[ap])\.?\s?m(?![\p{L}])\.?)"
_ROUND_THE_CLOCK = regex.compile(r"\b24\s?(?:h|heures|hours|horas)\s?(?:sur|/)\s?24\b|\b24/7\b", regex.IGNORECASE)
# Behind the hour, and whether a lone hour may also be a number of hours.
_MARKS = {
    "en": r"\s?o['’]clock|\s?h(?:rs)?(?![\p{L}])",
    "de": r"\s?(?:uhr|h(?![\p{L}]))(?:\s?(?P<m2>\d\d)(?![\d:]|[.,]\d))?",
    "fr": r"\s?(?:h|heures?)(?![\p{L}])(?:\s?(?P<m2>\d\d)(?![\d:]|[.,]\d))?",
    "es": r"\s?(?:h|hrs?|horas?)(?![\p{L}])\.?",
    "ru": r"\s?(?:ч|час|часа|часов|часам)(?![\p{L}])\.?(?:\s?(?P<m2>\d\d?)\s?мин\p{L}*\.?)?",
}
# Times in words: `H` is the hour, a word or figures, then the minutes after it.
_SPOKEN = {
    "en": {"half past H": 30, "quarter past H": 15, "quarter to H": -15},
    "de": {"halb H": -30, "viertel nach H": 15, "viertel vor H": -15, "dreiviertel H": -15},
    "fr": {"H heures? et demie": 30, "H heures? et quart": 15, "H heures? moins le quart": -15},
    "es": {"las? H y media": 30, "las? H y cuarto": 15, "las? H menos cuarto": -15},
    "ru": {"пол(?:овин[аеуы] )?H(?<=[ое]го)": -30, "без четверти H": -15, "четверть H(?<=[ое]го)": -45},
}
_ALSO_DURATION = ("en", "fr", "es", "ru")
_COLON = r"[:]\s?(?P<m>[0-5]\d)(?::[0-5]\d)?(?!\d|:\d)"
_HAN_HOUR = rf"(?<![\d.,:])(?P<h>\d{{1,2}}|{RUN}{{1,3}})"
_HAN_MARKS = (
    rf"(?:[点时](?!候|间)(?:钟|整|(?P<m2>\d{{1,2}}|{RUN}{{1,3}})分?(?![\d])|(?P<halved>半)|(?P<quarter>[一三])刻)?)"
)


def read_times(scan: Scan, lang: str) -> None:
    """Read the times of a text in one of the languages that `words.yaml` knows."""
    for spoken, minutes in _spoken(lang):
        scan.take(spoken, lambda match, minutes=minutes: _in_words(match, minutes, lang))  # type: ignore[misc]
    day = Quantity("number", "24")
    scan.take(_ROUND_THE_CLOCK, lambda match: [mention(match[0], day)])
    for pattern in _patterns(lang):
        scan.take(pattern, lambda match: _time(match, lang))


@cache
def _patterns(lang: str) -> tuple[regex.Pattern[str], ...]:
    afternoon, morning = part_of_day(lang)
    written: tuple[str, ...]
    if lang == "zh":
        before = rf"(?:(?P<pm>{afternoon}|中午)|(?P<am>{morning}))?\s?"
        start = rf"{before}(?:(?<![\d.,:])(?P<h0>\d{{1,2}}|{RUN}{{1,3}})(?:[点时])?\s?[至到\-]\s?)?"
        written = (rf"{before}{_HAN_HOUR}{_COLON}", rf"{start}{_HAN_HOUR}{_HAN_MARKS}")
    else:
        behind = rf"(?:\s(?:(?P<pm>{afternoon})|(?P<am>{morning}))(?![\p{{L}}]))?"
        written = (
            # Before the next, which would take the first of "2:30 to 5 p.m." by itself.
            rf"{_FROM}{_HOUR}(?:[.](?P<m>\d\d))?{_HALF}",
            rf"{_FROM}{_HOUR}{_COLON}(?:{_HALF}|{_MARKS[lang].replace('m2', 'm9')})?{behind}",
            rf"{_FROM}{_HOUR}(?:[.](?P<m>[0-5]\d))?(?:{_MARKS[lang]}){behind}",
            rf"{_HOUR}(?P<m>)(?:\s(?:(?P<pm>{afternoon})|(?P<am>{morning}))(?![\p{{L}}]))",
        )
    return tuple(regex.compile(each, regex.IGNORECASE) for each in written)


@cache
def _spoken(lang: str) -> tuple[tuple[regex.Pattern[str], int], ...]:
    hour = r"(?P<h>\p{L}+|\d{1,2})"
    return tuple(
        (regex.compile(rf"(?<![\p{{L}}\d])(?:{words.replace('H', hour)})(?![\p{{L}}\d:])", regex.IGNORECASE), minutes)
        for words, minutes in _SPOKEN.get(lang, {}).items()
    )


def _in_words(match: regex.Match[str], minutes: int, lang: str) -> list[Mention]:
    """Return a time in words, before and after noon; in French it may be a number of hours."""
    written = match["h"]
    hour = int(written) if written.isdigit() else spelled_numbers(lang).get(fold(written), 0)
    if not 1 <= hour <= 24:
        return []
    past = (hour * 60 + minutes) % 720
    readings = [_atom(half + past // 60, past % 60, "") for half in ((12, 0) if hour > 12 else (0, 12))]
    if lang == "fr" and minutes > 0:
        readings += [
            Quantity("number", f"{hour}.{minutes * 100 // 60}".rstrip("0"), "h"),
            Quantity("number", str(hour)),
        ]
    return [mention(match[0], *readings, strictness=Strictness.SPELLED)]


def _time(match: regex.Match[str], lang: str) -> list[Mention]:
    """Return the time of a match, and before it that which it ends; nothing if its hour is none."""
    groups = match.groupdict()
    hour, minute = figure(match["h"]), _minute(groups)
    if hour is None or minute is None or hour > 24 or minute > 59:
        return []
    named = (groups.get("half") or "").lower() or ("p" if groups.get("pm") else "a" if groups.get("am") else "")
    if groups.get("pm") == "中午":
        named = "p" if hour < 10 or hour == 12 else ""
    readings: list[Quantity | tuple[Quantity, ...]] = [_atom(hour, minute, named)]
    lone = not groups.get("m") and not groups.get("half") and not named
    if lone and lang in _ALSO_DURATION:
        length = (Quantity("number", str(hour), "h"),)
        readings.append(length + ((Quantity("number", str(minute), "min"),) if groups.get("m2") else ()))
    elif lone and groups.get("m2") and lang != "zh":
        readings.append((_atom(hour, 0, named), Quantity("number", groups["m2"])))
    if lang == "zh" and lone and not minute:
        readings.append(Quantity("number", str(hour)))
    if named and not groups.get("half"):
        # "12 Uhr nachts", "12 Uhr mittags".
        readings += [_atom(0, minute, ""), _atom(12, minute, "")] if hour == 12 else []
        # "5 дня", "3 ночи" may be days and nights.
        readings += [Quantity("number", str(hour))] if lang == "ru" and not minute else []
    # "一时" is also "for a time", "晚一点" a bit later, "三点" also three points.
    vague = lang == "zh" and not minute and groups["h"] in (HAN_DIGITS if lone else "一") and "钟" not in match[0]
    strictness = Strictness.DEMANDED if not vague else Strictness.SPELLED if hour >= 3 else Strictness.ALLOWED
    first = figure(groups["h0"]) if groups.get("h0") else None
    if first is None:
        return [mention(match[0], *readings, strictness=strictness)]
    if first > 24:
        return []
    start = match.string[match.start("h0") : match.end("m0" if groups.get("m0") else "h0")]
    before = [_atom(first, int(groups.get("m0") or 0), each) for each in (named, "")]
    if not groups.get("m0"):
        before.append(Quantity("number", str(first)))
    return [
        mention(start, *before),
        mention(match.string[match.start("h") : match.end()], *readings),
    ]


def _minute(groups: dict[str, str | None]) -> int | None:
    if groups.get("halved"):
        return 30
    if groups.get("quarter"):
        return 15 if groups["quarter"] == "一" else 45
    written = groups.get("m") or groups.get("m2")
    return figure(written) if written else 0


def _atom(hour: int, minute: int, named: str) -> Quantity:
    if named and hour <= 12:
        hour = hour % 12 + (12 if named == "p" else 0)
    return Quantity("time", f"{hour % 24:02d}:{minute:02d}")

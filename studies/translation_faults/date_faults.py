"""A date shifted in a translation: the day, the month or the weekday."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from fault import Fault, replaced

from ragaliq.types.translation import TranslationPair

# Months in order, their cases divided by "/".
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ru": "января/январе февраля/феврале марта/марте апреля/апреле мая/мае июня/июне июля/июле августа/августе "
    "сентября/сентябре октября/октябре ноября/ноябре декабря/декабре",
    "zh": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
}
# Weekdays from Monday. Days with a form at the same place can replace one another: Spanish and Russian days
# differ by number and gender, "-" holds a place free.
_WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes -/sábado -/domingo",
    "ru": "понедельник/понедельника/понедельникам вторник/вторника/вторникам -/-/средам/среду/среды "
    "четверг/четверга/четвергам -/-/пятницам/пятницу/пятницы -/-/субботам/субботу/субботы "
    "воскресенье/воскресенья/воскресеньям",
    "zh": "一 二 三 四 五 六 日",
}
_DAY_BEFORE = {
    "en": r"(\d{1,2}) ", "de": r"(\d{1,2})\. ", "fr": r"(\d{1,2}) ", "es": r"(\d{1,2}) de ", "ru": r"(\d{1,2}) ",
}  # fmt: skip


def date_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target with one day, month or weekday changed that the source states."""
    months, days = _forms(_MONTHS[pair.lang]), _forms(_WEEKDAYS[pair.lang])
    months_there, days_there = _forms(_MONTHS[pair.source_lang]), _forms(_WEEKDAYS[pair.source_lang])
    for month, forms in enumerate(months):
        if months_there[month][0] not in pair.source:
            continue
        for case, form in enumerate(forms):
            for match in re.finditer(
                rf"(?<!\d)(?<!\w){form}(?!\w)" if pair.lang != "zh" else rf"(?<!\d){form}", pair.target
            ):
                yield from _day_faults(pair, match, rng)
                others = [other[case] for other in months if other[case] not in pair.target]
                yield Fault("date", "month", replaced(pair.target, *match.span(), rng.choice(others)))
    for day, forms in enumerate(days):
        if days_there[day][0] not in pair.source.lower():
            continue
        for case, form in enumerate(forms):
            for match in re.finditer(_weekday_pattern(pair.lang, form), pair.target, re.IGNORECASE) if form else ():
                others = [o[case] for o in days if len(o) > case and o[case] and not _names(pair, o[case])]
                if others:
                    other = rng.choice(others)
                    word = other.capitalize() if match[0][0].isupper() else other
                    yield Fault("date", "weekday", replaced(pair.target, *match.span(), word))


def _forms(table: str) -> list[list[str]]:
    return [["" if form == "-" else form for form in word.split("/")] for word in table.split()]


def _day_faults(pair: TranslationPair, month: re.Match[str], rng: random.Random) -> Iterator[Fault]:
    if pair.lang == "zh":
        match = re.compile(r"(\d{1,2})日").match(pair.target, month.end())
    else:
        match = re.search(_DAY_BEFORE[pair.lang] + "$", pair.target[: month.start()])
    if match and re.search(rf"(?<!\d){match[1]}(?!\d)", pair.source):
        day = int(match[1])
        others = [other for other in range(1, 29) if other not in (day, 1) and abs(other - day) in (1, 2, 5, 10)]
        yield Fault("date", "day", replaced(pair.target, *match.span(1), str(rng.choice(others))))


def _names(pair: TranslationPair, day: str) -> bool:
    return re.search(_weekday_pattern(pair.lang, day), pair.target, re.IGNORECASE) is not None


def _weekday_pattern(lang: str, form: str) -> str:
    if lang == "zh":
        return rf"(?<=周){form}(?![\d]*[个名])|(?<=星期){form}"
    return rf"(?<!\w){form}" + (r"(?!\w)" if lang == "ru" else r"")

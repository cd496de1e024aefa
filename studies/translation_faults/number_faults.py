"""A number changed in a translation: a digit, the scale, a time, or a number written as a word."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from fault import Fault, replaced

from ragaliq.types.translation import TranslationPair

# A number by itself: no part of a code, a link or a date.
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9@/_.,:#=?&`-])\d+(?:[.,:]\d+|[ \u00a0\u202f]\d{3}(?!\d))*(?![A-Za-z0-9@/_-]|[.,:]\d|[月日号])"
)
_DAY = re.compile(
    r"\.? (?:de )?(?:jan|feb|fév|mär|mar|apr|avr|abr|ma[iy]|jun|juin|jul|juil|aug|aoû|ago|sep|oct|okt|nov|dec|dez|déc"
    r"|dic|ene|янв|фев|мар|апр|ма[яй]|июн|июл|авг|сен|окт|ноя|дек)",
    re.IGNORECASE,
)
_PROTECTED = re.compile(r"`[^`]+`|\S+@\S+|https?://\S+")
# Value and word; the same place in two Russian words is the same case.
_WORDS = {
    "en": "2:two 3:three 4:four 5:five 6:six 7:seven 8:eight 9:nine 10:ten 12:twelve 20:twenty",
    "de": "2:zwei 3:drei 4:vier 5:fünf 6:sechs 7:sieben 8:acht 9:neun 10:zehn 12:zwölf 20:zwanzig",
    "fr": "2:deux 3:trois 4:quatre 5:cinq 6:six 7:sept 8:huit 9:neuf 10:dix 12:douze 20:vingt",
    "es": "2:dos 3:tres 4:cuatro 5:cinco 6:seis 7:siete 8:ocho 9:nueve 10:diez 12:doce 20:veinte",
    "ru": "2:два/две/двух/двум/двумя 3:три/три/трёх/трём/тремя 4:четыре/четыре/четырёх/четырём/четырьмя "
    "5:пять/пять/пяти/пяти/пятью 6:шесть/шесть/шести/шести/шестью 7:семь/семь/семи/семи/семью "
    "8:восемь/восемь/восьми/восьми/восемью 10:десять/десять/десяти/десяти/десятью",
    "zh": "2:两 3:三 4:四 5:五 6:六 7:七 8:八 9:九 10:十 20:二十 30:三十",
}
_MEASURE = "个名位天周年月条张层间栋部台份种人晚小分公升只把件项顶次座声辆艘架门扇根页"


def number_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    """Yield the target with one number changed that the source states."""
    protected = [match.span() for match in _PROTECTED.finditer(pair.target)]
    stated = {_digits(match[0]) for match in _NUMBER.finditer(pair.source)}
    for match in _NUMBER.finditer(pair.target):
        if any(start <= match.start() < end for start, end in protected) or _digits(match[0]) not in stated:
            continue
        if _DAY.match(pair.target, match.end()):
            continue
        form, number = _changed(match[0], rng)
        yield Fault("number", form, replaced(pair.target, *match.span(), number))
    yield from _word_faults(pair, rng)


def _changed(number: str, rng: random.Random) -> tuple[str, str]:
    if ":" in number:
        return "time", _time(number, rng)
    grouped = re.fullmatch(r"(\d{1,3})([.,\u00a0\u202f ])(\d{3})", number)
    if rng.random() < 0.5:
        places = [place for place, sign in enumerate(number) if sign.isdigit()]
        place = rng.choice(places)
        digits = [digit for digit in "123456789" if digit != number[place]]
        return "digit", replaced(number, place, place + 1, rng.choice(digits))
    if grouped:
        value = int(grouped[1] + grouped[3]) // 10
        return "scale", f"{value:,}".replace(",", grouped[2])
    whole = re.fullmatch(r"(\d+)[.,](\d+)", number)
    if whole:
        return "scale", number.replace(whole[0], whole[1] + whole[2] if int(whole[1]) else whole[2])
    return "scale", number[:-1] if len(number) > 1 and number.endswith("0") else number + "0"


def _time(number: str, rng: random.Random) -> str:
    hour, minute = number.split(":")[:2]
    if rng.random() < 0.5:
        return f"{(int(hour) + rng.choice((1, 2, 3))) % 24:0{len(hour)}d}:{minute}"
    return f"{hour}:{(int(minute) + rng.choice((5, 10, 20, 30))) % 60:02d}"


def _word_faults(pair: TranslationPair, rng: random.Random) -> Iterator[Fault]:
    words, there = _words(pair.lang), _words(pair.source_lang)
    for value, forms in words.items():
        stated = [*there.get(value, ()), str(value)]
        if not any(re.search(rf"(?<!\w){word}(?!\w)", pair.source, re.IGNORECASE) for word in stated):
            continue
        for case, form in enumerate(forms):
            for match in re.finditer(_word_pattern(pair.lang, form), pair.target, re.IGNORECASE):
                others = [words[other][case] for other in words if other != value and words[other][case] != form]
                other = rng.choice(others)
                word = other.capitalize() if match[0][0].isupper() else other
                yield Fault("number", "word", replaced(pair.target, *match.span(), word))


def _words(lang: str) -> dict[int, list[str]]:
    pairs = (word.split(":") for word in _WORDS[lang].split())
    return {int(value): forms.split("/") for value, forms in pairs}


def _word_pattern(lang: str, form: str) -> str:
    if lang == "zh":
        return rf"(?<![周星期第点零一二两三四五六七八九十百千·]){form}(?=[{_MEASURE}])"
    return rf"(?<![\w-]){form}(?![\w-])"


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0")

"""Numbers in digits, with the separators of their language."""

from __future__ import annotations

from decimal import Decimal
from functools import cache

import regex

from ragaliq.text.quantities.mentions import Mention, Quantity, Scan, mention
from ragaliq.text.quantities.words import currency_before, scale_at, unit_at

_NUMBER = regex.compile(
    r"(?<![\d.,])(?:(?<![\p{L}\p{N})\-]|\p{N} )-(?=\d))?"
    r"(?:\d{1,3}(?:(?P<mark>[ .,'’])\d{3})(?:(?P=mark)\d{3})*(?:[.,]\d+)?(?![\d])|\d+(?:[.,]\d+)*)"
)
_GROUPED = regex.compile(r"\d{1,3}([ .,'’])\d{3}(?:\1\d{3})*(?:([.,])\d+)?")
_SPLIT = regex.compile(r"[ .,'’]")
_BELOW_ZERO = regex.compile(
    r"[ ]?(?:below zero|below freezing|unter null|unter dem gefrierpunkt|sous zéro|au-dessous de zéro|bajo cero|"
    r"ниже нуля|мороза)", regex.IGNORECASE,
)  # fmt: skip
# As far back as a word for minus, and what undoes it, can begin.
_LOOK_BACK = 12
_MINUS = regex.compile(
    r"(?:minus|(?<!\b(?:au|du|ou|en|de) )moins|(?<!\b(?:al|lo|o|y) )menos|минус|零下|负) ?$", regex.IGNORECASE
)
# "1990s", "90er", "90-е", "90年代", with or without the century.
_DECADE = regex.compile(r"[’']?s(?!\p{L})|er(?!\p{L})|-?[ех](?!\p{L})| ?年代")
_HAN_DECADE = regex.compile(r"(?P<century>1[5-9]|2[01]) ?世纪 ?(?P<decade>\d0) ?年代")
_TO_SCALED = regex.compile(r" ?(?:-|to|bis|à|a|до|至|到) ?\d+(?:[.,]\d+)?", regex.IGNORECASE)
# "the season of 1998-99"; "2024-05" may be a month.
_TWO_YEARS = regex.compile(
    r"(?<![\d.,/\-])(?P<one>(?P<century>1[1-9]|20)\d\d)(?P<mark>[\-/])(?P<two>\d\d)(?![\d.,/\-]*\d|%)"
)
# "£30m"
_SHORT_SCALES = {"k": 1000, "m": 1_000_000, "bn": 1_000_000_000}
_SHORT_SCALE = regex.compile(r"(k|m|bn)(?!\p{L})", regex.IGNORECASE)
_HUNDREDTHS = regex.compile(r"百分之$")


def read_numbers(scan: Scan, lang: str) -> None:
    """Read numbers in digits, with sign, unit and what multiplies them."""
    scan.take(_HAN_DECADE, lambda match: [_decade_of_century(match)])
    scan.take(_TWO_YEARS, _two_years)
    scan.take(_NUMBER, lambda match: [_number(match, lang)])


def canonical(number: Decimal) -> str:
    """Return a number without superfluous zeros and without exponent."""
    text = format(number.normalize(), "f")
    return "0" if text == "-0" else text


def _number(match: regex.Match[str], lang: str) -> Mention:
    text, end = match.string, match.end()
    written = match[0].removeprefix("-")
    currency = currency_before(text, match.start())
    scale, end = _scale(text, end, bool(currency))
    percent = _HUNDREDTHS.search(text, max(match.start() - 3, 0), match.start()) is not None
    decade = len(written) in (2, 4) and written.isdigit() and written[-1] == "0" and _DECADE.match(text, match.end())
    unit, end = ("%", end) if percent else ("", decade.end()) if decade else unit_at(text, end)
    minus = (
        match[0].startswith("-")
        or _MINUS.search(text, max(match.start() - _LOOK_BACK, 0), match.start())
        or _BELOW_ZERO.match(text, end)
    )
    sign = -1 if minus else 1
    readings = [_atoms(values, sign * scale, unit or currency) for values in _readings(written, lang)]
    if decade:
        readings += [(Quantity("number", year),) for year in _decades(written)]
    further = _TO_SCALED.match(text, match.end())
    if further and (shared := scale_at(text, further.end())[0]) > 1:
        readings += [_atoms(values, shared) for values in _readings(written, lang)]
    return mention(text[match.start() : end], *readings)


def _scale(text: str, end: int, price: bool) -> tuple[Decimal, int]:
    short = _SHORT_SCALE.match(text, end) if price else None
    return (Decimal(_SHORT_SCALES[short[1].lower()]), short.end()) if short else scale_at(text, end)


def _atoms(values: tuple[str, ...], factor: Decimal | int, unit: str = "") -> tuple[Quantity, ...]:
    """Return the numbers of a reading; sign, scale and unit are those of the last."""
    *before, last = values
    return (*(Quantity("number", _value(each, 1)) for each in before), Quantity("number", _value(last, factor), unit))


def _decades(written: str) -> list[str]:
    return [written[2:]] if len(written) == 4 else ["19" + written, "20" + written, "18" + written]


def _decade_of_century(match: regex.Match[str]) -> Mention:
    decade = match["decade"]
    return mention(match[0], Quantity("number", f"{int(match['century']) - 1}{decade}"), Quantity("number", decade))


def _two_years(match: regex.Match[str]) -> list[Mention]:
    """Return both years of a span whose second lacks its century; nothing if it can be neither year nor month."""
    one, two = match["one"], match["two"]
    month = [Quantity("month", str(int(two)))] if match["mark"] == "-" and 1 <= int(two) <= 12 else []
    year = [Quantity("number", match["century"] + two)] if int(two) > int(one[2:]) else []
    second = [*year, *month, Quantity("number", two)]
    return [mention(one, Quantity("number", one)), mention(two, *second)] if year or month else []


def _value(written: str, factor: Decimal | int) -> str:
    # An identifier: the zero in front belongs to it.
    if len(written) > 1 and written[0] == "0" and written.isdigit():
        return written
    return canonical(Decimal(written) * factor)


def _readings(written: str, lang: str) -> list[tuple[str, ...]]:
    """Return the numbers that a run of digits and separators can be, the likeliest reading first."""
    decimal, group = marks(lang)
    pieces = tuple(_SPLIT.split(written))
    if len(pieces) == 1:
        return [pieces]
    grouped = _GROUPED.fullmatch(written)
    mark, tail = (grouped[1], grouped[2]) if grouped else ("", "")
    plain = written.replace(",", ".")
    if grouped and tail and tail != mark:
        whole, _, rest = written.rpartition(tail)
        return [(_SPLIT.sub("", whole) + "." + rest,)]
    joined = ("".join(pieces),)
    if grouped and not tail:
        if mark in " '’":
            return [joined, pieces]
        if mark == group:
            return [joined, pieces] if mark == "," else [joined]
        if mark == decimal:
            return [(plain,)] if len(pieces) == 2 else [joined]
        return [joined, (plain,)] if len(pieces) == 2 else [joined]
    if len(pieces) > 2:
        return [pieces]
    return [(plain,)] if written == pieces[0] + decimal + pieces[1] else [(plain,), pieces]


@cache
def marks(lang: str) -> tuple[str, str]:
    """Return the decimal mark and the group mark of a language by CLDR; every blank counts as a space."""
    from babel import Locale, UnknownLocaleError
    from babel.numbers import get_decimal_symbol, get_group_symbol

    try:
        locale = Locale.parse(lang.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return ".", ","
    group = get_group_symbol(locale)
    return get_decimal_symbol(locale), " " if group.isspace() else group

"""Numbers in Chinese characters."""

from __future__ import annotations

from decimal import Decimal

import regex

from ragaliq.text.numbers import HAN_DIGITS, LONGEST_HAN
from ragaliq.text.quantities.digits import canonical
from ragaliq.text.quantities.mentions import Mention, Quantity, Scan, Strictness, mention
from ragaliq.text.quantities.words import unit_at

_UNITS = {"十": 10, "百": 100, "千": 1000}
_GREAT = {"万": 10_000, "亿": 100_000_000}
RUN = "[零〇一二三四五六七八九十百千万亿两]"
_NUMBER = regex.compile(
    rf"(?P<percent>百分之)?(?P<about>[数几上](?=[十百千万亿]))?(?P<run>{RUN}+)"
    r"(?P<half>(?:个|小时|点|倍|年)半)?(?P<more>[多几余来])?"
)
_FRACTION = regex.compile(rf"{RUN}+分之{RUN}+")
_HALF = regex.compile(r"(?P<run>\d+)(?P<half>(?:个|小时|倍|年)半)")
# What a numeral counts stands behind it; without one a lone character is often part of a word.
_COUNTED = regex.compile(
    "[个名位天日晚夜周月年次间张台辆艘条件份杯瓶只头架层楼号座栋所家组队人秒米升度倍种项页步级档点套把根支块片节场趟班顿"
    "餐道扇盏颗匹封刻成岁元吨克口]|小时|分钟|公里|公斤|千克|信用点"
)
# 万一, 千万, 十分, 一一, 四面八方: words of the language.
_WORDS = regex.compile(
    r"万一|千万(?![元人])|十分(?!钟)|一一|三三两两|四面八方|七嘴八舌|乱七八糟|三脚架|三明治|四周|四处|五金|两栖|一律|一般|十字"
)


def read_han_numbers(scan: Scan) -> None:
    """Read numerals of two and more characters as demanded, a lone one before a classifier as a spelled number."""
    scan.take(_HALF, lambda match: [_halved(match, int(match["run"]))])
    scan.take(_WORDS, lambda match: [mention(match[0], (), strictness=Strictness.ALLOWED)])
    scan.take(
        _FRACTION,
        lambda match: [mention(match[0], (), strictness=Strictness.ALLOWED)] if match[0][:2] != "百分" else [],
    )
    scan.take(_NUMBER, _numeral)


def figure(written: str) -> int | None:
    """Return the value of ASCII digits or of a Chinese numeral, None if the characters make none."""
    return int(written) if written.isdigit() and written.isascii() else han_value(written)


def han_value(run: str) -> int | None:
    """Return the value of a Chinese numeral, None if the characters make none.

    Without 十 百 千 万 亿 the characters are digits: 一九八七 is 1987.
    """
    if len(run) > LONGEST_HAN:
        return None
    if not any(char in _UNITS or char in _GREAT for char in run):
        return int("".join(str(HAN_DIGITS[char]) for char in run))
    total, section, digit, last = 0, 0, 0, 0
    for char in run:
        if char in HAN_DIGITS:
            if digit:
                return None
            digit = HAN_DIGITS[char]
        elif char in _UNITS:
            section, digit, last = section + (digit or 1) * _UNITS[char], 0, _UNITS[char]
        else:
            total, section, digit, last = (total + section + digit or 1) * _GREAT[char], 0, 0, _GREAT[char]
    # 两千五 is 2500, 一百二 is 120.
    short = digit and last >= 100 and run[-2] != "零" and run[-2] in {**_UNITS, **_GREAT}
    return total + section + (digit * last // 10 if short else digit)


def _numeral(match: regex.Match[str]) -> list[Mention]:
    run, text, end = match["run"], match.string, match.end()
    value = han_value(run)
    if match["half"]:
        return [_halved(match, value)] if value is not None else []
    # 三四天, 五六个: from three to four, not 34.
    if value is None or (len(run) == 2 and not set(run) & ({*_UNITS, *_GREAT})):
        values = [HAN_DIGITS[char] for char in run if char in HAN_DIGITS]
        return [
            mention(char, Quantity("number", str(digit)), strictness=Strictness.ALLOWED)
            for char, digit in zip(run, values, strict=False)
        ]
    unit, end = ("%", end) if match["percent"] else unit_at(text, end)
    quantity = Quantity("number", str(value), unit)
    written = text[match.start() : end]
    if match["percent"]:
        return [mention(written, quantity)]
    if match["about"] or match["more"] or set(run) <= set("百千万亿"):
        return [mention(written, quantity, strictness=Strictness.ALLOWED)]
    if len(run) > 1:
        return [mention(written, quantity)]
    # 两周 may be called a fortnight.
    counted = _COUNTED.match(text, match.end()) is not None
    sure = (counted and value >= 3) or (run == "两" and unit not in ("", "week"))
    return [mention(written, quantity, strictness=Strictness.SPELLED if sure else Strictness.ALLOWED)]


def _halved(match: regex.Match[str], value: int) -> Mention:
    unit, _ = (
        unit_at("小时" + match.string[match.end() : match.end() + 2], 0)
        if "小时" in match["half"]
        else unit_at(match.string, match.end())
    )
    return mention(match[0], Quantity("number", canonical(Decimal(value) + Decimal("0.5")), unit))

"""Decimals and halves in words: "two point five", "zweieinhalb", "полтора", 二点五, "an hour and a half"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.numbers import HAN_DIGITS, number_words, sum_words
from ragaliq.text.quantities.han import RUN, figure
from ragaliq.text.terms import WORD, base_language, fold

_FILE = Path(__file__).with_name("decimals.yaml")
_MIXED = regex.compile(r"(?<![\d./,])(\d+) ([1-9])[/⁄]([2-9])(?![\d/⁄.,]\d|\d)")
_VULGAR = {"½": "5", "¼": "25", "¾": "75"}
# Matched only from the first character of a run and without backtracking: a long run costs its length, not the square.
_VULGAR_NUMBER = regex.compile(r"(?:(?<!\d)(?P<whole>\d++)\s?)?(?P<part>[½¼¾])")
_MOST_WORDS = 24
_QUARTERS = {1: "25", 2: "5", 3: "75"}
_HAN_POINT = regex.compile(rf"(?<!{RUN})(?P<run>{RUN}++)点(?P<part>[零〇一二三四五六七八九]+)(?![十分刻钟])")
_HAN_PERCENT = regex.compile(rf"百分之(?P<run>\d++(?:\.\d++)?|{RUN}++)(?!点)")
_HAN_UNITS = "小时|钟头|月|年|天|周|星期|米|公里|公斤|升|吨"
_HAN_HALF = regex.compile(
    rf"(?P<run>(?<!\d)\d++|(?<!{RUN}){RUN}++)(?:个半(?P<unit>{_HAN_UNITS})|(?P<unit>小时|年|天|周|公里|公斤|米|升|吨)半)"
)
_HAN_LONE_HALF = regex.compile(rf"(?<![\d一二三四五六七八九十两个])半个?(?P<unit>{_HAN_UNITS})")


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of decimals in words.

    Attributes:
        fixed: what stands around its numbers and units; a text without one of these has no such form.
        pattern: the form with all words of numbers in it, which takes long to compile: only when a text needs it.
        rewrite: makes the digits of a match.
    """

    fixed: tuple[regex.Pattern[str], ...]
    pattern: str
    rewrite: Callable[[regex.Match[str]], str]


def decimals_in_digits(text: str, lang: str) -> str:
    """Return a folded text with its decimals and halves in words, and its mixed fractions, as digits with a point.

    All else stays as it is, whole numbers in words included.
    """
    text = _MIXED.sub(_mixed, text)
    if base_language(lang) == "zh":
        return _in_chinese(text)
    for form in _forms(base_language(lang)):
        if all(part.search(text) for part in form.fixed):
            text = _compiled(form.pattern).sub(form.rewrite, text)
    return text


def without_vulgar_fractions(text: str) -> str:
    """Return a text with ½, ¼ and ¾ as digits; folding would join them to the digit before."""
    return _VULGAR_NUMBER.sub(lambda match: f"{match['whole'] or 0}.{_VULGAR[match['part']]}", text)


def _mixed(match: regex.Match[str]) -> str:
    whole, part, parts = (int(match[place]) for place in (1, 2, 3))
    return f"{whole + part / parts:.4f}".rstrip("0") if part < parts else match[0]


@cache
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)


@cache
def _forms(lang: str) -> tuple[_Form, ...]:
    """Return the forms of a language in the order in which they are rewritten; none for an unknown language.

    In `decimals.yaml`, `N` stands for a number, `D` for the digits behind the point, `U` for the word of a unit.
    """
    data = _data()
    if lang not in data["words"]:
        return ()
    words = "|".join(sorted(map(regex.escape, _values(lang)), key=lambda word: (-len(word), word)))
    # Only from the first word of a row, as above, and no more words than a number has: a row of "a and a and" would
    # be read to its end from each of them.
    run = rf"(?:\d++|(?<!(?:{words})[ \-])(?:{words})(?:[ \-](?:(?:and|et|y|und) )?(?:{words})){{0,{_MOST_WORDS}}})"
    unit = "|".join(data["words"][lang]["units"].split())
    parts = {"N": f"(?P<whole>{run})", "D": f"(?P<part>{run})", "U": f"(?P<unit>{unit})"}
    forms: list[_Form] = []
    for kind, rewrite in (("fraction", _fraction), ("point", _point), ("quarters", _quarters)):
        rows = data["words"][lang].get(kind, {})
        for value, written in rows.items():
            for form in written:
                fixed = tuple(map(regex.compile, filter(str.strip, regex.split("[NDU]", form))))
                pattern = regex.sub("[NDU]", lambda match: parts[match[0]], form)
                whole = rf"(?<![\p{{L}}\p{{N}}])(?:{pattern})(?![\p{{L}}\p{{N}}])"
                forms.append(_Form(fixed, whole, _bound(rewrite, int(value), lang)))
    return tuple(forms)


def _bound(rewrite: Callable[[regex.Match[str], int, str], str], value: int, lang: str) -> Callable[[Any], str]:
    return lambda match: rewrite(match, value, lang)


def _point(match: regex.Match[str], _: int, lang: str) -> str:
    return f"{_value(match['whole'], lang)}.{_digits(match['part'], lang)}"


def _fraction(match: regex.Match[str], places: int, lang: str) -> str:
    """Return a number of tenths, hundredths or thousandths behind the point: "пять десятых"."""
    return f"{_value(match['whole'], lang)}.{str(_value(match['part'], lang)).zfill(places)}"


def _quarters(match: regex.Match[str], quarters: int, lang: str) -> str:
    groups = match.groupdict()
    whole = (
        _value(groups["whole"], lang) if groups.get("whole") else int("полт" in match[0] or "anderthalb" in match[0])
    )
    unit = f" {groups['unit']}" if groups.get("unit") else ""
    return f"{whole}.{_QUARTERS[quarters]}{unit}"


def _digits(words: str, lang: str) -> str:
    """Return the digits behind a point: digit by digit, as in "one four", or as one number, as in "vingt-cinq"."""
    if words.isdigit():
        return words
    values = [_values(lang)[word] for word in WORD.findall(words) if word in _values(lang)]
    return "".join(map(str, values)) if max(values) < 10 else str(sum_words(values))


def _value(words: str, lang: str) -> int:
    return (
        int(words)
        if words.isdigit()
        else sum_words([_values(lang)[word] for word in WORD.findall(words) if word in _values(lang)])
    )


@cache
def _values(lang: str) -> dict[str, int]:
    more = _data()["words"][lang]["numbers"]
    return number_words(lang) | {fold(word): int(value) for value, forms in more.items() for word in forms.split()}


def _in_chinese(text: str) -> str:
    text = _HAN_POINT.sub(_han_point, text)
    text = _HAN_PERCENT.sub(lambda match: _figure(match["run"], match[0], "%"), text)
    text = _HAN_HALF.sub(lambda match: _figure(match["run"], match[0], f".5{match['unit']}"), text)
    return _HAN_LONE_HALF.sub(lambda match: f"0.5{match['unit']}", text)


def _han_point(match: regex.Match[str]) -> str:
    return _figure(match["run"], match[0], "." + "".join(str(HAN_DIGITS[char]) for char in match["part"]))


def _figure(run: str, whole: str, behind: str) -> str:
    value = run if "." in run else figure(run)
    return whole if value is None else f"{value}{behind}"


@cache
def _data() -> dict[str, Any]:
    return read_mapping(_FILE)

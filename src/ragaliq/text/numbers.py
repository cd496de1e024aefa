"""Numbers in running text, in digits and in words, in one spelling.

`20,000`, `20 000` and `20.000` are all `20000`; `9.15 Uhr`, `9 h 15` and `9:15` are all `9:15`; `twelve`, `zwölf` and
`十二` are all `12`. A group of three digits after a separator counts as thousands in every language, so `1.500` is
`1500` also where it means one and a half: texts that are compared with each other are read alike. `0.750` stays.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

import regex

from ragaliq.storage.yaml_files import read_mapping
from ragaliq.text.terms import WORD, base_language, fold

_FILE = Path(__file__).with_name("numbers.yaml")
_CLOCK = regex.compile(r"\b(\d{1,2})(?:\s?h\s?|(?:[:.](?=\d\d\s?uhr))|\s?uhr\s?|[时点])(\d{2})?(?!\d)(?:\s?uhr)?")
_HALF_DAY = regex.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?([ap])\.?\s?m\b\.?")
_GROUPED = r"[1-9]\d{0,2}(?:[ .,'’]\d{3})+"
_DIGITS = regex.compile(rf"{_GROUPED}(?!\d)|\d+(?:[.,:]\d+)*")
_GROUPED_WHOLE = regex.compile(_GROUPED)
_SEPARATORS = regex.compile(r"[ .,'’]")
_POINTS = regex.compile(r"([.,:])")
_HAN = regex.compile(r"第?[零〇一二三四五六七八九十百千万两]+")
HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
# "one hundred and twenty", "treinta y cinco", "vingt et un": what joins the parts of a number.
JOINERS = {"and", "y", "et", "und"}
# A longer run is no number, and would be too great to write.
LONGEST_HAN = 16
# These are in ordinary words ("一般", "万一") more often than they are numbers.
_HAN_WORDS = {"一", "百", "千", "万"}


def numbers(text: str, lang: str) -> list[str]:
    """Return the numbers of `text` in reading order, repeats included."""
    return with_digits(fold(text), lang)[1]


def with_digits(folded: str, lang: str) -> tuple[str, list[str]]:
    """Return a folded text with its numbers in the one spelling, and those numbers in reading order."""
    if any(char.isnumeric() for char in folded):
        folded = "".join(_ascii_digit(char) for char in folded)
        folded = _HALF_DAY.sub(_half_day, folded)
        folded = _CLOCK.sub(lambda match: f"{match[1]}:{match[2] or '00'} ", folded)
        folded = _HAN.sub(lambda match: _han(match[0]) or match[0], folded)
    table = number_words(lang)
    if table:
        folded = _words_to_digits(folded, table)
    stated: list[str] = []

    def note(match: regex.Match[str]) -> str:
        stated.append(_canonical(match[0]))
        return stated[-1]

    return _DIGITS.sub(note, folded), stated


def spelled_in_digits(folded: str, lang: str) -> str:
    """Return a folded text with its whole numbers in words as digits; digits stay as they are written."""
    if any(char.isnumeric() for char in folded):
        folded = _HAN.sub(lambda match: _han(match[0]) or match[0], folded)
    table = number_words(lang)
    return _words_to_digits(folded, table) if table else folded


@cache
def number_words(lang: str) -> dict[str, int]:
    """Return the folded number words of a language with their values, ordinals among them; none of one not known."""
    base = base_language(lang)
    rows = read_mapping(_FILE)["words"].get(base, {})
    table = {fold(word): int(value) for value, forms in rows.items() for word in str(forms).split()}
    if base == "de":
        units = [(word, value) for word, value in table.items() if 2 <= value <= 9 and not word.endswith("n")]
        tens = [(word, value) for word, value in table.items() if value in range(20, 100, 10)]
        table |= {f"{unit}und{ten}": value + tenfold for unit, value in [*units, ("ein", 1)] for ten, tenfold in tens}
    return table


def _ascii_digit(char: str) -> str:
    return str(unicodedata.digit(char)) if not char.isascii() and unicodedata.category(char) == "Nd" else char


def _half_day(match: regex.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
    return f"{hour}:{match[2] or '00'} "


def _canonical(digits: str) -> str:
    if _GROUPED_WHOLE.fullmatch(digits):
        return _SEPARATORS.sub("", digits)
    parts = _POINTS.split(digits)
    parts[0] = parts[0].lstrip("0") or "0"
    whole = "".join("." if part == "," else part for part in parts)
    return whole.removesuffix(":00")


def _han(run: str) -> str:
    """Return the value of a Chinese number, "" for a lone character that is a word more often than a number."""
    body = run.removeprefix("第")
    if not body or (body in _HAN_WORDS and body == run) or len(body) > LONGEST_HAN:
        return ""
    if not any(char in _HAN_UNITS for char in body):
        return "".join(str(HAN_DIGITS[char]) for char in body).lstrip("0") or "0"
    total, section, digit = 0, 0, 0
    for char in body:
        if char in HAN_DIGITS:
            digit = HAN_DIGITS[char]
        elif char == "万":
            total, section, digit = (total + section + digit or 1) * 10_000, 0, 0
        else:
            section, digit = section + (digit or 1) * _HAN_UNITS[char], 0
    return str(total + section + digit)


def _words_to_digits(text: str, table: dict[str, int]) -> str:
    """Replace each run of number words, parted by blanks, hyphens or "and" only, by its sum."""
    parts: list[str] = []
    run: list[int] = []
    at = 0
    matches = list(WORD.finditer(text))
    for place, match in enumerate(matches, start=1):
        value = table.get(match[0])
        following = table.get(matches[place][0], 0) if place < len(matches) else 0
        if run and match[0] in JOINERS and 0 < following < run[-1] // 2:
            at = match.end()
            continue
        gap = text[at : match.start()]
        at = match.end()
        if run and value is not None and not gap.strip(" -"):
            run.append(value)
            continue
        if run:
            parts.append(str(sum_words(run)))
        parts.append(gap)
        run = [] if value is None else [value]
        if value is None:
            parts.append(match[0])
    if run:
        parts.append(str(sum_words(run)))
    return "".join([*parts, text[at:]])


def sum_words(values: list[int]) -> int:
    """Return the number that a run of number words makes: 4, 20, 10 (quatre-vingt-dix) is 90."""
    total, current = 0, 0
    for value in values:
        if value == 100:
            current = (current or 1) * 100
        elif value == 1000:
            total, current = total + (current or 1) * 1000, 0
        elif value == 20 and current % 100 == 4:  # quatre-vingts
            current += 76
        else:
            current += value
    return total + current

"""From a model's reply to a relevance: strict, the last number decides."""

from __future__ import annotations

import unicodedata

import regex

BEST = 10
# The scale by its name, as in "Relevance (0-10): 7".
_SCALE = regex.compile(rf"(?<![\d.,])0\s*[-–—]\s*{BEST}(?![\d.,]*\d)")
_NUMBER = regex.compile(r"([-−–—~+]?)(\d++(?:[.,٫٬]\d++)*+)(\s*%)?(?:\s*[/⁄]\s*(\d++(?:[.,]\d++)*+))?")


def parse_relevance(reply: str) -> int | None:
    """Return the last number of a reply if it is a whole one from 0 to 10, else None.

    NFKC, digits of all scripts and `n/10` are understood. No relevance are `7.5`, `-3`, `3-4`, `70 %`, `4/5`; nor is a
    10 behind another number of the scale in its line, which may be the scale itself, as in "7 out of 10".
    """
    text = "".join(
        str(unicodedata.decimal(char)) if char.isdecimal() else char for char in unicodedata.normalize("NFKC", reply)
    )
    numbers = list(_NUMBER.finditer(_SCALE.sub(" ", text)))
    if not numbers:
        return None
    sign, number, percent, scale = numbers[-1].groups()
    if sign or percent or scale not in (None, str(BEST)) or not _is_whole(number):
        return None
    line_start = numbers[-1].string.rfind("\n", 0, numbers[-1].start())
    earlier = [match for match in numbers[:-1] if match.start() > line_start and _is_whole(match[2])]
    if int(number) == BEST and scale is None and earlier:
        return None
    return int(number)


def _is_whole(number: str) -> bool:
    return number.isdigit() and len(number) <= 2 and int(number) <= BEST

"""Values as tables write them: numbers, percentages, and words for yes and no."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from ragaliq.errors import InputError

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(%?)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"([+-]?\d+),(\d+)\s*(%?)")
_WORDS = {
    **dict.fromkeys(("true", "yes", "pass", "passed", "correct"), 1.0),
    **dict.fromkeys(("false", "no", "fail", "failed", "incorrect"), 0.0),
}
_NOTHING = {"", "-", "—", "–", "n/a", "na", "null", "none"}
_NO_NUMBER = re.compile(r"[+-]?(nan|inf|infinity|∞)")


@dataclass(frozen=True, slots=True)
class Written:
    """A value as a table writes it.

    Attributes:
        number: None where there is none; of "70 %" it is 70.
        percent: a percent sign follows.
        word: yes or no in a word, or a truth value.
        error: why there is no number; empty where there is one.
    """

    number: float | None
    percent: bool = False
    word: bool = False
    error: str = ""


def table_value(cell: Any, key: str, where: str, decimal_comma: bool = False) -> Written:
    """Return the value in a cell; digits of every script are read, a comma before decimals only with `decimal_comma`.

    An empty cell, NaN and an infinity are no value.

    Raises:
        InputError: if the cell holds anything else.
    """
    if isinstance(cell, bool):
        return Written(float(cell), word=True)
    if cell is None:
        return Written(None, error="empty")
    if isinstance(cell, int | float):
        return _finite(cell)
    if not isinstance(cell, str):
        raise InputError(f"{where}: '{key}' must be a number, not {type(cell).__name__}; fix it")
    text = unicodedata.normalize("NFKC", cell).strip().replace("−", "-").lower()
    if text in _NOTHING:
        return Written(None, error="empty")
    if text in _WORDS:
        return Written(_WORDS[text], word=True)
    if _NO_NUMBER.fullmatch(text):
        return Written(None, error="not a finite number")
    match = _DECIMAL_COMMA.fullmatch(text) if decimal_comma else None
    if match:
        return Written(float(f"{match[1]}.{match[2]}"), percent=bool(match[3]))
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise InputError(f"{where}: '{key}' must be a number, a percentage or true/false, not {cell[:60]!r}; fix it")
    value = _finite(float(match[1]))
    return Written(value.number, bool(match[2]), error=value.error)


def _finite(number: float) -> Written:
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    return Written(value) if math.isfinite(value) else Written(None, error="not a finite number")

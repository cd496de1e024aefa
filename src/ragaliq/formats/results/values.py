"""Values and texts in other tools' rows: a failure is no value, and nothing that is no number becomes one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.results.rows import Scale, finite
from ragaliq.storage.files import check_unicode

# What data sets call an item's id, and the texts beside it.
ID_NAMES = ("query_id", "item_id", "sample_id", "question_id", "example_id", "id", "item", "qid")
LANG_NAMES = ("lang", "language", "locale")
# A language is a code or a name, not a text.
_LONGEST_LANG = 40


def json_value(value: Any, key: str, where: str) -> float | None:
    """Return a number or truth value as a float; None for null, NaN and the infinities.

    Raises:
        InputError: if it is anything else, or no float can hold it.
    """
    if value is None:
        return None
    if not isinstance(value, int | float):
        raise InputError(f"{where}: '{key}' must be a number, true, false or null, not {type(value).__name__}; fix it")
    try:
        number = float(value)
    except OverflowError:
        raise InputError(f"{where}: '{key}' is too large a number; fix it") from None
    return number if math.isfinite(number) else None


def amount(value: Any) -> float | None:
    """Return a time or a cost, which a table writes as a text; None if it is no finite number from 0 on."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    number = finite(value)
    return number if number is not None and number >= 0 else None


def plain_text(value: Any) -> str:
    """Return a text, number or truth value as text; empty for anything else."""
    if isinstance(value, bool) or value is None or not isinstance(value, str | int | float):
        return str(value).lower() if isinstance(value, bool) else ""
    return str(value)


def plain_texts(row: Mapping[str, Any], where: str) -> dict[str, str]:
    """Return the texts, numbers and truth values of a row as texts, by their names."""
    texts = {str(key): plain_text(value) for key, value in row.items()}
    for key, text in texts.items():
        check_unicode(text, key, where)
    return {key: text for key, text in texts.items() if text}


def first_of(texts: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the first text that is there under one of the names; else empty."""
    return next((texts[name] for name in names if texts.get(name)), "")


def lang_of(texts: Mapping[str, str]) -> str:
    """Return the language that a row names; empty if it names none."""
    lang = first_of(texts, LANG_NAMES).strip()
    return lang if len(lang) <= _LONGEST_LANG else ""


def required(row: Any, key: str, kind: type[list[Any] | dict[str, Any] | str], where: str) -> Any:
    """Return what a row holds under a key.

    Raises:
        InputError: if the row is no object, the key is missing, or its value of another type.
    """
    value = row.get(key) if isinstance(row, Mapping) else None
    if not isinstance(value, kind):
        wanted = "a list" if kind is list else "an object" if kind is dict else "a text"
        raise InputError(f"{where}: '{key}' must be {wanted}; export the results again")
    return value


def shares(values: Iterable[float | None]) -> bool:
    """Return whether all values lie in 0..1, and there is one."""
    there = [value for value in values if value is not None]
    return bool(there) and all(0 <= value <= 1 for value in there)


def scale_of(values: Iterable[float | None], less_is_better: bool = False) -> Scale:
    """Return the scale of a metric whose tool names none: 0..1 if all values lie in it, else without ends."""
    return Scale(0.0, 1.0, less_is_better) if shares(values) else Scale(less_is_better=less_is_better)

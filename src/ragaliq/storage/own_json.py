"""JSON that we wrote, read again: a file of our own is input too, and may have been edited, cut or mixed up.

A shape says what a value must look like before anything reads it:

- `str`, `bool`, `None`; `int` for a whole number from 0, `float` for any finite number, `object` for any value
- `ModelText`: a text that a model wrote, which may hold half a surrogate pair; `str` may not
- a frozenset: one of these texts; a tuple: one of these shapes, the usual one first
- `[shape]`: a list of any length; `[shape, shape]`: a list of as many entries
- `{"key": shape, "key?": shape, str: shape}`: an object; `?` marks a key that may be missing, `str` stands for all
  other keys, which are not looked at without it
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, is_unicode, read_json

Shape = Any


class ModelText:
    """The shape of a text that may hold half a surrogate pair."""


# Greater counts do not fit into 64 bits.
MOST = 2**63 - 1
_GREATEST = sys.float_info.max
# Levels of a value that no shape describes.
_DEEPEST = 50
_NAMES: dict[Any, str] = {
    **dict.fromkeys((str, ModelText), "a text"),
    bool: "true or false",
    int: "a whole number from 0",
    float: "a number",
    None: "null",
}


def read_own_json(path: Path, shape: Shape, what: str, remedy: str) -> Any:
    """Return the JSON value of a file that we wrote.

    Raises:
        InputError: if the file cannot be read, is not JSON, or its value has another shape; the message names file and
            key, says that it is not `what`, and what to do.
    """
    try:
        value = read_json(path)
        wrong = misfit(value, shape) or _deeper(value)
    except InputError as error:
        message = str(error)
        cause = message.removesuffix("; fix it")
        raise InputError(message if cause == message else f"{cause}; {remedy}") from None
    if wrong:
        raise InputError(f"{path}: not {what} ({wrong}); {remedy}")
    return value


def check_row(row: Row, shape: Shape, where: str) -> None:
    """Refuse a line of a file of ours that has another shape; `where` names file and line.

    Raises:
        InputError: with the key.
    """
    wrong = misfit(row, shape)
    if wrong:
        raise InputError(f"{where}: not a row of this file ({wrong}); fix or remove the line")


def misfit(value: Any, shape: Shape) -> str:
    """Return the first place at which a value has another shape, and what is wanted there; "" if it fits."""
    wrong = _misfit(value, shape)
    if wrong is None:
        return ""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in reversed(wrong.steps))
    place = "".join(steps).removeprefix(".").encode("utf-8", "backslashreplace").decode()
    return f"'{place}' {wrong.text}" if place else wrong.text


@dataclass(slots=True)
class _Misfit:
    """What is wrong with a part of a value; `steps` are the keys and places that lead to it, the innermost first.

    They are collected on the way back: nothing is noted for the values that fit, which are nearly all.
    """

    text: str
    steps: list[str | int] = field(default_factory=list)

    def at(self, step: str | int) -> _Misfit:
        self.steps.append(step)
        return self


def _misfit(value: Any, shape: Shape) -> _Misfit | None:
    kind = type(shape)
    if kind is dict:
        return _misfit_of_object(value, shape)
    if kind is list:
        return _misfit_of_list(value, shape)
    if kind is tuple:
        first = _misfit(value, shape[0])
        return first if first and all(_misfit(value, other) for other in shape[1:]) else None
    if kind is frozenset:
        fits = isinstance(value, str) and value in shape
        return None if fits else _Misfit(f"must be one of {', '.join(sorted(shape))}")
    if _fits(value, shape):
        return None
    whole = shape is str and isinstance(value, str)
    return _Misfit("must be a text of whole characters" if whole else f"must be {_NAMES[shape]}")


def _misfit_of_list(value: Any, shape: list[Shape]) -> _Misfit | None:
    if not isinstance(value, list) or len(shape) not in (1, len(value)):
        return _Misfit("must be a list" if len(shape) == 1 else f"must be a list of {len(shape)}")
    shapes = shape * len(value) if len(shape) == 1 else shape
    for place, one in enumerate(value):
        wrong = _misfit(one, shapes[place])
        if wrong:
            return wrong.at(place + 1)
    return None


def _misfit_of_object(value: Any, shape: dict[Any, Shape]) -> _Misfit | None:
    if not isinstance(value, dict):
        return _Misfit("must be an object")
    for key, inner in shape.items():
        if key is str:
            wrong = _misfit_of_others(value, shape)
            if wrong:
                return wrong
            continue
        name = key[:-1] if key[-1] == "?" else key
        if name in value:
            one = value[name]
            # Most values are texts: a call for each would cost more than the check.
            if (inner is ModelText and type(one) is str) or (type(inner) is type and _fits(one, inner)):
                continue
            wrong = _misfit(one, inner)
            if wrong:
                return wrong.at(name)
        elif name is key:
            return _Misfit("is missing").at(key)
    return None


def _misfit_of_others(value: dict[str, Any], shape: dict[Any, Shape]) -> _Misfit | None:
    """Return what is wrong with the keys that a shape does not name, or with their values."""
    for name, one in value.items():
        if name in shape or f"{name}?" in shape:
            continue
        wrong = _misfit(one, shape[str]) if _fits(name, str) else _Misfit("must be a key of whole characters")
        if wrong:
            return wrong.at(name)
    return None


def _fits(value: Any, shape: Shape) -> bool:
    # The usual ones first: a run has millions of values.
    if shape is str or shape is ModelText:
        return isinstance(value, str) and (shape is ModelText or value.isascii() or is_unicode(value))
    if shape is float:
        return type(value) in (int, float) and -_GREATEST <= value <= _GREATEST
    if shape is int:
        return type(value) is int and 0 <= value <= MOST
    if shape is bool:
        return isinstance(value, bool)
    return shape is object or value is None


def _deeper(value: Any) -> str:
    """Return what is wrong with the parts that a shape leaves open: they are compared, and written again."""
    level, depth = [value], 0
    while level:
        inner = [one for part in level if isinstance(part, dict | list) for one in part]
        inner += [one for part in level if isinstance(part, dict) for one in part.values()]
        if not all(_fits(one, str) for one in inner if isinstance(one, str)):
            return "holds half a surrogate pair"
        if not all(_fits(one, float) for one in inner if type(one) in (int, float)):
            return "holds a number out of range"
        level, depth = inner, depth + 1
        if depth > _DEEPEST:
            return "is nested too deeply"
    return ""

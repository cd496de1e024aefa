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
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, read_json

Shape = Any


class ModelText:
    """The shape of a text that may hold half a surrogate pair."""


# Greater counts do not fit into 64 bits.
_MOST = 2**63 - 1
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
        told = str(error)
        raise InputError(f"{told.removesuffix('; fix it')}; {remedy}" if told.endswith("; fix it") else told) from None
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


def misfit(value: Any, shape: Shape, place: str = "") -> str:
    """Return the first place at which a value has another shape, and what is wanted there; "" if it fits."""
    if isinstance(shape, tuple):
        misfits = [misfit(value, one, place) for one in shape]
        return "" if "" in misfits else misfits[0]
    if isinstance(shape, dict):
        return _misfit_of_object(value, shape, place)
    if isinstance(shape, list):
        if not isinstance(value, list) or len(shape) not in (1, len(value)):
            return _wanted(place, "a list" if len(shape) == 1 else f"a list of {len(shape)}")
        shapes = shape * len(value) if len(shape) == 1 else shape
        entries = enumerate(zip(value, shapes, strict=True), start=1)
        return next(filter(None, (misfit(one, inner, f"{place}[{n}]") for n, (one, inner) in entries)), "")
    if isinstance(shape, frozenset):
        fits = isinstance(value, str) and value in shape
        return "" if fits else _wanted(place, f"one of {', '.join(sorted(shape))}")
    return "" if _fits(value, shape) else _wanted(place, _NAMES[shape])


def _misfit_of_object(value: Any, shape: dict[Any, Shape], place: str) -> str:
    if not isinstance(value, dict):
        return _wanted(place, "an object")
    for key, inner in shape.items():
        if key is str:
            others = {name for name in value if name not in shape and f"{name}?" not in shape}
            wrongs = (_misfit_at(name, value[name], inner, place) for name in value if name in others)
            wrong = next(filter(None, wrongs), "")
        elif key.removesuffix("?") in value:
            name = key.removesuffix("?")
            wrong = _misfit_at(name, value[name], inner, place)
        else:
            wrong = "" if key.endswith("?") else f"'{_below(place, key)}' is missing"
        if wrong:
            return wrong
    return ""


def _misfit_at(name: str, value: Any, shape: Shape, place: str) -> str:
    below = _below(place, name)
    return misfit(value, shape, below) if _fits(name, str) else _wanted(below, "a key of whole characters")


def _fits(value: Any, shape: Shape) -> bool:
    if shape is object:
        return True
    if shape is None:
        return value is None
    if shape is int:
        return type(value) is int and 0 <= value <= _MOST
    if shape is float:
        return type(value) in (int, float) and abs(value) <= sys.float_info.max
    if shape is bool:
        return isinstance(value, bool)
    return isinstance(value, str) and (shape is ModelText or value.isascii() or _is_whole(value))


def _is_whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _wanted(place: str, name: str) -> str:
    return f"'{place.encode('utf-8', 'backslashreplace').decode()}' must be {name}" if place else f"must be {name}"


def _below(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


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

"""Files that a command writes anew: only its own are replaced, never somebody else's of the same name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import parse_json, refuse_special
from ragaliq.storage.own_json import Shape, misfit

IsOurs = Callable[[str], bool]


def refuse_foreign(path: Path, is_ours: IsOurs, advice: str) -> None:
    """Refuse a file that would be replaced and is not ours; one that is missing or blank may be written.

    Raises:
        InputError: with `advice`.
    """
    refuse_special(path)
    if not path.is_file():
        return
    text = path.read_bytes().decode("utf-8-sig", "replace")
    if text.strip() and not is_ours(text):
        raise InputError(f"{path}: would be replaced, but ragaliq did not write it; {advice}")


def is_json_of(shape: Shape) -> IsOurs:
    """Return the mark of a JSON file: its shape."""
    return lambda text: _fits(text, shape)


def is_rows_of(shape: Shape) -> IsOurs:
    """Return the mark of a JSON Lines file: the shape of every line.

    A last line without its end may be cut off, as by a kill: it begins as a row does, behind none as ours do.
    """

    def is_ours(text: str) -> bool:
        *lines, tail = text.split("\n")
        rows = [line for line in lines if line.strip()]
        begin = "{" if rows else f'{{"{next(iter(shape))}'
        return all(_fits(row, shape) for row in rows) and (
            not tail.strip() or tail.startswith(begin) or _fits(tail, shape)
        )

    return is_ours


def _fits(text: str, shape: Shape) -> bool:
    try:
        return not misfit(parse_json(text, ""), shape)
    except InputError:
        return False

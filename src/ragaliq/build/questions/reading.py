"""Files of questions that people asked, with their answers or as a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragaliq.build.questions.asked_row import AskedRow
from ragaliq.build.questions.stack_exchange import read_dump
from ragaliq.build.settings import Questions
from ragaliq.errors import InputError, listed
from ragaliq.formats.reading.fields import row_text
from ragaliq.storage.files import read_jsonl
from ragaliq.storage.tables import DELIMITERS, read_table

# A file may lack the column of this name; one that the settings name must be there.
_ANSWER = Questions("").answer
_YES = ("1", "true", "yes", "accepted")
_NO = ("", "0", "false", "no")


def read_questions(path: Path, columns: Questions) -> list[AskedRow]:
    """Read the questions in a `.csv`, `.tsv` or `.jsonl` file, or in the `Posts.xml` of a Stack Exchange dump.

    A table without the column of answers is a log. Cells keep their line ends, so code in them stays code.

    Args:
        path: the file.
        columns: names its columns; for a dump, the tags.

    Raises:
        InputError: if the file cannot be read, has no rows, or lacks a column that the settings name.
    """
    if path.suffix == ".xml" and path.is_file():
        return list(read_dump(path, columns.tags))
    rows = list(_cells(path))
    names = {name for _, cells in rows for name in cells}
    for name in (columns.text, columns.accepted, columns.answer if columns.answer != _ANSWER else ""):
        if name and name not in names:
            raise InputError(f"{path}: has no column '{name}'; name its columns in 'questions' ({listed(names)})")
    is_log = columns.answer not in names
    return [
        AskedRow(
            where,
            row_text(cells, columns.text, where).strip(),
            None if is_log else _answer(cells, columns, where),
            row_text(cells, columns.lang, where).strip(),
        )
        for where, cells in rows
    ]


def _cells(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not path.is_file():
        raise InputError(f"{path}: no such file; 'questions' in build.yaml names it")
    if path.suffix in DELIMITERS:
        rows: Iterator[tuple[str, Mapping[str, Any]]] = iter(read_table(path).rows)
    elif path.suffix == ".jsonl":
        rows = ((f"{path}:{number}", row) for number, row in read_jsonl(path))
    else:
        raise InputError(f"{path}: unknown file type ({listed((*DELIMITERS, '.jsonl', '.xml'))}); rename it")
    first = next(rows, None)
    if first is None:
        raise InputError(f"{path}: has no rows; give a file with questions")
    yield first
    yield from rows


def _answer(cells: Mapping[str, Any], columns: Questions, where: str) -> str:
    return row_text(cells, columns.answer, where).strip() if _accepted(cells, columns, where) else ""


def _accepted(cells: Mapping[str, Any], columns: Questions, where: str) -> bool:
    """Return whether the answer counts: all do where no column says otherwise."""
    if not columns.accepted:
        return True
    value = str(cells.get(columns.accepted, "") if cells.get(columns.accepted) is not None else "").strip().lower()
    if value not in (*_YES, *_NO):
        raise InputError(f"{where}: '{columns.accepted}' must be yes or no, true or false, 1 or 0, not '{value}'")
    return value in _YES

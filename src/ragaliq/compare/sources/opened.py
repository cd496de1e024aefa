"""What a path holds: grades by system, or another tool's results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragaliq.aggregate.grades.query_grades import QueryGrades, read_systems
from ragaliq.aggregate.run_rows import run_at
from ragaliq.errors import InputError
from ragaliq.formats.answers.reading import SUFFIXES, read_answer_rows
from ragaliq.formats.results.grade_tables import holds_grades, several_systems
from ragaliq.formats.results.long_columns import SYSTEM_NAMES
from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns, ResultFile

# Bytes at the start of a file in which the names of its columns are.
_START = 4096
# A row with one of these is graded on the rubric, whatever else is wrong with it.
_OF_THE_RUBRIC = ("grade", "generated_answer")


@dataclass(frozen=True, slots=True)
class GradedSource:
    """The graded systems of a path, each with its languages."""

    path: Path
    systems: tuple[Sequence[QueryGrades], ...]


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A path with another tool's results."""

    path: Path
    results: ResultFile


def open_results(path: Path, columns: ResultColumns) -> GradedSource | ToolSource:
    """Read a path: a run folder, a file of grades, or else another tool's file.

    Where columns are named, a file is a table of values and never one of grades.

    Raises:
        InputError: if it is none of these; the message is that of the form that it comes nearest to.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; check the path")
    if run_at(path) is None and (columns != ResultColumns() or path.suffix not in SUFFIXES):
        return _tool_source(path, columns, None)
    try:
        if _is_of_several_systems(path):
            return _tool_source(path, columns, None)
        graded = GradedSource(path, tuple(read_systems(path)))
        return _tool_source(path, columns, None) if _is_right_or_wrong(graded) else graded
    except InputError as error:
        if run_at(path) is not None or _is_of_the_rubric(path):
            raise
        return _tool_source(path, columns, error)


def _tool_source(path: Path, columns: ResultColumns, error: InputError | None) -> ToolSource:
    results = read_results(path, columns)
    if results is None:
        raise error or InputError(
            f"{path}: neither a run folder nor graded rows (.jsonl, .csv, .tsv) nor a judged log (.json) nor a known "
            "tool's results; TREC runs are compared with --qrels or --data"
        )
    return ToolSource(path, results)


def _is_of_several_systems(path: Path) -> bool:
    """Return whether a plain table has several systems: read as grades of one, it would lose all but the last."""
    if run_at(path) is not None or path.suffix.lower() not in SUFFIXES:
        return False
    with path.open("rb") as file:
        start = file.read(_START)
    # Most files of grades name no system, and are read once.
    if not any(name.encode() in start for name in SYSTEM_NAMES):
        return False
    try:
        return several_systems([row for _, row in read_answer_rows(path).rows])
    except InputError:
        return False


def _is_right_or_wrong(source: GradedSource) -> bool:
    """Return whether a file has zeros and ones and no other grade, and does not call them grades.

    Of the rubric, 1 is the worst. One of the two alone may be a system's grades.
    """
    answers = (answer for system in source.systems for grades in system for answer in grades.answers.values())
    if run_at(source.path) is not None or {answer.grade for answer in answers} - {None} != {0, 1}:
        return False
    try:
        return not holds_grades([row for _, row in read_answer_rows(source.path).rows])
    except InputError:
        return False


def _is_of_the_rubric(path: Path) -> bool:
    try:
        rows = read_answer_rows(path).rows
    except InputError:
        return False
    return any(key in rows[0][1] for key in _OF_THE_RUBRIC)

"""Any tool's file of results, recognised by what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError, checked_types
from ragaliq.formats.answers.reading import LINES, PARQUET, json_rows, read_answer_rows
from ragaliq.formats.results.deepeval import is_deepeval, read_deepeval
from ragaliq.formats.results.every_eval_ever import (
    is_every_eval_ever,
    is_instance,
    read_every_eval_ever,
    read_instances,
)
from ragaliq.formats.results.grade_tables import holds_grades, is_grade_row
from ragaliq.formats.results.inspect_logs import is_inspect_log, read_inspect_archive, read_inspect_log
from ragaliq.formats.results.lm_eval import is_lm_eval, read_lm_eval
from ragaliq.formats.results.long_tables import read_long_table
from ragaliq.formats.results.promptfoo import is_promptfoo, read_promptfoo
from ragaliq.formats.results.ragas import is_ragas, read_ragas
from ragaliq.formats.results.rows import ResultColumns, ResultFile
from ragaliq.formats.results.traces import trace_results
from ragaliq.formats.traces.reading import is_trace, json_document, trace_records
from ragaliq.formats.traces.values import short_reason
from ragaliq.storage.files import Row, parse_row, read_text
from ragaliq.storage.tables import DELIMITERS, parse_table

Numbered = list[tuple[str, Row]]

# Whether a parsed JSON file is the tool's, and its rows; the first that fits.
_DOCUMENTS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Path], ResultFile]], ...] = (
    (is_inspect_log, read_inspect_log),
    (is_every_eval_ever, read_every_eval_ever),
    (is_promptfoo, read_promptfoo),
    (is_deepeval, read_deepeval),
)
# The same for rows of JSON Lines, JSON lists and tables, by the first row; rows come with file and line.
_LINES: tuple[tuple[Callable[[Row], bool], Callable[[Numbered, Path], ResultFile]], ...] = (
    (is_instance, read_instances),
    (is_lm_eval, read_lm_eval),
    (is_ragas, read_ragas),
)


def read_results(path: Path, columns: ResultColumns) -> ResultFile | None:
    """Return the results in a file of another tool, or in a plain long table.

    Named columns make a table of any rows. None if the file is of no such form, or holds grades of the rubric 0..5,
    which `formats.grades` reads.

    Reasons of failures are one short line each, without what may be a key.

    Raises:
        InputError: if the file is a tool's or a table, and cannot be read or holds no row; the message names file and
            place.
    """
    with checked_types(str(path)):
        results = _read(path, columns)
    if results is None:
        return None
    rows = (replace(row, error=short_reason(row.error)) if row.error else row for row in results.rows)
    return replace(results, rows=tuple(rows))


def _read(path: Path, columns: ResultColumns) -> ResultFile | None:
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return read_inspect_archive(path)
    if suffix == ".json":
        value = json_document(read_text(path), str(path))
        if is_trace(value):
            return trace_results(trace_records(value, str(path)), columns, str(path))
        document = next((read(value, path) for fits, read in _DOCUMENTS if fits(value)), None)
        if document is not None:
            return document
        rows = [(f"{path}: row {number}", row) for number, row in enumerate(json_rows(value), start=1)]
        return _of_rows(rows, path, columns) if rows else None
    if suffix in LINES:
        return _of_rows(_lines(path, _named(columns)), path, columns)
    if suffix in DELIMITERS:
        table = parse_table(read_text(path), path if path.suffix == suffix else path.with_suffix(suffix))
        return _of_rows([(where, dict(cells)) for where, cells in table.rows], path, columns, table.delimiter == ";")
    if suffix == PARQUET:
        return _of_rows(list(read_answer_rows(path).rows), path, columns)
    return None


def _of_rows(rows: Numbered, path: Path, columns: ResultColumns, decimal_comma: bool = False) -> ResultFile | None:
    named = _named(columns)
    if not rows:
        if named:
            raise InputError(f"{path}: holds no row; give a file with results")
        return None
    if is_trace(rows[0][1]):
        return trace_results(rows, columns, str(path))
    if not named:
        known = _tool(rows[0][1])
        if known is not None:
            return known(rows, path)
        if holds_grades([row for _, row in rows]):
            return None
    return read_long_table(rows, columns, str(path), decimal_comma)


def _named(columns: ResultColumns) -> bool:
    return bool(columns.item or columns.system or columns.value)


def _tool(row: Row) -> Callable[[Numbered, Path], ResultFile] | None:
    return next((read for fits, read in _LINES if fits(row)), None)


def _lines(path: Path, named: bool) -> Numbered:
    """Return the rows of JSON Lines; of a file of grades the first alone: that of a run may end in a torn line."""
    rows: Iterator[tuple[str, Row]] = (
        (where, parse_row(line, where, constants=True))
        for number, line in enumerate(read_text(path).split("\n"), start=1)
        if line.strip()
        for where in [f"{path}:{number}"]
    )
    read = []
    for where, row in rows:
        read.append((where, row))
        if len(read) == 1 and not named and _tool(row) is None and not is_trace(row) and is_grade_row(row):
            break
    return read

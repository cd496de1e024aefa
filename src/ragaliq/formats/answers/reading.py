"""Reading a file of answers, row by row and with everything that a row holds."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError, InputError, listed
from ragaliq.formats.answers.traces import trace_answers
from ragaliq.formats.traces.reading import is_trace, json_document, trace_records
from ragaliq.storage.files import Row, open_file, parse_json, parse_row
from ragaliq.storage.tables import DELIMITERS, parse_table

LINES = (".jsonl", ".ndjson")
PARQUET = ".parquet"
SUFFIXES = (*DELIMITERS, *LINES, ".json", PARQUET)
_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16", codecs.BOM_UTF8: "utf-8-sig"}


@dataclass(frozen=True, slots=True)
class TableForm:
    """How a table of text is written: what separates its columns, and whether a byte order mark stands before it."""

    delimiter: str = ","
    mark: bool = False


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """The rows of a file in their order, each with its place.

    Attributes:
        form: of a table of text.
        notes: what was taken for what, or left out, when traces were read; a line each.
    """

    rows: tuple[tuple[str, Row], ...]
    form: TableForm = TableForm()
    notes: tuple[str, ...] = ()


def read_answer_rows(path: Path, encoding: str = "", traces: bool = False) -> AnswerRows:
    """Read a file of answers in the format of its ending; every row keeps all its keys.

    With `traces` an export of a tracing program is read as one row for each answer in it (`trace_answers`).

    `.csv` and `.tsv` have a header line; `.jsonl` and `.ndjson` an object in each line; `.json` a list of objects, an
    object that holds just one such list, or columns as pandas writes them; `.parquet` is read by pandas. Text is UTF-8,
    or UTF-16 with its mark, unless `encoding` names another; a mark at the beginning decides before it.

    Raises:
        ConfigError: if there is no such encoding.
        InputError: if the file cannot be read, is not of its format, or holds no row; with the line or row.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file of answers, or take `ragaliq judge` for a run")
        raise InputError(f"{path}: which format is this? ({listed(SUFFIXES)}); save it as one of these")
    if suffix == PARQUET:
        read = AnswerRows(tuple(_parquet(path)))
    else:
        text, mark = _decoded(path, encoding)
        if suffix in DELIMITERS:
            table = parse_table(text, path.with_suffix(suffix) if path.suffix != suffix else path)
            read = AnswerRows(tuple((where, dict(row)) for where, row in table.rows), TableForm(table.delimiter, mark))
        elif suffix in LINES:
            read = AnswerRows(tuple(_lines(text, path)))
        else:
            value = json_document(text, str(path)) if traces else parse_json(text, str(path))
            if traces and is_trace(value):
                rows, notes = trace_answers(trace_records(value, str(path)), str(path))
                return AnswerRows(rows, notes=notes)
            read = AnswerRows(tuple(_listed(value, path)))
    if traces and read.rows and is_trace(read.rows[0][1]):
        rows, notes = trace_answers(list(read.rows), str(path))
        return AnswerRows(rows, read.form, notes)
    if not read.rows:
        raise InputError(f"{path}: holds no row; give a file with answers")
    return read


def _decoded(path: Path, encoding: str) -> tuple[str, bool]:
    """Return a file's text, and whether a spreadsheet is to see a mark in UTF-8: it has one, or another encoding."""
    try:
        with open_file(path) as file:
            data = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    mark = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    try:
        return data.decode(mark or encoding or "utf-8"), bool(mark or encoding)
    except LookupError:
        raise ConfigError(f"--encoding {encoding}: no such encoding; name one such as cp1252 or gb18030") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if encoding or mark:
            raise InputError(f"{path}:{line}: is not {mark or encoding}; name its encoding with --encoding") from None
        raise InputError(
            f"{path}:{line}: is not UTF-8; name its encoding, as in --encoding cp1252 (western Windows), cp1251 "
            "(Cyrillic) or gb18030 (Chinese)"
        ) from None


def _lines(text: str, path: Path) -> Iterator[tuple[str, Row]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", parse_row(line, f"{path}:{number}")


def _listed(value: Any, path: Path) -> list[tuple[str, Row]]:
    rows = json_rows(value)
    if not rows:
        raise InputError(f"{path}: a JSON list of objects is expected; export the rows so (pandas: orient='records')")
    return [(f"{path}: row {number}", row) for number, row in enumerate(rows, start=1)]


def json_rows(value: Any) -> list[Row]:
    """Return the rows of a JSON value, in the forms of `read_answer_rows`; empty if it holds none."""
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if _is_rows(inner)]
        value = lists[0] if len(lists) == 1 else _from_columns(value)
    return value if _is_rows(value) else []


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _from_columns(value: Mapping[str, Any]) -> list[Row] | None:
    """Return the rows of `{column: {index: value}}` or `{column: [value]}`, as pandas writes a frame."""
    columns = list(value.values())
    keys: Callable[[Any], Any]
    if columns and all(isinstance(column, dict) for column in columns):
        keys = list
    elif columns and all(isinstance(column, list) for column in columns):
        keys = len
    else:
        return None
    if any(keys(column) != keys(columns[0]) for column in columns):
        return None
    places = list(columns[0]) if keys is list else range(len(columns[0]))
    return [{name: column[place] for name, column in value.items()} for place in places]


def _parquet(path: Path) -> Iterator[tuple[str, Row]]:
    import pandas as pd

    if not path.is_file():
        raise InputError(f"{path}: no such file; check the path")
    try:
        frame = pd.read_parquet(path)
    except ImportError:
        raise InputError(f"{path}: reading Parquet needs pyarrow (pip install pyarrow); or save it as CSV") from None
    except Exception as error:  # Whatever the library calls its refusal.
        raise InputError(f"{path}: not a Parquet file that can be read ({str(error)[:80]}); export it anew") from None
    for number, row in enumerate(plain_rows(frame), start=1):
        yield f"{path}: row {number}", row


def plain_rows(frame: Any) -> list[Row]:
    """Return the rows of a data frame as plain values of Python: NaN is None, an array a list, a date its text.

    Raises:
        InputError: if two columns have one name.
    """
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two columns are called '{twice}'; rename one")
    columns = [[_plain(value) for value in frame.iloc[:, place].tolist()] for place in range(len(names))]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if value is None or value != value:
        return None
    return value if isinstance(value, str | bool | int | float) else str(value)

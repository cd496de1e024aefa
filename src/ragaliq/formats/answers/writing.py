"""Writing rows in the format of a file's ending."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.formats.answers.reading import TableForm
from ragaliq.formats.answers.values import cell
from ragaliq.storage.files import Row, write_atomic, write_json
from ragaliq.storage.tables import DELIMITERS


def write_answer_rows(path: Path, rows: Sequence[Row], form: TableForm | None = None) -> None:
    """Write rows as `.csv`, `.tsv`, `.json` or `.parquet`; in a table's cell a list or an object is JSON.

    Columns stand in the order in which the rows first have them. `form` is that of the table that the rows come from.

    Raises:
        InputError: if the file cannot be written, or Parquet cannot hold a column.
    """
    suffix = path.suffix.lower()
    if suffix == ".json":
        write_json(path, list(rows))
        return
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if suffix in DELIMITERS:
        write_atomic(path, _table(columns, rows, form or TableForm(), suffix))
    else:
        write_atomic(path, _parquet(path, columns, rows))


def _table(columns: Sequence[str], rows: Sequence[Row], form: TableForm, suffix: str) -> bytes:
    text = io.StringIO()
    delimiter = DELIMITERS[suffix] if suffix != ".csv" else form.delimiter
    # With this line end the writer quotes cells that hold either of its characters.
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8-sig" if form.mark else "utf-8")


def _parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    import pandas as pd

    values = {column: _held([row.get(column) for row in rows]) for column in columns}
    frame = pd.DataFrame({column: pd.Series(held, dtype=_type(held)) for column, held in values.items()})
    out = io.BytesIO()
    try:
        frame.to_parquet(out, index=False)
    except ImportError:
        raise InputError(f"{path}: writing Parquet needs pyarrow (pip install pyarrow); or name a .csv") from None
    except Exception as error:  # Whatever the library calls its refusal, such as of a column of two types.
        raise InputError(f"{path}: Parquet cannot hold these rows ({str(error)[:80]}); name a .jsonl") from None
    return out.getvalue()


def _held(values: list[Any]) -> list[Any]:
    """Return the values of a column as Parquet holds them: with objects among them, whose keys may differ, as JSON."""
    if any(isinstance(value, dict) or (isinstance(value, list) and any(map(_nested, value))) for value in values):
        return [None if value is None else cell(value) for value in values]
    return values


def _type(values: list[Any]) -> str | None:
    """Return pandas' type for values with gaps: a whole number beside a gap stays one, and 1.0 stays 1.0."""
    kinds = {type(value) for value in values if value is not None}
    known = {frozenset({int}): "Int64", frozenset({bool}): "boolean", frozenset({float}): "Float64"}
    return known.get(frozenset(kinds), "object")


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)

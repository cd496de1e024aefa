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
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(row.get(column)) for column in columns] for row in rows)
    return text.getvalue().encode("utf-8-sig" if form.mark else "utf-8")


def _parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    import pandas as pd

    frame = pd.DataFrame({column: pd.Series([_held(row.get(column)) for row in rows]) for column in columns})
    frame = frame.convert_dtypes()
    out = io.BytesIO()
    try:
        frame.to_parquet(out, index=False)
    except ImportError:
        raise InputError(f"{path}: writing Parquet needs pyarrow (pip install pyarrow); or name a .csv") from None
    except Exception as error:  # Whatever the library calls its refusal, such as of a column of two types.
        raise InputError(f"{path}: Parquet cannot hold these rows ({str(error)[:80]}); name a .jsonl") from None
    return out.getvalue()


def _held(value: Any) -> Any:
    """Return a value as a column of Parquet holds it: objects, whose keys may differ, as JSON."""
    return cell(value) if isinstance(value, dict) or (isinstance(value, list) and any(map(_nested, value))) else value


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)

"""Tables of comma- or tab-separated text, strictly read."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import check_unicode, read_text

DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Table:
    """The names in a table's first line, and its other rows: where each stands, and its cells by name."""

    columns: list[str]
    rows: Iterator[tuple[str, dict[str, str]]]


def read_table(path: Path) -> Table:
    """Read a `.csv` or `.tsv` file with a header line; rows are read as they are asked for.

    Raises:
        InputError: if the file is no table; the message names file and line.
    """
    delimiter = DELIMITERS[path.suffix]
    text = read_text(path)
    if delimiter == "," and ";" in text.partition("\n")[0] and "," not in text.partition("\n")[0]:
        raise InputError(f"{path}:1: the columns are separated by ';'; separate them by commas")
    # Quoted cells may hold line ends, so the reader needs the whole text.
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [column.strip() for column in reader.fieldnames or ()]
    except csv.Error as error:
        raise _broken(path, reader, error) from None
    # Columns without a name are what spreadsheets leave behind the last one.
    twice = [column for column, count in Counter(columns).items() if column and count > 1]
    if twice:
        raise InputError(f"{path}:1: two columns are called '{twice[0]}'; rename one")
    reader.fieldnames = columns
    return Table(columns, _rows(path, reader, len(columns)))


def _rows(path: Path, reader: csv.DictReader[str], n_columns: int) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        for cells in reader:
            where = f"{path}:{reader.line_num}"
            if None in cells or None in cells.values():
                raise InputError(f"{where}: {n_columns} columns are expected here; fix the line")
            for column, cell in cells.items():
                check_unicode(cell, column, where)
            yield where, dict(cells)
    except csv.Error as error:
        raise _broken(path, reader, error) from None


def _broken(path: Path, reader: csv.DictReader[str], error: csv.Error) -> InputError:
    # The reader counts a line once it has understood it.
    return InputError(f"{path}:{reader.line_num + 1}: not a table ({error}); fix the line")

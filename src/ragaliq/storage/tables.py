"""Tables of text separated by commas, semicolons or tabs, strictly read."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import check_unicode, read_text

DELIMITERS = {".csv": ",", ".tsv": "\t"}


# What separates columns in files called `.csv`: spreadsheets write `;` where a comma separates decimals.
_SEPARATORS = ",;\t"
_QUOTED = re.compile(r'"[^"]*"')
# No cell is longer than the text, which is in memory; the default of 131,072 characters is a few passages.
_LONGEST_CELL = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Table:
    """The names in a table's first line, and its other rows: where each stands, and its cells by name."""

    columns: list[str]
    rows: Iterator[tuple[str, dict[str, str]]]
    delimiter: str = ","


def read_table(path: Path) -> Table:
    """Read a `.csv` or `.tsv` file in UTF-8 with a header line; rows are read as they are asked for.

    Raises:
        InputError: if the file is no table; the message names file and line.
    """
    return parse_table(read_text(path), path)


def parse_table(text: str, path: Path) -> Table:
    """Return the table that the text of a `.csv` or `.tsv` file holds, as `read_table`.

    The columns of a `.csv` file are separated by what stands most often in its first line: comma, semicolon or tab.
    """
    head = text.lstrip("\r\n").partition("\n")[0]
    delimiter = DELIMITERS[path.suffix]
    if path.suffix == ".csv":
        bare = _QUOTED.sub("", head)
        delimiter = max(_SEPARATORS, key=lambda sign: (bare.count(sign), sign == ","))
    csv.field_size_limit(_LONGEST_CELL)
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
    return Table(columns, _rows(path, reader, len(columns)), delimiter)


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

"""The rows of a file of questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, read_jsonl
from ragaliq.storage.tables import DELIMITERS, read_table


def question_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield line number and row of a table with a header line, or of JSON Lines.

    Raises:
        InputError: if the file is missing, of another form, or malformed; the message names the line.
    """
    if path.suffix == ".jsonl":
        yield from read_jsonl(path)
    elif path.suffix in DELIMITERS:
        for where, row in read_table(path).rows:
            yield int(where.rpartition(":")[2]), dict(row)
    else:
        raise InputError(f"{path}: questions of people come as .csv, .tsv or .jsonl; save it as one of them")

"""Append-only JSON Lines files that survive a kill: whole rows are kept, a torn one is cut off."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Self

from ragaliq.storage.files import Row, decode_text, dump_row, naming, open_file, parse_row


class Journal:
    """An append-only JSON Lines file.

    A row survives a kill of the process when `append` returns, and a failure of the machine when `sync` returns.
    A process killed while it writes leaves a line without its end; opening the journal cuts that line off,
    so that the next row does not join it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        """Open the journal for appending."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        cut_torn_line(self._path)
        self._file = open_file(self._path, "ab")
        return self

    def __exit__(self, *_: object) -> None:
        """Close the journal; all rows are on disk then."""
        if self._file is not None:
            try:
                self.sync()
            finally:
                with naming(self._path):
                    self._file.close()
                self._file = None

    def append(self, row: Mapping[str, Any]) -> tuple[int, int]:
        """Add one row, and return where it stands: its first byte and its length."""
        assert self._file is not None, "open the journal with `with`"
        line = dump_row(row)
        with naming(self._path):
            start = self._file.tell()
            self._file.write(line + b"\n")
            self._file.flush()
        return start, len(line)

    def sync(self) -> None:
        """Wait until all rows are on disk."""
        if self._file is not None:
            with naming(self._path):
                os.fsync(self._file.fileno())


def journal_lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield `(line number, first byte, line)` for a journal's whole lines; a missing file is an empty journal.

    Blank lines are passed over, and so is a last line without its end that is no JSON object: it was torn by a kill, or
    is being written.

    Raises:
        InputError: if a line is not UTF-8.
    """
    if not path.exists():
        return
    start = 0
    with open_file(path) as file:
        for number, whole in enumerate(file, start=1):
            line = whole.removesuffix(b"\n")
            # A byte order mark is no part of the first line, which may be written elsewhere in the file.
            mark = len(line) - len(line.removeprefix(BOM_UTF8)) if number == 1 else 0
            if line[mark:].strip() and (whole.endswith(b"\n") or _is_row(line[mark:])):
                decode_text(line, f"{path}:{number}")
                yield number, start + mark, line[mark:]
            start += len(whole)


def read_journal(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield `(line number, object)` of a journal's whole lines.

    Raises:
        InputError: if a line is not a JSON object.
    """
    for number, _, line in journal_lines(path):
        yield number, parse_row(line.decode("utf-8-sig"), f"{path}:{number}")


def cut_torn_line(path: Path) -> None:
    """Remove what a kill left behind a journal's last line end; a whole row that only lacks its end gets it."""
    if not path.exists():
        return
    end, tail = 0, b""
    with open_file(path) as file:
        for line in file:
            end, tail = (end + len(line), b"") if line.endswith(b"\n") else (end, line)
    if not tail:
        return
    with naming(path), path.open("r+b") as out:
        if _is_row(tail):
            out.seek(0, os.SEEK_END)
            out.write(b"\n")
        else:
            out.truncate(end)


def _is_row(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False

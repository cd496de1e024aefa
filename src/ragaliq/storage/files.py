"""Files that survive a crash: strict JSON Lines, atomic rewrites, append-only journals."""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from ragaliq.errors import InputError

Row = dict[str, Any]


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text with its line ends untouched.

    Raises:
        InputError: if the file is missing, is a folder, or is not UTF-8.
    """
    try:
        return _decode(path.read_bytes(), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: not a file name; check the path") from None


def _decode(data: bytes, path: Path | str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None


def read_json(path: Path) -> Any:
    """Return the JSON value in a file.

    Raises:
        InputError: if the file cannot be read or is not JSON; the message names the line.
    """
    return _parse(read_text(path), str(path))


def read_jsonl(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield `(line number, object)` for each non-blank line of a JSON Lines file.

    Raises:
        InputError: at the first line that is not a JSON object; the message names file and line.
    """
    # Not str.splitlines: it also splits at U+2028 and other characters that may stand inside a JSON string.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, parse_row(line, f"{path}:{number}")


def parse_row(line: str, where: str) -> Row:
    """Return the JSON object in `line`; `where` names the line in errors."""
    value = _parse(line, where)
    if not isinstance(value, dict):
        raise InputError(f"{where}: a JSON object is expected here, not {type(value).__name__}")
    return value


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise InputError(f"{where}: not valid JSON ({error.msg} at {place}); mend it") from None
    except ValueError as error:
        raise InputError(f"{where}: not valid JSON ({error}); mend it") from None
    except RecursionError:
        raise InputError(f"{where}: JSON nested too deeply; mend it") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def check_unicode(text: str, key: str, where: str) -> None:
    """Refuse half a surrogate pair, which JSON can escape but no encoding can hold.

    Raises:
        InputError: if `text` holds one.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{where}: '{key}' holds half a surrogate pair at character {error.start}; mend it") from None


def dump_row(row: Mapping[str, Any]) -> bytes:
    """Return one JSON Lines record in UTF-8, without the line end."""
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        # A model may return half of a surrogate pair; escaped it survives the round trip.
        return json.dumps(row, allow_nan=False).encode("ascii")


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file's content in one step: a reader, or a crash, sees the old bytes or the new ones.

    Raises:
        InputError: if the file cannot be written.
    """
    with new_file(path) as out:
        out.write(data)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a draft that takes the file's place when the block ends without an error.

    Raises:
        InputError: if the file cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); check the path and the disk") from None
    finally:
        draft.unlink(missing_ok=True)


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file of lines atomically, one line at a time.

    Raises:
        InputError: if the file cannot be written.
    """
    with new_file(path) as out:
        for line in lines:
            out.write(line + b"\n")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file atomically, indented, in UTF-8."""
    write_atomic(path, (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode("utf-8"))


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a JSON Lines file atomically."""
    write_lines(path, map(dump_row, rows))


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
        self._file = self._path.open("ab")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the journal; all rows are on disk then."""
        if self._file is not None:
            try:
                self.sync()
            finally:
                self._file.close()
                self._file = None

    def append(self, row: Mapping[str, Any]) -> tuple[int, int]:
        """Add one row, and return where it stands: its first byte and its length."""
        assert self._file is not None, "open the journal with `with`"
        line = dump_row(row)
        start = self._file.tell()
        self._file.write(line + b"\n")
        self._file.flush()
        return start, len(line)

    def sync(self) -> None:
        """Wait until all rows are on disk."""
        if self._file is not None:
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
    with path.open("rb") as file:
        for number, whole in enumerate(file, start=1):
            line = whole.removesuffix(b"\n")
            # A byte order mark is no part of the first line, which may be written elsewhere in the file.
            mark = len(line) - len(line.removeprefix(BOM_UTF8)) if number == 1 else 0
            if line[mark:].strip() and (whole.endswith(b"\n") or _is_row(line[mark:])):
                _decode(line, f"{path}:{number}")
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
    with path.open("rb") as file:
        for line in file:
            end, tail = (end + len(line), b"") if line.endswith(b"\n") else (end, line)
    if not tail:
        return
    with path.open("r+b") as out:
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

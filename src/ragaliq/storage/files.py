"""Text, JSON and JSON Lines: strictly read, atomically written."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from ragaliq.errors import InputError

Row = dict[str, Any]
_DRAFT = ".draft"
# The ends of pipes that a shell opened for us.
_PIPES = re.compile(r"/dev/stdin|/dev/fd/\d+|/proc/(self|\d+)/fd/\d+")


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text with its line ends untouched.

    Raises:
        InputError: if the file is missing, is a folder, or is not UTF-8.
    """
    try:
        with open_file(path) as file:
            return decode_text(file.read(), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: not a file name; check the path") from None


def open_file(path: Path, mode: str = "rb") -> BinaryIO:
    """Open a regular file; what the shell hands over as `/dev/stdin` or `/dev/fd/N` may be a pipe.

    Raises:
        InputError: if it is a named pipe, a socket or a device: opening one may wait for ever.
        OSError: as `open`.
    """
    refuse_special(path)
    return cast(BinaryIO, path.open(mode))


def refuse_special(path: Path) -> None:
    """Refuse a named pipe, a socket and a device; a path that is not there passes, and so does a folder.

    Raises:
        InputError: if it is one.
    """
    if _PIPES.fullmatch(str(path)):
        return
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(f"{path}: is no regular file but a pipe, a socket or a device; name a file")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the file's name to an error of the system, which knows it only while opening: as of a full disk."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def decode_text(data: bytes, path: Path | str) -> str:
    """Return bytes of a file as text; raises InputError if they are not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None


def read_json(path: Path) -> Any:
    """Return the JSON value in a file.

    Raises:
        InputError: if the file cannot be read or is not JSON; the message names the line.
    """
    return parse_json(read_text(path), str(path))


def read_jsonl(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield `(line number, object)` for each non-blank line of a JSON Lines file.

    Raises:
        InputError: at the first line that is not a JSON object; the message names file and line.
    """
    # Not str.splitlines: it also splits at U+2028 and other characters that may stand inside a JSON string.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, parse_row(line, f"{path}:{number}")


def parse_row(line: str, where: str, constants: bool = False) -> Row:
    """Return the JSON object in `line`; `where` names the line in errors, `constants` is that of `parse_json`."""
    value = parse_json(line, where, constants)
    if not isinstance(value, dict):
        raise InputError(f"{where}: a JSON object is expected here, not {type(value).__name__}")
    return value


def parse_json(text: str, where: str, constants: bool = False) -> Any:
    """Return the JSON value of a text; raises InputError, which `where` begins, if it is not JSON.

    With `constants`, NaN and the infinities are read as floats: programs in Python write them, though JSON has none.
    """
    try:
        return json.loads(text, parse_constant=None if constants else _refuse_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text else f"column {error.colno}"
        raise InputError(f"{where}: not valid JSON ({error.msg} at {place}); fix it") from None
    except ValueError as error:
        raise InputError(f"{where}: not valid JSON ({error}); fix it") from None
    except RecursionError:
        raise InputError(f"{where}: JSON nested too deeply; fix it") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def is_unicode(text: str) -> bool:
    """Return whether UTF-8 can hold a text; in a file name, half a surrogate pair is a byte that is no text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def check_name(name: str) -> None:
    """Refuse a name that no file has, or that our files, which are UTF-8, cannot hold.

    The system's functions do so, too, but not all of them, and with other errors in other versions of Python.

    Raises:
        InputError: with the name.
    """
    if "\0" in name:
        raise InputError(f"{name!r} holds a null character, which no path has; check the path")
    if not is_unicode(name):
        raise InputError(f"{name!r} is not UTF-8; rename the file or folder")


def check_unicode(text: str, key: str, where: str) -> None:
    """Refuse half a surrogate pair, which JSON can escape but no encoding can hold.

    Raises:
        InputError: if `text` holds one.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{where}: '{key}' holds half a surrogate pair at character {error.start}; fix it") from None


def dump_row(row: Mapping[str, Any]) -> bytes:
    """Return one JSON Lines record in UTF-8, without the line end."""
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        # A model may return half of a surrogate pair; escaped it survives the round trip.
        return json.dumps(row, allow_nan=False).encode("ascii")


def write_atomic(path: Path, data: bytes) -> None:
    """Replace a file's content in one step: a reader, or a crash, sees the old bytes or the new ones."""
    with new_file(path) as out:
        out.write(data)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a draft that takes the file's place when the block ends without an error; all writers go through it.

    Raises:
        InputError: if the file cannot be written.
    """
    refuse_special(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}{_DRAFT}")
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
        # Where a file stands in the way of the folder, there is no draft either.
        with suppress(OSError):
            draft.unlink()


def is_draft(path: Path) -> bool:
    """Return whether a file is a draft, which only a kill leaves behind."""
    return re.fullmatch(rf"\..+\.[0-9]+{re.escape(_DRAFT)}", path.name) is not None


def clear_drafts(folder: Path) -> None:
    """Remove the drafts that killed processes left below a folder in which nobody else writes now."""
    for path in filter(is_draft, folder.rglob(f".*{_DRAFT}")):
        path.unlink(missing_ok=True)


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file of lines atomically, one line at a time."""
    with new_file(path) as out:
        for line in lines:
            out.write(line + b"\n")


def json_text(value: Any) -> str:
    """Return a value as indented JSON; raises ValueError if it holds NaN or an infinity."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file atomically, indented, in UTF-8."""
    write_atomic(path, (json_text(value) + "\n").encode("utf-8"))


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a JSON Lines file atomically."""
    write_lines(path, map(dump_row, rows))

"""Lines of large text files, one at a time: plain files, `.gz` files, members of zip archives."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, new_file, open_file, parse_row

# Bytes of one line. The longest document of the known collections has some 3 MB; a line without an end would fill the
# memory.
MAX_LINE = 2**26
_BLOCK = 2**20
_DAMAGE = (
    gzip.BadGzipFile,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    KeyError,
    NotImplementedError,
)


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a text lies: a file, or a member of a zip archive. Names ending in `.gz` are decompressed while reading."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        """Return the place as errors name it."""
        return f"{self.path}/{self.member}" if self.member else str(self.path)


def read_lines(source: Stored | Path) -> Iterator[tuple[int, str]]:
    r"""Yield `(line number, line)` of a UTF-8 text, without line ends; memory is bounded by the longest line.

    Lines end at `\n` or `\r\n` alone: U+2028 and the like may stand inside a text. A byte order mark is dropped.

    Raises:
        InputError: if the source cannot be read or decompressed, is not UTF-8, or has a line above `MAX_LINE` bytes.
    """
    stored = Stored(source) if isinstance(source, Path) else source
    try:
        with _opened(stored) as file:
            number = 0
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise InputError(f"{stored}:{number}: a line of more than {MAX_LINE >> 20} MiB; fix the file")
                if number == 1:
                    line = line.removeprefix(BOM_UTF8)
                yield number, _decode(line.removesuffix(b"\n").removesuffix(b"\r"), stored, number)
    except _DAMAGE as error:
        raise InputError(f"{stored}: damaged ({error}); fetch it again") from None
    except OSError as error:
        raise InputError(f"{stored}: cannot be read ({error.strerror}); check the path") from None


def read_rows(source: Stored | Path) -> Iterator[tuple[str, Row]]:
    """Yield `(FILE:LINE, object)` for each line of a JSON Lines text that is not blank.

    Raises:
        InputError: as `read_lines`, and at the first line that is not a JSON object.
    """
    name = str(source)
    for number, line in read_lines(source):
        if line and not line.isspace():
            where = f"{name}:{number}"
            yield where, parse_row(line, where)


def write_gzip_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write a `.gz` file of lines atomically, one line at a time; the same lines give the same bytes."""
    # Level 6 is within 1 % of the size of level 9, in half the time.
    with new_file(path) as out, gzip.GzipFile("", "wb", compresslevel=6, fileobj=out, mtime=0) as packed:
        for line in lines:
            packed.write(line + b"\n")


def _decode(line: bytes, stored: Stored, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{stored}:{number}: not UTF-8 at byte {error.start} of the line; save the file as UTF-8"
        ) from None


@contextmanager
def _opened(stored: Stored) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        try:
            file: BinaryIO = stack.enter_context(open_file(stored.path))
        except ValueError:
            raise InputError(f"{str(stored)!r}: not a file name; check the path") from None
        if stored.member:
            archive = stack.enter_context(zipfile.ZipFile(file))
            file = _buffered(stack.enter_context(archive.open(stored.member)))
        if str(stored).endswith(".gz"):
            file = _buffered(stack.enter_context(gzip.GzipFile(fileobj=file)))
        yield file


def _buffered(file: object) -> BinaryIO:
    # Both kinds of decompressed file look for line ends in Python; this one does in C.
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, file), _BLOCK))

"""SQLite files that several processes may use at once, and values in one that may go missing but not wrong."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ragaliq.errors import InputError
from ragaliq.storage.files import refuse_special

# So long one process waits for another.
_BUSY_S = 30.0
# Three vectors of 2 KiB fit a page; the default page has room for one.
_PAGE_BYTES = 8192
_ENTRIES = "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB)"
Result = TypeVar("Result")


def open_sqlite(path: Path, table: str, *settings: str) -> sqlite3.Connection:
    """Open a file for any number of processes and threads; what is missing is made.

    A row survives a kill of the process from the moment that its statement is done.

    Args:
        path: the file.
        table: the statement that makes its table, if that is missing.
        settings: statements to be run before.

    Raises:
        sqlite3.Error: if it is no such file.
        OSError: if it cannot be written.
        InputError: if the path is a pipe or a device.
    """
    refuse_special(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Questions and answers may be confidential: the file is its owner's alone.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    rows = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _set_up(rows, (*settings, "PRAGMA journal_mode = WAL", table))
    except sqlite3.Error:
        rows.close()
        raise
    return rows


class ByteCache:
    """Bytes by key, in a file whose loss costs only time.

    A file that is damaged, or greater than `most_bytes` when it is opened, is begun anew. One that cannot be written,
    or is full, takes no further values. None of this raises, and no value comes back other than it was put in.
    """

    def __init__(self, path: Path, most_bytes: int = 2**30) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._room = 0
        self._rows: sqlite3.Connection | None = None
        self._usable = True
        self._lock = threading.Lock()

    def get(self, key: bytes) -> bytes | None:
        """Return what is kept under a key; a file that is not there is not made."""
        if self._rows is None and not self._path.exists():
            return None
        row = self._tried(lambda rows: rows.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone())
        value = row[0] if row else None
        if not isinstance(value, bytes) or value[-4:] != _checksum(key, value[:-4]):
            return None
        return value[:-4]

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""
        entry = (key, value + _checksum(key, value))

        def insert(rows: sqlite3.Connection) -> None:
            if self._room >= len(value):
                rows.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", entry)
                self._room -= len(value)

        self._tried(insert)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _tried(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Return what comes of the file; None if it cannot be used, also not begun anew."""
        with self._lock:
            for fresh in (False, True):
                if not self._usable:
                    break
                try:
                    if fresh:
                        self._remove()
                    return work(self._rows or self._open())
                except sqlite3.OperationalError:
                    # Not writable, or a full disk.
                    break
                except sqlite3.DatabaseError:
                    self._close()
                except (OSError, InputError):
                    break
            self._usable = False
            self._close()
            return None

    def _open(self) -> sqlite3.Connection:
        with suppress(OSError):
            if self._path.stat().st_size > self._most_bytes:
                self._remove()
        # Without waiting for the disk: what a crash of the machine leaves broken is seen when it is read.
        settings = (f"PRAGMA page_size = {_PAGE_BYTES}", "PRAGMA synchronous = OFF")
        self._rows = open_sqlite(self._path, _ENTRIES, *settings)
        self._room = self._most_bytes - self._path.stat().st_size
        return self._rows

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _close(self) -> None:
        if self._rows is not None:
            with suppress(sqlite3.Error):
                self._rows.close()
            self._rows = None


def _checksum(key: bytes, value: bytes) -> bytes:
    return zlib.crc32(value, zlib.crc32(key)).to_bytes(4, "little")


def _set_up(rows: sqlite3.Connection, statements: Sequence[str]) -> None:
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            for statement in statements:
                rows.execute(statement)
            return
        except sqlite3.OperationalError as error:
            # While another process sets the mode, SQLite refuses at once instead of waiting.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)

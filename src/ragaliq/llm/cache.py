"""Replies kept on disk, so that no request is paid for twice."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import refuse_special

# So long one process waits for another.
_BUSY_S = 30.0


class ResponseCache:
    """Replies by their request, in one SQLite file that several processes may use at once.

    A reply survives a kill of the process from the moment `put` returns. `EndpointReplies` says what the keys are.

    Attributes:
        moved_from: address of an endpoint whose replies are used where another endpoint has none; empty for none.
    """

    def __init__(self, path: Path, moved_from: str = "") -> None:
        self._path = path
        self.moved_from = moved_from
        self._rows: sqlite3.Connection | None = None

    @staticmethod
    def key(request: Mapping[str, Any]) -> str:
        """Return the SHA-256 of a JSON object; the order of its keys does not count."""
        canonical = json.dumps(request, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the reply kept under a key, None for one that is not whole; a file that is not there is not made."""
        try:
            if self._rows is None and not self._path.exists():
                return None
            row = self._open().execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except (sqlite3.Error, OSError) as error:
            raise self._broken(error) from None
        try:
            reply = None if row is None else json.loads(row[0])
        except (TypeError, ValueError, RecursionError):
            return None
        return reply if isinstance(reply, dict) else None

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply."""
        value = json.dumps(reply, ensure_ascii=True, separators=(",", ":"))
        try:
            self._open().execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, value))
        except (sqlite3.Error, OSError) as error:
            raise self._broken(error) from None

    def close(self) -> None:
        """Close the file."""
        if self._rows is not None:
            self._rows.close()
            self._rows = None

    def _open(self) -> sqlite3.Connection:
        if self._rows is None:
            refuse_special(self._path)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Questions and answers may be confidential: the file is its owner's alone.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            rows = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
            try:
                _set_up(rows)
            except sqlite3.Error:
                rows.close()
                raise
            self._rows = rows
        return self._rows

    def _broken(self, error: Exception) -> InputError:
        return InputError(f"{self._path}: the cache of replies cannot be used ({error}); delete it or run --no-cache")


@dataclass(frozen=True, slots=True)
class EndpointReplies:
    """The replies of one endpoint in a cache, if there is one, by the hash of their request.

    The key is the SHA-256 of the endpoint's address and the request's hash, so neither host nor token is in the file.
    """

    cache: ResponseCache | None
    address: str

    def get(self, request_hash: str) -> dict[str, Any] | None:
        """Return the reply to a request; one from the address that the endpoint moved from is kept here, too."""
        if self.cache is None:
            return None
        reply = self.cache.get(_key(self.address, request_hash))
        if reply is None and self.cache.moved_from:
            reply = self.cache.get(_key(self.cache.moved_from, request_hash))
            if reply is not None:
                self.put(request_hash, reply)
        return reply

    def put(self, request_hash: str, reply: Mapping[str, Any]) -> None:
        """Keep the reply to a request."""
        if self.cache is not None:
            self.cache.put(_key(self.address, request_hash), reply)


def _key(address: str, request_hash: str) -> str:
    return ResponseCache.key({"address": address, "request": request_hash})


def _set_up(rows: sqlite3.Connection) -> None:
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            rows.execute("PRAGMA journal_mode = WAL")
            rows.execute("PRAGMA synchronous = NORMAL")
            rows.execute("CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT)")
            return
        except sqlite3.OperationalError as error:
            # While another process sets the mode, SQLite refuses at once instead of waiting.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)

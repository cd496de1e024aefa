"""Replies kept on disk, so that no request is paid for twice."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.sqlite_files import open_sqlite

_REPLIES = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT)"


class ResponseCache:
    """Replies by their request, in one SQLite file that several processes may use at once.

    A reply survives a kill of the process from the moment `put` returns. `EndpointReplies` says what the keys are.

    Attributes:
        path: of the file.
        moved_from: address of an endpoint whose replies are used where another endpoint has none; empty for none.
    """

    def __init__(self, path: Path, moved_from: str = "") -> None:
        self.path = path
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
            if self._rows is None and not self.path.exists():
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
            self._rows = open_sqlite(self.path, _REPLIES, "PRAGMA synchronous = NORMAL")
        return self._rows

    def _broken(self, error: Exception) -> InputError:
        return InputError(f"{self.path}: the cache of replies cannot be used ({error}); delete it or run --no-cache")


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

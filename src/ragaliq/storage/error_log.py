"""Tracebacks of exceptions that other people's code raised: one line tells of each, the whole is in a file."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ragaliq.storage.files import naming, open_file
from ragaliq.storage.redaction import error_line, redact

# Different tracebacks in a file, and the innermost lines that tell two apart.
_MOST, _FRAMES = 50, 5
_log: ContextVar[ErrorLog | None] = ContextVar("error_log", default=None)


class ErrorLog:
    """Appends tracebacks to a file, without secrets; of those that come from the same lines only the first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: set[str] = set()

    def add(self, error: BaseException, where: str) -> None:
        """Add an exception; `where` says what was being done."""
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        place = " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))
        origin = redact(f"{type(error).__name__} at {place}")
        if not self._known and self.path.is_file():
            # What an earlier call has left.
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
            self._known = {line.removeprefix("## ") for line in lines if line.startswith("## ")}
        if origin in self._known or len(self._known) >= _MOST:
            return
        self._known.add(origin)
        text = redact("".join(traceback.format_exception(error)))
        with naming(self.path), open_file(self.path, "ab") as file:
            file.write(f"## {origin}\n{where}\n{text}\n".encode("utf-8", "backslashreplace"))


@contextmanager
def errors_logged(path: Path) -> Iterator[None]:
    """Keep the tracebacks of what `told` is called with within the block."""
    token = _log.set(ErrorLog(path))
    try:
        yield
    finally:
        _log.reset(token)


def told(error: BaseException, where: str) -> str:
    """Return an exception as one line (`error_line`); its traceback goes to the file of `errors_logged`, if any."""
    log = _log.get()
    if log is not None:
        log.add(error, where)
    return error_line(error)

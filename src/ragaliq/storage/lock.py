"""One lock: keeping other processes away from what this one writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragaliq.errors import InputError


@contextmanager
def locked(path: Path, name: str, *, busy: str, remedy: str, folder: bool = False) -> Iterator[None]:
    """Hold the lock of a file, or with `folder` of a folder, while the block runs; what is missing is made.

    Raises:
        InputError: if another process holds it, which `busy` says, or the place cannot be written, for which `remedy`
            advises another; the message calls the place `name`.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no such lock.
        yield
        return
    try:
        (path if folder else path.parent).mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"{name}: cannot be written ({error.strerror}); {remedy}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{name}: {busy}") from None
        yield
    finally:
        os.close(handle)

"""The errors that a user sees: one line that says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class RagaliqError(Exception):
    """Root of all errors shown to the user; the command line prints the message and exits with `exit_code`."""

    exit_code = 2


class InputError(RagaliqError):
    """The input or the usage is wrong."""


class ConfigError(InputError):
    """A configuration names something that does not exist or does not fit."""


class Stopped(RagaliqError):
    """The work stopped before its end; what is finished is on disk and the same command goes on."""

    exit_code = 3


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint naming the known word nearest to `word`, and else all known words."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean '{close[0]}'?" if close else listed(names)


def listed(known: Iterable[str]) -> str:
    """Return a hint naming all known words."""
    return f"known: {', '.join(sorted(known))}"


@contextmanager
def checked_types(where: str) -> Iterator[None]:
    """Refuse a foreign file of which a part has another type than its reader uses: one line, and no traceback.

    Raises:
        InputError: for what Python raises on such a part.
    """
    try:
        yield
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise InputError(f"{where}: a part has another type than its tool writes ({error}); export it again") from error

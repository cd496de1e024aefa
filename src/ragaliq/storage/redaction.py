"""Nothing secret in what is written or printed: what an exception says may hold the key that a call was made with."""

from __future__ import annotations

import os
import re
from functools import lru_cache

_SECRET_NAME = re.compile(r"(?:^|_)(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS?)S?$", re.IGNORECASE)
# Shorter values are words that may stand in any text; none of them is a key.
_SHORTEST = 8
_LONGEST_LINE = 500


def error_line(error: BaseException) -> str:
    """Return an exception as one short line without secrets."""
    return redact(" ".join(f"{type(error).__name__}: {error}".split()))[:_LONGEST_LINE]


def redact(text: str) -> str:
    """Return a text with `***` for every secret of the environment and of `.env` in the working directory.

    A secret is the value, of at least eight characters, of a variable whose name ends in TOKEN, KEY, SECRET, PASSWORD
    or CREDENTIAL.
    """
    # Every call of a model comes here, mostly with nothing to look through.
    for secret in _secrets(tuple(sorted(os.environ.items())), os.getcwd()) if text else ():
        text = text.replace(secret, "***")
    return text


@lru_cache(maxsize=4)
def _secrets(environment: tuple[tuple[str, str], ...], folder: str) -> list[str]:
    """Return the secrets, the longest first: one may be part of another."""
    values = {value.strip() for name, value in (*environment, *_dotenv(folder)) if _SECRET_NAME.search(name)}
    return sorted((value for value in values if len(value) >= _SHORTEST), key=lambda value: (-len(value), value))


def _dotenv(folder: str) -> list[tuple[str, str]]:
    path = os.path.join(folder, ".env")
    if not os.path.isfile(path):
        return []
    from dotenv import dotenv_values

    try:
        return [(name, value or "") for name, value in dotenv_values(path).items()]
    except (OSError, UnicodeDecodeError):
        return []

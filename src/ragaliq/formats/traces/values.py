"""Values of the records that tracing programs write: texts, numbers, objects and times, strictly read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, is_unicode
from ragaliq.storage.redaction import redact

Numbered = list[tuple[str, Row]]
# Longer texts are contents, not names.
_LONGEST_FIELD = 200
_LONGEST_REASON = 120
# A run of letters and digits that is no word.
_MAY_BE_KEY = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{16,}")
# Parts of a key whose value may be a secret or a person's; no such field is handed on.
_PRIVATE = ("auth", "cookie", "credential", "header", "key", "passw", "secret", "session", "token", "user", "email")


def number_of(row: Mapping[str, Any], key: str, where: str) -> float | None:
    """Return a finite number of a record; None where it is absent or null.

    Raises:
        InputError: if it is something else. A number in a text is one, as exporters write long integers and decimals.
    """
    value = row.get(key)
    if value is None or value == "":
        return None
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, int | float | str) else float(value)
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: '{key}' must be a finite number, not {_shown(value)}; fix it")
    return number


def object_of(row: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    """Return an object of a record; empty where it is absent or null."""
    value = row.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{where}: '{key}' must be an object, not {_shown(value)}; fix it")
    return value


def time_of(row: Mapping[str, Any], key: str, where: str) -> float | None:
    """Return a time as seconds since 1970, in UTC where it names no zone; None where it is absent, null or empty.

    Raises:
        InputError: if it is no time in ISO 8601.
    """
    value = row.get(key)
    if value is None or value == "":
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where}: '{key}' must be a time such as 2026-01-31T12:00:00Z, not {_shown(value)}; fix it"
        ) from None


def seconds_between(start: float | None, end: float | None) -> float | None:
    """Return how long something took; None where one of the times is missing or they are in the wrong order."""
    return None if start is None or end is None or end < start else end - start


def short_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the short texts and whole numbers of an object, less those whose key may name a secret or a person."""
    return {
        key: str(value)
        for key, value in values.items()
        if isinstance(value, str | int)
        and len(str(value)[: _LONGEST_FIELD + 1]) <= _LONGEST_FIELD
        and is_unicode(f"{key}{value}")
        and not any(part in key.casefold() for part in _PRIVATE)
    }


def short_reason(text: str) -> str:
    """Return why something failed as one short line; what may be a key or an id is `***`, so reasons can be counted."""
    return _MAY_BE_KEY.sub("***", redact(" ".join(text.split())))[:_LONGEST_REASON]


def first_named(values: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the first of several texts that is there and is not blank."""
    return next((values[name] for name in names if values.get(name, "").strip()), "")


def _shown(value: Any) -> str:
    return repr(value)[:40] if isinstance(value, str | int | float) else f"a {type(value).__name__}"

"""What the cells of somebody's answers hold: texts, contexts, and how a value is written into a cell."""

from __future__ import annotations

import ast
import json
from typing import Any

from ragaliq.errors import InputError, listed
from ragaliq.storage.files import check_unicode

# Where an object of a context list keeps its text.
_TEXTS = ("text", "content", "page_content", "passage", "document.content", "chunk")


def text_of(value: Any, column: str, where: str) -> str:
    """Return a cell's text: a number or truth value as JSON writes it, nothing as an empty text.

    Raises:
        InputError: if it holds a list or an object, or half a surrogate pair.
    """
    if isinstance(value, bool | int):
        return json.dumps(value)
    if value is None or isinstance(value, float):
        return "" if is_blank(value) else json.dumps(value)
    if not isinstance(value, str):
        kind = "a list" if isinstance(value, list) else "an object"
        raise InputError(f"{where}: '{column}' holds {kind}, not a text; name a column of texts")
    check_unicode(value, column, where)
    return value


def texts_of(value: Any, column: str, where: str) -> tuple[str, ...]:
    """Return the texts of a cell that may hold several, such as references; empty ones are left out."""
    values = value if isinstance(value, list) else [value]
    return tuple(text for text in (text_of(one, column, where) for one in values) if text.strip())


def contexts_of(value: Any, column: str, where: str) -> tuple[str, ...] | None:
    """Return the texts of a `contexts` cell; None where nothing says what was retrieved.

    A list holds texts, or objects with a text; a text is a list as JSON or Python writes it, else one context. An empty
    list says that nothing was retrieved; so an empty cell does not.

    Raises:
        InputError: if it holds something else.
    """
    if is_blank(value):
        return None
    if isinstance(value, str):
        written = _written_list(value)
        value = [value] if written is None else written
    if not isinstance(value, list):
        raise InputError(f"{where}: '{column}' must be a list of texts, or a text; fix it")
    return tuple(text_of(_inner(one, column, where), column, where) for one in value)


def is_blank(value: Any) -> bool:
    """Return whether a cell holds nothing: None, NaN or blank text."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def cell(value: Any) -> str:
    """Return a value as a table's cell holds it: a text itself, nothing as an empty one, all else as JSON."""
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _written_list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list):
            return value
    return None


def _inner(value: Any, column: str, where: str) -> Any:
    """Return the text of a context that is an object."""
    if not isinstance(value, dict):
        return value
    found = [value[key] for key in _TEXTS if isinstance(value.get(key), str)]
    if not found:
        raise InputError(f"{where}: '{column}' holds an object without a text ({listed(value)}); map a list of texts")
    return found[0]

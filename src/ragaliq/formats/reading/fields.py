"""Ids and texts of foreign rows: ids are always text, and nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.errors import InputError
from ragaliq.storage.files import Row, check_unicode


def row_id(row: Row, key: str, where: str) -> str:
    """Return an id of a JSON row as text; a whole number becomes its digits.

    Raises:
        InputError: if there is none, or it is anything else. A float is refused, since 7.0 may have been 7 or "7.0",
            and large ids lose digits as floats.
    """
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        written = "no id" if value is None else f"{value!r}"
        raise InputError(f"{where}: '{key}' must be a text or a whole number, not {written}; fix it")
    check_unicode(value, key, where)
    return value


def row_text(row: Mapping[str, Any], key: str, where: str) -> str:
    """Return a text of a JSON row; absent and null are the empty text."""
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{where}: '{key}' must be a text, not {type(value).__name__}; fix it")
    check_unicode(value, key, where)
    return value


def row_objects(row: Row, key: str, where: str, required: bool = False) -> list[Row]:
    """Return a list of JSON objects in a row; unless it is required, absent and null are the empty list."""
    value = row.get(key)
    if value is None and not required:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise InputError(f"{where}: '{key}' must be a list of objects; fix it")
    return value


def check_query_id(query_id: str, where: str, what: str = "query") -> None:
    """Refuse a query or nugget id that TREC's columns cannot hold: empty, with white space, or with `#` in front."""
    if query_id.split() != [query_id] or query_id[0] in "#\ufeff":
        raise InputError(
            f"{where}: {what} id {query_id!r} cannot stand in TREC's columns (white space, or '#' in front); rename it"
        )


def check_doc_id(doc_id: str, where: str) -> None:
    """Refuse a doc id that TREC's columns cannot hold: empty, with a line feed, or white space at an end."""
    if not doc_id or doc_id.strip() != doc_id or "\n" in doc_id:
        raise InputError(
            f"{where}: doc id {doc_id!r} cannot stand in TREC's columns (line feed, or white space at an end); rename "
            "it"
        )

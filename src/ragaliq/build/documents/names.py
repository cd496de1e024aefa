"""Ids of documents: readable, unique, and reversible to the source and the path in it."""

from __future__ import annotations

import unicodedata

# What ids themselves use, beside white space: `SOURCE/PATH:START-END`.
_RESERVED = "%:"
# Of one part of a path: file systems take 255 bytes, and a draft's name is longer than its file's.
_MOST_BYTES = 220


def document_id(label: str, path: str, single: bool) -> str:
    """Return the id of a document: `LABEL/PATH`, or `LABEL` for a source that is a single file of this name.

    White space, control characters, `%` and `:` are written as in web addresses, `%20`; all other characters stay as
    they are, in every script. `urllib.parse.unquote_to_bytes` gives the path back.
    """
    name = _encoded(label).replace("/", "%2F")
    return name if single and label == path else f"{name}/{_encoded(path)}"


def _encoded(path: str) -> str:
    """Return a path as part of an id."""
    return "".join(_percent(char) if _is_odd(char) else char for char in path)


def too_long(source_id: str) -> bool:
    """Return whether a part of an id is too long for the name of a file."""
    return any(len(part.encode("utf-8")) > _MOST_BYTES for part in source_id.split("/"))


def _is_odd(char: str) -> bool:
    # Cs: a byte of a file name that is not UTF-8.
    return char in _RESERVED or char.isspace() or unicodedata.category(char) in ("Cc", "Cs")


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape"))

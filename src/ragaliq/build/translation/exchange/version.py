"""The note that says which version of an edited translation a file shows."""

from __future__ import annotations

import re

_NOTE = re.compile(r"^[ \t]*version ([\w-]+): ([0-9]{1,9})[ \t]*$", re.MULTILINE)


def version_note(lang: str, version: int) -> str:
    """Return the note; a unit of a translation memory has one for each language."""
    return f"version {lang}: {version}"


def noted_version(notes: str, lang: str) -> int:
    """Return the version that the notes of a unit name for a language, the lowest of several; 0 if they name none."""
    return min((int(version) for noted, version in _NOTE.findall(notes) if noted == lang), default=0)

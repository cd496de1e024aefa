"""The segments that a text is made of, so that an edit goes to the segment, and with it to all its occurrences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from unicodedata import normalize

from ragaliq.review.sheets import Part

# Number of first characters by which candidates at a place are looked up.
_BEGIN = 6


class SegmentMemory:
    """The translations of all segments into one language, each with its versions, the latest last."""

    def __init__(self, versions: Mapping[str, Sequence[str]]) -> None:
        self._versions = versions
        self._sources: dict[str, list[str]] = {}
        for source in sorted(versions, key=len, reverse=True):
            if source:
                self._sources.setdefault(source[:_BEGIN], []).append(source)

    def parts(self, text: str, translation: str) -> tuple[Part, ...]:
        """Return the segments of a text in their order, each once.

        A segment is found where its source occurs in the text, between other characters than letters and digits, the
        longest first, and a version of it in the translation. Texts are compared in NFC.
        """
        text, translation = normalize("NFC", text), normalize("NFC", translation)
        parts: dict[str, Part] = {}
        place = 0
        while place < len(text):
            part = self._at(text, place, translation)
            if part:
                parts.setdefault(part.name, part)
            place += len(part.name) if part else 1
        return tuple(parts.values())

    def _at(self, text: str, place: int, translation: str) -> Part | None:
        """Return the longest segment that begins at a place and is translated; None if there is none."""
        if place and text[place - 1].isalnum() and text[place].isalnum():
            return None
        for length in range(_BEGIN, 0, -1):
            for source in self._sources.get(text[place : place + length], ()):
                end = place + len(source)
                ends = end >= len(text) or not (text[end].isalnum() and source[-1].isalnum())
                if ends and text.startswith(source, place):
                    held = [one for one in self._versions[source] if one and normalize("NFC", one) in translation]
                    if held:
                        return Part(source, held[-1])
        return None

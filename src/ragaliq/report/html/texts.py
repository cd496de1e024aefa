"""The texts of the page, each kept once."""

from __future__ import annotations

import hashlib
import json

from ragaliq.report.html.blocks import Blocks

# Characters of a text on the page; the run's files hold the whole.
MOST_CHARACTERS = 20_000


def shortened(text: str, place: str) -> str:
    """Return a text as the page shows it: one that is too long is cut, and says how long it is and where it stands."""
    if len(text) <= MOST_CHARACTERS:
        return text
    note = f"[cut for this page: the first {MOST_CHARACTERS:,} of {len(text):,} characters; the whole is in {place}]"
    return f"{text[:MOST_CHARACTERS]}\n{note}"


class Texts:
    """Texts by number; equal ones have the same."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return a text's number, from 0."""
        return self._numbers.setdefault(text, len(self._numbers))

    def all(self) -> list[str]:
        """Return the texts in the order of their numbers."""
        return list(self._numbers)


class Chunks:
    """Chunks by number; those of the same id, language and text are one. Only digests are kept beside the blocks."""

    def __init__(self) -> None:
        self.blocks = Blocks("chunks", "chunks")
        self._numbers: dict[bytes, int] = {}

    def number(self, doc_id: str, lang: str, text: str) -> int:
        """Return a chunk's number, from 0."""
        digest = hashlib.sha256(json.dumps([doc_id, lang, text]).encode("ascii")).digest()
        if digest not in self._numbers:
            self._numbers[digest] = self.blocks.append({"doc_id": doc_id, "lang": lang, "text": text})
        return self._numbers[digest]

"""The smallest text that is translated: a sentence, a line or a cell, once in a benchmark however often it occurs."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from ragaliq.build.stage_row import content_hash


class SegmentStatus(StrEnum):
    """Where the target of a segment comes from."""

    TRANSLATED = "translated"  # The model.
    SAME = "same"  # Nothing to translate: a number, an address, a term that stays.
    EDITED = "edited"  # A person.
    UNTRANSLATED = "untranslated"


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment and its translation into one language.

    Attributes:
        source_lang: language of `source`.
        lang: language of `target`.
        source: the text, as `segment_text` returns it.
        target: its translation; of no meaning if it is untranslated.
        status: where the target comes from.
        where: the records that it occurs in, as in `chunk handbook/house.md:0-80`.
        version: how many edits it has had.
    """

    source_lang: str
    lang: str
    source: str
    target: str
    status: SegmentStatus
    where: tuple[str, ...] = ()
    version: int = 0


def segment_text(text: str) -> str:
    """Return a text in the form in which segments are compared: NFC, without white space at its ends."""
    return unicodedata.normalize("NFC", text).strip()


def segment_id(source_lang: str, source: str) -> str:
    """Return the id of a segment, the same in every target language: `s` and 16 hex digits."""
    return f"s{content_hash([source_lang, source])}"

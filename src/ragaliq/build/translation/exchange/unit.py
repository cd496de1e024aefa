"""A segment in a file of a translation tool: as it is handed out, and as it comes back."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.build.translation.segment import Segment


@dataclass(frozen=True, slots=True)
class OutgoingUnit:
    """A segment for a translator.

    Attributes:
        segment_id: as `segment_id` returns it.
        segment: the texts.
        notes: where it occurs, and what stays as it is; texts that XML can hold.
    """

    segment_id: str
    segment: Segment
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IncomingUnit:
    """A translation in a file, as the file has it.

    Attributes:
        segment_id: the unit's id, which need not be one of ours.
        source_lang: language of `source`; empty if the file does not say.
        lang: language of `target`; empty if the file does not say.
        source: the text that was translated.
        target: its translation; empty if there is none.
        by: the translator that the file names for it, or empty.
        notes: all of them, a line each.
    """

    segment_id: str
    source_lang: str
    lang: str
    source: str
    target: str
    by: str
    notes: str = ""

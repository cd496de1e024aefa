"""Segments in six languages, and what tools make of files."""

from __future__ import annotations

from ragaliq.build.translation.exchange.unit import OutgoingUnit
from ragaliq.build.translation.segment import Segment, SegmentStatus, segment_id

OPENS = "The workshop opens at 8."
TARGETS = {
    "de": "Die Werkstatt öffnet um 8 Uhr.",
    "fr": "L’atelier ouvre à 8 h.",
    "es": "El taller abre a las 8.",
    "ru": "Мастерская открывается в 8 часов.",
    "zh": "工坊8点开门。",
}


def segment(lang: str, source: str = OPENS, target: str = "", status: SegmentStatus | None = None) -> Segment:
    """Return a segment, by default the one of `TARGETS`."""
    text = target or (TARGETS[lang] if source == OPENS else "")
    state = status or (SegmentStatus.TRANSLATED if text else SegmentStatus.UNTRANSLATED)
    return Segment("en", lang, source, text, state, ("chunk house/a.md:0-24",))


def outgoing(one: Segment, *notes: str) -> OutgoingUnit:
    """Return a segment as a unit."""
    return OutgoingUnit(segment_id(one.source_lang, one.source), one, notes)

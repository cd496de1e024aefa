"""The segment memory of a build: what `translate` has translated, with people's edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.translation.edits import edit_history, latest_edits
from ragaliq.build.translation.segment import Segment, SegmentStatus
from ragaliq.build.translation.units import ChunkTexts, QueryTexts, chunk_units, query_units, source_language

TRANSLATE = "translate"
# A key that a row's value may have.
BACK = "back"


@dataclass(frozen=True, slots=True)
class Translated:
    """What a segment is in another language.

    Attributes:
        target: the translation; the segment itself if it is not translated.
        status: where it comes from.
        back: `target` translated back; empty if that was not asked for.
    """

    target: str
    status: SegmentStatus
    back: str = ""

    @property
    def usable(self) -> bool:
        """Whether there is a translation."""
        return self.status is not SegmentStatus.UNTRANSLATED


# Segment → its translation into one language.
Memory = Mapping[str, Translated]


def segments_of(context: BuildContext) -> list[Segment]:
    """Return all segments with their translations, edits included, by language and then in the order of their rows.

    Raises:
        InputError: if a file of the build that is read is missing or damaged.
    """
    lang = source_language(context)
    places: dict[str, list[str]] = {}
    units: list[ChunkTexts | QueryTexts] = [*chunk_units(context, lang), *query_units(context, lang)]
    for unit in units:
        for source in dict.fromkeys(unit.segments):
            places.setdefault(source, []).append(unit.name)
    history = edit_history(context.workspace.path)
    segments = {
        (row.lang, entry["source"]): Segment(
            lang, row.lang, entry["source"], entry["target"], SegmentStatus(entry["status"]),
            tuple(places.get(entry["source"], ())), len(history.get((row.lang, entry["source"]), ())),
        )
        for row in edited_rows(context, context.workspace.rows(TRANSLATE))
        for entry in row.value["segments"]
    }  # fmt: skip
    return list(segments.values())


def memory_of(rows: Iterable[StageRow], lang: str) -> dict[str, Translated]:
    """Return the memory of a language from the rows of `translate`."""
    return {
        entry["source"]: Translated(entry["target"], SegmentStatus(entry["status"]), entry.get(BACK, ""))
        for row in rows
        if row.lang == lang
        for entry in row.value["segments"]
    }


def edited_rows(context: BuildContext, rows: Iterable[StageRow]) -> list[StageRow]:
    """Return rows of `translate` with the edits that hold in the place of what they change."""
    edits = {key: edit.after for key, edit in latest_edits(context.workspace.path).items()}

    def edited(lang: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        after = edits.get((lang, entry["source"]))
        # What was translated back is not what it says now.
        return entry if after is None else {"source": entry["source"], "target": after, "status": SegmentStatus.EDITED}

    return [
        replace(row, value={**row.value, "segments": [edited(row.lang, entry) for entry in row.value["segments"]]})
        for row in rows
    ]

"""The segments that a text is made of, so that an edit goes to the segment, and with it to all its occurrences."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from unicodedata import normalize

from ragaliq.build.context import BuildContext
from ragaliq.build.model.backend import Backend
from ragaliq.build.translation.edits import edit_history
from ragaliq.build.translation.memory import TRANSLATE, Memory, edited_rows, memory_of
from ragaliq.build.translation.rendering import rendered_segments
from ragaliq.build.translation.segment import SegmentStatus
from ragaliq.build.translation.units import Text, chunk_units, query_units
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession
from ragaliq.review.sheets import Part
from ragaliq.storage.own_json import ModelText, check_row
from ragaliq.types import RecordKind, TranslationPair

# A row of the stage, as far as it is read here.
_SEGMENT = {"source": ModelText, "target": ModelText, "status": frozenset(SegmentStatus)}
_ROW = {"segments": [_SEGMENT]}


class BuiltSegments:
    """The segments of a benchmark that `ragaliq build` translated, as it cut them."""

    def __init__(self, folder: Path, source_lang: str) -> None:
        self._workspace = Workspace(folder)
        self._context = BuildContext(self._workspace, LLMSession(), Backend())
        self._lang = source_lang

    @property
    def are_there(self) -> bool:
        """Whether `ragaliq build` translated the benchmark."""
        return self._workspace.rows_file(TRANSLATE).is_file()

    def parts(self, pair: TranslationPair) -> tuple[Part, ...]:
        """Return the segments of a text that the build puts its translation together of, in their order, each once.

        With each goes its latest version that the translation has: an edit may not have been built in yet. A text that
        the build has cut anew since, or is about to, has no segments.

        Raises:
            InputError: if a file of the build is missing or damaged.
        """
        text = self._texts.get((pair.record, pair.id))
        if text is None or text.text != pair.source:
            return ()
        translation, versions = normalize("NFC", pair.target), self._versions.get(pair.lang, {})
        parts = []
        for source in dict.fromkeys(rendered_segments(text.text, text.spans, self._memories.get(pair.lang, {}))):
            held = [one for one in versions.get(source, ()) if one and normalize("NFC", one) in translation]
            if held:
                parts.append(Part(source, held[-1]))
        return tuple(parts)

    @cached_property
    def _texts(self) -> dict[tuple[RecordKind, str], Text]:
        """The texts that were translated; none if the rows are no longer those that `translate` read."""
        last = self._workspace.finished().get(TRANSLATE)
        needs = last.needs if last else {}
        if not needs or any(self._workspace.rows_hash(stage) != rows for stage, rows in needs.items()):
            return {}
        texts = {(RecordKind.CHUNK, unit.chunk.doc_id): unit.text for unit in chunk_units(self._context, self._lang)}
        for unit in query_units(self._context, self._lang):
            texts[RecordKind.QUERY, unit.row.item_id] = unit.text
            texts[RecordKind.REFERENCE, unit.row.item_id] = unit.reference
            # Without texts of its nuggets if it is unanswerable.
            for one, text in zip(unit.row.value["nuggets"], unit.nuggets, strict=False):
                texts[RecordKind.NUGGET, one["nugget_id"]] = text
        return texts

    @cached_property
    def _versions(self) -> dict[str, dict[str, list[str]]]:
        """Language → segment → its translations, the latest last."""
        versions: dict[str, dict[str, list[str]]] = {}
        path = self._workspace.rows_file(TRANSLATE)
        for row in self._workspace.rows(TRANSLATE):
            check_row(dict(row.value), _ROW, f"{path}: row '{row.item_id}'")
            for one in row.value["segments"]:
                versions.setdefault(row.lang, {}).setdefault(one["source"], []).append(one["target"])
        for (lang, source), edits in edit_history(self._workspace.path).items():
            versions.get(lang, {}).get(source, []).extend(edit.after for edit in edits)
        return versions

    @cached_property
    def _memories(self) -> dict[str, Memory]:
        rows = edited_rows(self._context, self._workspace.rows(TRANSLATE))
        return {lang: memory_of(rows, lang) for lang in self._versions}

"""The translations of a benchmark: source and target of each text, its segments, and what becomes of edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.benchmark.translation.pairs import benchmark_pairs
from ragaliq.build.translation.edits import Edit, append_edits, latest_edits
from ragaliq.build.translation.segment import segment_text
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Change, Part, Sheet, sheet_id_of
from ragaliq.review.sources.segments import BuiltSegments
from ragaliq.review.values import ReviewTask, TranslationMark, Value
from ragaliq.types import RecordKind, TranslationPair

# Without the question, nobody knows what these are about.
_ANSWERS = (RecordKind.REFERENCE, RecordKind.NUGGET)


class Translations:
    """The texts of a benchmark's first language, each with its translation."""

    def __init__(self, folder: Path) -> None:
        """Read them.

        Raises:
            InputError: if there is one language, `bench.json` says that they are not parallel, or a file is malformed.
        """
        self._folder = folder
        found = benchmark_pairs(folder)
        self._pairs = {(pair.lang, f"{pair.record} {pair.id}"): pair for pair in found.pairs}
        self._segments = BuiltSegments(folder, found.source_lang)
        # Then an edit is one of a segment.
        self._built_here = self._segments.are_there

    def places(self) -> Iterator[Place]:
        """Yield the texts that the first language and another one both have.

        `ragaliq build` does not translate the reference of an unanswerable query: it writes one in each language.
        """
        for (lang, item), pair in self._pairs.items():
            written = self._built_here and pair.record is RecordKind.REFERENCE and not pair.gold
            if pair.source and pair.target and not written:
                yield Place("", lang, pair.query_id or pair.id, item)

    def sheet(self, place: Place) -> Sheet | None:
        """Return the sheet of a translated text; None if it is gone.

        A reference or a nugget comes with the source's question.
        """
        pair = self._pairs.get((place.lang, place.item))
        if pair is None:
            return None
        query = self._pairs.get((place.lang, f"{RecordKind.QUERY} {pair.query_id}"))
        question = query.source if query and pair.record in _ANSWERS else ""
        sheet_id = sheet_id_of(ReviewTask.TRANSLATION, place.lang, place.item, question, pair.source, pair.target)
        return Sheet(
            sheet_id, place.query_id, place.lang, question, pair.source, pair.target, (), (place,),
            self._parts(pair), str(pair.record), pair.source_lang,
        )  # fmt: skip

    def keep_edits(self, sheet: Sheet, change: Change) -> None:
        """Append the edits of a judgement to `build/edits.jsonl`; of a benchmark not translated here they stay labels.

        A segment whose earlier edit is taken back gets the translation that is on the sheet.

        Raises:
            InputError: if the file cannot be written, or a line of it is no edit.
        """
        texts = {part.name: part.text for part in sheet.parts}
        earlier, edited = _edits(change.earlier), _edits(change.value)
        wanted = {source: texts[source] for source in earlier if source in texts} | edited
        if not wanted or not self._built_here:
            return
        held = {key: edit.after for key, edit in latest_edits(self._folder).items()}
        edits = []
        for source, after in sorted(wanted.items()):
            before = held.get((sheet.lang, segment_text(source)), texts[source])
            edits.append(Edit(sheet.source_lang, sheet.lang, source, before, after, change.rater, change.at, "review"))
        append_edits(self._folder, edits)

    def _parts(self, pair: TranslationPair) -> tuple[Part, ...]:
        return self._segments.parts(pair) if self._built_here else (Part(pair.source, pair.target),)


def _edits(value: Value | None) -> dict[str, str]:
    return {edit.source: edit.after for edit in value.edits} if isinstance(value, TranslationMark) else {}

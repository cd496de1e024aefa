"""A benchmark under review: its nuggets, its judgements of support, its translations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, cached_property, partial
from pathlib import Path

from ragaliq.benchmark.layout import declared_languages, own_hash
from ragaliq.build.parity.parity_rows import kept_parity
from ragaliq.review.sampling import Place
from ragaliq.review.sheets import Change, Part, Sheet, sheet_id_of
from ragaliq.review.sources.records import LanguageRecords, read_records_of
from ragaliq.review.sources.support import judged_pairs, sampled_pairs
from ragaliq.review.sources.translations import Translations
from ragaliq.review.values import ReviewTask
from ragaliq.storage.files import read_json


class BenchmarkSource:
    """A benchmark in our own layout; nothing is read before it is needed."""

    # Labels name no run.
    only = ""

    def __init__(self, folder: Path) -> None:
        """Open it.

        Raises:
            InputError: if `bench.json` does not list languages.
        """
        self.folder = folder
        path = folder / "bench.json"
        self._langs = declared_languages(read_json(path), path)
        self.records: Callable[[str], LanguageRecords] = cache(partial(read_records_of, folder))
        # Nugget and document → whether the benchmark calls the pair supported, by language.
        self.supported: Callable[[str], Mapping[Place, bool]] = cache(self._pairs)

    def places(self, task: ReviewTask, seed: int) -> Iterator[Place]:
        """Yield what can be judged.

        `nuggets`: the answerable queries that have some. `support`: per language one random pair that the benchmark
        calls supported of each query, and as many at random that it does not. `translation`: what the first language
        and another one both have.

        Raises:
            InputError: if a file cannot be read; for `translation`, if there is nothing translated.
        """
        if task is ReviewTask.TRANSLATION:
            yield from self.translations.places()
            return
        for lang in self._langs:
            records = self.records(lang)
            if task is ReviewTask.SUPPORT:
                yield from sampled_pairs(self.supported(lang), seed)
            else:
                yield from (
                    Place("", lang, query_id)
                    for query_id, item in records.items.items()
                    if item.answerable and query_id in records.nuggets_of
                )

    def kind(self, task: ReviewTask, place: Place) -> str:
        """Return whether the benchmark calls a pair supported; other tasks have no kinds."""
        if task is not ReviewTask.SUPPORT:
            return ""
        return "supported" if self.supported(place.lang)[place] else "unsupported"

    def sheet(self, task: ReviewTask, place: Place) -> Sheet | None:
        """Return the sheet of one place; None if the benchmark has no such thing any more."""
        if place.run or place.lang not in self._langs:
            return None
        match task:
            case ReviewTask.NUGGETS:
                return self._nuggets(place)
            case ReviewTask.SUPPORT:
                return self._support(place)
            case _:
                return self.translations.sheet(place)

    def urgent(self) -> Collection[tuple[str, str]]:
        """Return the flagged items of `build/parity.jsonl`, and the chunks that answer them.

        None where `ragaliq build audit` would make its rows again.

        Raises:
            InputError: if a file is damaged.
        """
        parity = kept_parity(self.folder, own_hash(self.folder, self._langs))
        urgent: set[tuple[str, str]] = set()
        for row in parity.rows if parity else ():
            if row.flagged:
                item = self.records(row.lang).items.get(row.query_id)
                gold = () if item is None else (doc_id for group in item.gold for doc_id in group)
                urgent |= {(row.lang, name) for name in (row.query_id, *gold)}
        return urgent

    def apply(self, sheet: Sheet, change: Change) -> None:
        """Keep the edits of a translation as new versions of its segments, where the benchmark was translated here."""
        if sheet.record:
            self.translations.keep_edits(sheet, change)

    @cached_property
    def translations(self) -> Translations:
        """The texts of the first language, and those of the others.

        Raises:
            InputError: if the languages are no translations of each other.
        """
        return Translations(self.folder)

    def _pairs(self, lang: str) -> dict[Place, bool]:
        return judged_pairs(self.folder, self.records(lang))

    def _nuggets(self, place: Place) -> Sheet | None:
        records = self.records(place.lang)
        item = records.items.get(place.query_id)
        parts = tuple(Part(nugget.nugget_id, nugget.text) for nugget in records.nuggets_of.get(place.query_id, ()))
        if item is None or not parts:
            return None
        question, reference = item.query.text, item.reference
        shown = [text for part in parts for text in (part.name, part.text)]
        sheet_id = sheet_id_of(ReviewTask.NUGGETS, place.lang, place.query_id, question, reference, *shown)
        return Sheet(sheet_id, place.query_id, place.lang, question, reference, "", (), (place,), parts)

    def _support(self, place: Place) -> Sheet | None:
        records = self.records(place.lang)
        nugget_id, _, doc_id = place.item.partition(" ")
        item, nugget = records.items.get(place.query_id), records.nuggets.get(nugget_id)
        chunk = records.chunks.get(doc_id)
        if item is None or nugget is None or chunk is None:
            return None
        document = f"{chunk.title}\n\n{chunk.text}" if chunk.title else chunk.text
        shown = (item.query.text, nugget.text, document)
        sheet_id = sheet_id_of(ReviewTask.SUPPORT, place.lang, place.query_id, place.item, *shown)
        return Sheet(sheet_id, place.query_id, place.lang, shown[0], "", shown[1], (document,), (place,))

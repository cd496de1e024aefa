"""What people say of a benchmark, as other commands take it: the latest of each rater and item that still holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragaliq.review.held import held_labels
from ragaliq.review.labels import Label
from ragaliq.review.sheets import Sheet
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.values import NuggetMarks, TranslationMark
from ragaliq.types import ReviewedNuggets, ReviewedSupport, ReviewedTranslation, SupportReview


def reviewed_nuggets(folder: Path) -> list[ReviewedNuggets]:
    """Return the judgements of the nuggets of a benchmark, sorted by language, query and rater; none if there are none.

    Raises:
        InputError: if the folder is no benchmark, or a file of it or of the labels is malformed.
    """
    return [
        ReviewedNuggets(
            label.place.query_id,
            label.place.lang,
            label.rater,
            tuple(part.name for part in sheet.parts),
            label.value.hallucinated,
            label.value.redundant,
            label.value.missing,
        )
        for label, sheet in _held(BenchmarkSource(folder))
        if isinstance(label.value, NuggetMarks)
    ]


def reviewed_support(folder: Path) -> list[ReviewedSupport]:
    """Return the judgements of pairs of nugget and document, sorted; raises as `reviewed_nuggets`.

    Pairs that the benchmark no longer judges are left out: there is nothing to compare them with.
    """
    source = BenchmarkSource(folder)
    reviews = []
    for label, _ in _held(source):
        supported = source.supported(label.place.lang).get(label.place)
        if isinstance(label.value, SupportReview) and supported is not None:
            nugget_id, _, doc_id = label.place.item.partition(" ")
            place = label.place
            reviews.append(
                ReviewedSupport(place.query_id, place.lang, label.rater, nugget_id, doc_id, label.value, supported)
            )
    return reviews


def reviewed_translations(folder: Path) -> list[ReviewedTranslation]:
    """Return the judgements of translations, sorted; their id is `RECORD ID`. Raises as `reviewed_nuggets`."""
    return [
        ReviewedTranslation(label.place.item, label.place.lang, label.rater, label.value.label)
        for label, _ in _held(BenchmarkSource(folder))
        if isinstance(label.value, TranslationMark)
    ]


def _held(source: BenchmarkSource) -> Iterator[tuple[Label, Sheet]]:
    for label in held_labels(source).held:
        sheet = source.sheet(label.task, label.place)
        if sheet is not None:
            yield label, sheet

"""What people say of a benchmark, as other commands take it: the latest of each rater and item that still holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ragaliq.build.audit.combined_raters import Reviews
from ragaliq.build.audit.support_strata import PairCounts
from ragaliq.review.held import held_labels
from ragaliq.review.labels import Label
from ragaliq.review.rater_agreement import agreement_rows
from ragaliq.review.sheets import Sheet
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.values import NuggetMarks, TranslationMark
from ragaliq.types import ReviewedNuggets, ReviewedSupport, ReviewedTranslation, SupportReview


def benchmark_reviews(folder: Path) -> Reviews:
    """Return all judgements of a benchmark, sorted by task, language, query, item and rater.

    Pairs that the benchmark no longer judges do not count: there is nothing to compare them with.

    Raises:
        InputError: if the folder is no benchmark, or a file of it or of the labels is malformed.
    """
    source = BenchmarkSource(folder)
    labels = held_labels(source)
    nuggets: list[ReviewedNuggets] = []
    support: list[ReviewedSupport] = []
    translations: list[ReviewedTranslation] = []
    unknown = 0
    for label in labels.held:
        sheet = source.sheet(label.task, label.place)
        place, value = label.place, label.value
        if isinstance(value, NuggetMarks) and sheet is not None:
            nuggets.append(_nuggets(label, value, sheet))
        elif isinstance(value, TranslationMark):
            translations.append(ReviewedTranslation(place.item, place.query_id, place.lang, label.rater, value.label))
        elif isinstance(value, SupportReview):
            supported = source.supported(place.lang).get(place)
            nugget_id, _, doc_id = place.item.partition(" ")
            if supported is None:
                unknown += 1
            else:
                support.append(
                    ReviewedSupport(place.query_id, place.lang, label.rater, nugget_id, doc_id, value, supported)
                )
    agreement = agreement_rows(source, labels.held)
    pairs = _pairs(source, {one.lang for one in support})
    return Reviews(nuggets, support, translations, agreement, pairs, labels.n_stale + unknown)


def _nuggets(label: Label, value: NuggetMarks, sheet: Sheet) -> ReviewedNuggets:
    ids = tuple(part.name for part in sheet.parts)
    place = label.place
    return ReviewedNuggets(
        place.query_id, place.lang, label.rater, ids, value.hallucinated, value.redundant, value.missing
    )


def _pairs(source: BenchmarkSource, langs: Iterable[str]) -> dict[tuple[str, str], PairCounts]:
    """Return the judged pairs of each query, as they are drawn."""
    counts: dict[tuple[str, str], PairCounts] = {}
    for lang in sorted(langs):
        found = Counter((place.query_id, supported) for place, supported in source.supported(lang).items())
        for query_id, nuggets in source.records(lang).nuggets_of.items():
            counts[lang, query_id] = PairCounts(found[query_id, True], found[query_id, False], len(nuggets))
    return counts

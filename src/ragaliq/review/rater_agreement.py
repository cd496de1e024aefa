"""How far the raters of a review agree, for each thing that a task asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragaliq.metrics.agreement.double_annotation import double_annotation
from ragaliq.review.labels import Label
from ragaliq.review.sheets import ReviewSource
from ragaliq.review.values import NuggetMarks, ReviewTask, TranslationMark
from ragaliq.types import SUPPORT_ORDER, TRANSLATION_ORDER, AgreementRow, SupportReview

# What is rated, and whether its ratings have an order.
_ORDERED = {"grade": True, "lgtm": False, "hallucinated": False, "redundant": False, "missing": True, "support": True,
            "translation": True}  # fmt: skip


def agreement_rows(source: ReviewSource, labels: Sequence[Label]) -> tuple[AgreementRow, ...]:
    """Return the agreement on what at least two raters judged, by language, and over all where there are several.

    Answers that are the same word for word are judged once and count once.
    """
    units: dict[tuple[ReviewTask, str, str], dict[tuple[str, str], dict[str, int]]] = {}
    for label in labels:
        for what, part, rating in _ratings(source, label):
            by_item = units.setdefault((label.task, what, label.place.lang), {})
            by_item.setdefault((label.sheet_id, part), {})[label.rater] = rating
    rows = []
    for task, what in dict.fromkeys(key[:2] for key in units):
        langs = {key[2]: list(items.values()) for key, items in units.items() if key[:2] == (task, what)}
        if len(langs) > 1:
            langs["all"] = [unit for items in langs.values() for unit in items]
        for lang, items in langs.items():
            figures = double_annotation(items, _ORDERED[what])
            if figures.n:
                rows.append(AgreementRow(task, what, lang, figures.n, figures.n_raters, figures.exact,
                                         figures.cohen_kappa, figures.alpha, figures.ordinal_alpha))  # fmt: skip
    order = [str(task) for task in ReviewTask], list(_ORDERED)
    return tuple(sorted(rows, key=lambda row: (order[0].index(row.task), order[1].index(row.what), row.lang)))


def _ratings(source: ReviewSource, label: Label) -> Iterator[tuple[str, str, int]]:
    """Yield what is rated, which part of the item, and the rating as a whole number."""
    value = label.value
    if isinstance(value, NuggetMarks):
        sheet = source.sheet(label.task, label.place)
        for part in () if sheet is None else sheet.parts:
            yield "hallucinated", part.name, int(part.name in value.hallucinated)
            yield "redundant", part.name, int(part.name in value.redundant)
        yield "missing", "", value.missing
    elif isinstance(value, TranslationMark):
        yield "translation", "", TRANSLATION_ORDER.index(value.label)
    elif isinstance(value, SupportReview):
        yield "support", "", SUPPORT_ORDER.index(value)
    elif value is not None:
        yield str(label.task), "", int(value)

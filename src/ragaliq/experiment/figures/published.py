"""Published figures on the data set of a study, matched with ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragaliq.experiment.figures.reference_figures import (
    ReferenceRow,
    ReferenceStatistics,
    difference_to_published,
    rows_for,
    statistics_for,
)
from ragaliq.experiment.figures.study import Row, Study
from ragaliq.formats.catalogue import find

# What a source calls the text that is searched for → what our rows ask.
_ASKS = {
    "question": "question",
    "inference: sub-questions": "subquestions",
    "inference: closed-book answer": "closed-book",
    "oracle: answer": "reference",
    "oracle: nuggets": "nuggets",
}


def published_values(study: Study) -> list[tuple[ReferenceRow, float | None]]:
    """Return what was published for the measures of a study, each value with ours minus published.

    None where nothing is compared: only BM25 is the same system; other retrievers have another model each.
    """
    known = find(study.data)
    if known is None or known.lang not in study.languages:
        return []
    values = []
    for reference in rows_for(study.data):
        if reference.measure in study.measures:
            ours = _like(study, reference, known.lang)
            means = {} if ours is None else ours.means(known.lang)
            values.append((reference, difference_to_published(means, reference)))
    return values


@dataclass(frozen=True, slots=True)
class PublishedStatistics:
    """A data set's published statistics, and our counts of the same."""

    reference: ReferenceStatistics
    ours: Mapping[str, int]


def published_statistics(study: Study) -> PublishedStatistics | None:
    """Return the statistics of the data set; None where none are published, or it is not this data set.

    A folder may be called like a data set and hold another: it is this one if it has as many queries.
    """
    known, published = find(study.data), statistics_for(study.data)
    info = study.languages.get(known.lang) if known else None
    if published is None or info is None or info.n_asked != published.values["queries"]:
        return None
    return PublishedStatistics(published, {"queries": info.n_asked, "documents": info.n_docs})


def _like(study: Study, reference: ReferenceRow, lang: str) -> Row | None:
    """Return our row that does what a published one did."""
    asks = _ASKS.get(reference.setting)
    if reference.system != "BM25" or asks is None:
        return None
    return next((row for row in study.in_language(lang) if row.is_bm25 and row.asks == asks), None)

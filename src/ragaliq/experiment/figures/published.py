"""Published figures on the data set of a study, matched with ours."""

from __future__ import annotations

from dataclasses import replace

from ragaliq.experiment.figures.reference_figures import ReferenceRow, ReferenceStatistics, rows_for, statistics_for
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

    None where nothing is compared: only BM25 is the same system; other retrievers have another model each. Published
    values have three digits, so differences up to .0005 are none.
    """
    known = find(study.data)
    if known is None or known.lang not in study.languages:
        return []
    values = []
    for reference in rows_for(study.data):
        if reference.measure in study.measures:
            row = _like(study, reference, known.lang)
            ours = None if row is None else row.means(known.lang).get(reference.measure)
            values.append((reference, None if ours is None else ours - reference.value))
    return values


def published_statistics(study: Study) -> ReferenceStatistics | None:
    """Return the statistics of the data set with ours; None where none are published, or it is not this data set.

    A folder may be called like a data set and hold another: it is this one if it has as many queries.
    """
    known, published = find(study.data), statistics_for(study.data)
    info = study.languages.get(known.lang) if known else None
    if published is None or info is None or info.n_asked != published.values["queries"]:
        return None
    return replace(published, ours={"queries": info.n_asked, "documents": info.n_docs})


def _like(study: Study, reference: ReferenceRow, lang: str) -> Row | None:
    """Return our row that does what a published one did."""
    asks = _ASKS.get(reference.setting)
    if reference.system != "BM25" or asks is None:
        return None
    return next((row for row in study.in_language(lang) if row.is_bm25 and row.asks == asks), None)

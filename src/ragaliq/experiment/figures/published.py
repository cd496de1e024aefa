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
# The statistics that name it count nuggets.
_NUGGETS = "nuggets per query"
# What may differ where the data is the same: the share of documents, and nuggets per query as printed with one digit.
_DOCUMENTS, _PER_QUERY = 0.01, 0.1


def published_values(study: Study) -> list[tuple[ReferenceRow, float | None]]:
    """Return what was published for the measures of a study, each value with ours minus published.

    Nothing where the data is not the published data set (`not_compared`). None where nothing is compared: only BM25 is
    the same system; other retrievers have another model each. Published values have three digits, so differences up to
    .0005 are none.
    """
    known = find(study.data)
    if known is None or known.lang not in study.languages or not_compared(study):
        return []
    values = []
    for reference in rows_for(study.data):
        if reference.measure in study.measures:
            row = _like(study, reference, known.lang)
            ours = None if row is None else row.means(known.lang).get(reference.measure)
            values.append((reference, None if ours is None else ours - reference.value))
    return values


def not_compared(study: Study) -> str:
    """Return why published figures on a data set of this name are not of this data; empty if they are, or none exist.

    A folder may be called like a data set and hold another. It is this one if it has as many queries, as many documents
    but for a hundredth (those without text are left out of an index), and as many nuggets per query but for a tenth.
    """
    known = find(study.data)
    if known is None or known.lang not in study.languages:
        return ""
    if not any(row.measure in study.measures for row in rows_for(study.data)) and not statistics_for(study.data):
        return ""
    info = study.languages[known.lang]
    nuggets = next((table.values.get(_NUGGETS) for table in statistics_for(study.data)), None)
    published = [f"{known.queries} queries", f"{known.documents} documents"]
    ours = [f"{info.n_asked} queries", f"{info.n_docs} documents"]
    same = info.n_asked == known.queries and abs(info.n_docs - known.documents) <= _DOCUMENTS * known.documents
    if nuggets is not None:
        own = info.nuggets_per_query
        same = same and own is not None and abs(own - nuggets) <= _PER_QUERY
        published.append(f"{nuggets:g} nuggets per query")
        ours.append(f"{f'{own:.1f}' if own is not None else 'no'} nuggets per query")
    if same:
        return ""
    return f"{known.name} has {', '.join(published)}; this data has {', '.join(ours)}"


def published_statistics(study: Study) -> tuple[ReferenceStatistics, ...]:
    """Return the statistics of the data set with ours; none if none are published, or it is not this data set."""
    known = find(study.data)
    info = study.languages.get(known.lang) if known else None
    if info is None or not_compared(study):
        return ()
    counted = {"queries": info.n_asked, "documents": info.n_docs, _NUGGETS: info.nuggets_per_query}
    ours = {name: value for name, value in counted.items() if value is not None}
    return tuple(
        replace(table, ours={name: value for name, value in ours.items() if name in table.values})
        for table in statistics_for(study.data)
    )


def _like(study: Study, reference: ReferenceRow, lang: str) -> Row | None:
    """Return our row that does what a published one did."""
    asks = _ASKS.get(reference.setting)
    if reference.system != "BM25" or asks is None:
        return None
    return next((row for row in study.in_language(lang) if row.is_bm25 and row.asks == asks), None)

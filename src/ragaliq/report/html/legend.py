"""The terms of the page in its own words; what results.md shows, too, is explained as there."""

from __future__ import annotations

from ragaliq.compare.overview.systems import Overview
from ragaliq.report.markdown.tables.legend import legend_entries

# Term of the page → column of results.md.
_AS_IN_RESULTS = {
    "Score": "weighted_score",
    "Mean weight": "mean_weight",
    "Rank": "rank_ci",
    "Comes first": "selection_frequency",
    "New sample": "new_sample95",
    "Abstention F1": "abstention F1",
    "Supported": "supported",
    "Time": "s/query",
    "USD": "USD/query",
    "Points lost at": "stage",
    "Other contexts": "condition",
}
_OWN = {
    "± and intervals": "95 % over the choice of queries; reader and judge are taken as they are. They are no test: the "
    "systems answer the same queries, so ranks, which compare them query by query, may tell apart what overlaps.",
    "n": "graded answers to answerable queries.",
    "Gold": "the passages of the documents that answer a query.",
    "If first, if last": "what a stage would be charged with if it were asked before all others, or after them: the "
    "order of the stages is a choice. Known where the reader was also shown the gold.",
    "Nuggets": "the facts that a full answer holds; vital ones are indispensable.",
}


def page_legend(overview: Overview) -> list[dict[str, str]]:
    """Return the terms of the page with their meanings."""
    entries = dict(legend_entries(overview))
    meanings = {term: entries[column].replace("`", "") for term, column in _AS_IN_RESULTS.items()} | _OWN
    return [{"term": term, "meaning": meaning} for term, meaning in meanings.items()]

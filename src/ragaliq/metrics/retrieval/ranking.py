"""Evaluation of a run against judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragaliq.errors import InputError, listed
from ragaliq.metrics.retrieval.definition import Reads
from ragaliq.metrics.retrieval.ids import check_ids
from ragaliq.metrics.retrieval.judged import Judged, Lists, ScoredRun, judged_documents, lists
from ragaliq.metrics.retrieval.measures import Measure, parse_measure
from ragaliq.metrics.retrieval.nuggets import (
    Gold,
    Importances,
    NuggetSupport,
    gold_support,
    nugget_support,
    weighted,
)
from ragaliq.metrics.retrieval.ranks import Floats, Ties
from ragaliq.types import NuggetQrels, Qrels

_NEEDS = {
    Reads.QRELS: "qrels (qid 0 doc rel)",
    Reads.NUGGETS: "nugget judgements (qid nugget_id doc_id rel)",
    Reads.IMPORTANCE: "nugget judgements and the importance of each nugget",
    Reads.GOLD: "gold groups",
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The values of measures for each query that has judgements.

    Attributes:
        query_ids: the queries, by code point.
        values: canonical name of each measure → one value per query, in the order of the queries.
        n_missing: queries without a retrieved document. They count 0 and stay in every mean.
        n_extra: queries of the run that have no judgements. They are left out.
        n_without_relevant: queries whose judgements name no relevant document (no supported nugget, with nuggets). They
            count 0 and stay in every mean.
        tied_at_cut: name of each measure with a cutoff k → how many queries have documents of equal score at the ranks
            k and k + 1, so that the tie rule chose which of them counts.
    """

    query_ids: tuple[str, ...]
    values: Mapping[str, Floats]
    n_missing: int
    n_extra: int
    n_without_relevant: int
    tied_at_cut: Mapping[str, int]

    def mean(self, name: str) -> float | None:
        """Return the mean of a measure over all queries, None if there is no query."""
        values = self.values[name]
        return float(values.mean()) if len(values) else None


def evaluate_run(
    run: ScoredRun,
    qrels: Qrels | None,
    measures: Sequence[str | Measure],
    *,
    nuggets: NuggetQrels | None = None,
    importance: Importances | None = None,
    gold: Gold | None = None,
    ties: str = Ties.TREC,
) -> Evaluation:
    """Evaluate a run, query by query.

    The queries are those of the nuggets where given, else of the qrels.

    Args:
        run: query id → documents with their scores, in any order; greater is better, and infinities are scores too.
        qrels: query id → document → relevance.
        measures: what to compute, such as `nDCG@10`.
        nuggets: query id → nugget id → document → relevance, for alpha_nDCG, Coverage, StRecall and WeightedCoverage.
        importance: query id → nugget id → vital or okay, for WeightedCoverage.
        gold: query id → groups of documents, for AllGold; a query without any has the value 0.
        ties: one of `Ties`.

    Raises:
        InputError: if a measure or tie rule does not exist or lacks its judgements, an id is not a string
            (`id-mismatch`), a score is not a number, a relevance not a whole number, or a document occurs twice under a
            query.
    """
    # A name alone is a sequence of names, too: of its letters.
    names = [measures] if isinstance(measures, str) else measures
    chosen = [parse_measure(measure) if isinstance(measure, str) else measure for measure in names]
    query_ids, n_extra = _queries(run, qrels if nuggets is None else nuggets)
    if ties not in list(Ties):
        raise InputError(f"tie rule '{ties}' is unknown; {listed(Ties)}")
    retrieved = lists(run, query_ids, Ties(ties))
    weighs = any(measure.reads is Reads.IMPORTANCE for measure in chosen)
    joined = _joined(query_ids, retrieved, qrels, nuggets, importance if weighs else None, gold)
    return Evaluation(
        query_ids,
        {str(measure): _values(measure, joined) for measure in chosen},
        n_missing=int(np.count_nonzero(retrieved.scores.sizes == 0)),
        n_extra=n_extra,
        n_without_relevant=len(query_ids) - joined[Reads.QRELS if nuggets is None else Reads.NUGGETS].n_with_relevant,
        tied_at_cut={str(m): retrieved.scores.tied_at(m.cutoff) for m in chosen if m.cutoff is not None},
    )


def _queries(run: ScoredRun, judgements: Qrels | NuggetQrels | None) -> tuple[tuple[str, ...], int]:
    """Return the judged queries, by code point, and how many others the run has."""
    if judgements is None:
        raise InputError("a run is evaluated against judgements; give qrels or nuggets")
    check_ids("judged", "query", judgements)
    check_ids("retrieved", "query", run)
    return tuple(sorted(judgements)), len(run.keys() - judgements.keys())


def _joined(
    query_ids: Sequence[str],
    retrieved: Lists,
    qrels: Qrels | None,
    nuggets: NuggetQrels | None,
    importance: Importances | None,
    gold: Gold | None,
) -> dict[Reads, Judged | NuggetSupport]:
    """Return what measures read: each kind of judgements that is there, beside what its queries retrieved."""
    joined: dict[Reads, Judged | NuggetSupport] = {}
    if qrels is not None:
        asked = {query_id: qrels.get(query_id, {}) for query_id in query_ids}
        joined[Reads.QRELS] = judged_documents(asked, retrieved)
    if nuggets is not None:
        joined[Reads.NUGGETS] = support = nugget_support(query_ids, nuggets, retrieved)
        if importance is not None:
            joined[Reads.IMPORTANCE] = weighted(support, query_ids, nuggets, importance)
    if gold is not None:
        joined[Reads.GOLD] = gold_support(query_ids, gold, retrieved)
    return joined


def _values(measure: Measure, joined: Mapping[Reads, Judged | NuggetSupport]) -> Floats:
    if measure.reads not in joined:
        raise InputError(f"{measure} needs {_NEEDS[measure.reads]}, which are not given; add them or leave it out")
    return measure.definition.values(joined[measure.reads], measure.parameters)

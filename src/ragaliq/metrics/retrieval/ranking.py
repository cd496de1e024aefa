"""Evaluation of a run against judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragaliq.errors import InputError, listed
from ragaliq.metrics.retrieval.coded import QrelArrays, RunArrays, join_arrays
from ragaliq.metrics.retrieval.ids import check_ids
from ragaliq.metrics.retrieval.judged import Judged, Lists, Qrels, Run, lists, ranks_of, relevance, sort_judgements
from ragaliq.metrics.retrieval.measures import Measure, Reads, parse_measure
from ragaliq.metrics.retrieval.nuggets import (
    NUGGET_MEASURES,
    Gold,
    Importances,
    NuggetQrels,
    NuggetSupport,
    all_found,
    gold_support,
    nugget_support,
    query_qrels,
    weighted_coverage,
    weights,
)
from ragaliq.metrics.retrieval.ranks import Floats, Scores, Ties
from ragaliq.metrics.retrieval.relevance import RELEVANCE_MEASURES


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The values of measures for each query that has judgements.

    Attributes:
        query_ids: the queries, by code point (of arrays, by code).
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
    run: Run,
    qrels: Qrels | None,
    measures: Sequence[str | Measure],
    *,
    nuggets: NuggetQrels | None = None,
    importance: Importances | None = None,
    gold: Gold | None = None,
    ties: str = Ties.TREC,
) -> Evaluation:
    """Evaluate a run.

    The queries are those of the nuggets where given, else of the qrels. A greater score is better; infinities are
    scores like others.

    Args:
        run: query id → documents with their scores, in any order.
        qrels: query id → document → relevance. Where it is None or empty and nuggets are given, the relevance of a
            document is the sum of those to the nuggets: where they are 0 or 1, how many it supports.
        measures: what to compute, such as `nDCG@10`.
        nuggets: query id → nugget id → document → relevance, for alpha_nDCG, Coverage, StRecall and WeightedCoverage.
        importance: query id → nugget id → vital or okay, for WeightedCoverage.
        gold: query id → groups of documents, for AllGold; a query without any has the value 0.
        ties: one of `Ties`.

    Raises:
        InputError: if a measure or tie rule does not exist or lacks its judgements, an id is not a string
            (`id-mismatch`), a score is not a number, a relevance not a whole number, or a document stands twice under a
            query.
    """
    chosen = _parsed(measures)
    judgements = qrels if nuggets is None else nuggets
    if judgements is None:
        raise InputError("a run is evaluated against judgements; give qrels or nuggets")
    check_ids("judged", "query", judgements)
    check_ids("retrieved", "query", run)
    query_ids = tuple(sorted(judgements))
    retrieved = lists(run, query_ids, _tie_rule(ties))
    support = None if nuggets is None else nugget_support(query_ids, nuggets, retrieved)
    qrels = query_qrels(nuggets) if nuggets is not None and not qrels else qrels or {}
    wanted = importance if any(measure.reads is Reads.IMPORTANCE for measure in chosen) else None
    joined = _Joined(
        _judged({query_id: qrels.get(query_id, {}) for query_id in query_ids}, retrieved),
        support,
        None if nuggets is None or wanted is None else weights(query_ids, nuggets, wanted),
        None if gold is None else gold_support(query_ids, gold, retrieved),
    )
    return Evaluation(
        query_ids,
        {str(measure): _values(measure, joined) for measure in chosen},
        n_missing=int(np.count_nonzero(retrieved.scores.sizes == 0)),
        n_extra=len(run.keys() - judgements.keys()),
        n_without_relevant=_n_without_relevant(joined),
        tied_at_cut=_tied_at_cut(chosen, retrieved.scores),
    )


def evaluate_arrays(
    run: RunArrays, qrels: QrelArrays, measures: Sequence[str | Measure], *, ties: str = Ties.TREC
) -> Evaluation:
    """Evaluate a run in arrays, where ids are whole numbers: as `evaluate`, several times as fast.

    The ids of the queries are their codes in digits, in the order of the codes. Ties are broken by the codes of the
    documents, so that the values are those of `evaluate` if the documents are numbered in the order of their ids.

    Raises:
        InputError: as `evaluate`, and if a measure needs other judgements than qrels.
    """
    chosen = _parsed(measures)
    arrays = join_arrays(run, qrels, _tie_rule(ties))
    joined = _Joined(arrays.judged)
    return Evaluation(
        tuple(map(str, arrays.queries.tolist())),
        {str(measure): _values(measure, joined) for measure in chosen},
        n_missing=int(np.count_nonzero(arrays.scores.sizes == 0)),
        n_extra=arrays.n_extra,
        n_without_relevant=_n_without_relevant(joined),
        tied_at_cut=_tied_at_cut(chosen, arrays.scores),
    )


@dataclass(frozen=True, slots=True)
class _Joined:
    """The run joined with each kind of judgements that is given."""

    judged: Judged
    nuggets: NuggetSupport | None = None
    weights: Floats | None = None
    gold: NuggetSupport | None = None


def _parsed(measures: Sequence[str | Measure]) -> list[Measure]:
    # A name alone is a sequence of names, too: of its letters.
    names = [measures] if isinstance(measures, str) else measures
    return [parse_measure(measure) if isinstance(measure, str) else measure for measure in names]


def _values(measure: Measure, joined: _Joined) -> Floats:
    if measure.reads is Reads.QRELS:
        return RELEVANCE_MEASURES[measure.name](joined.judged, measure)
    if measure.reads is Reads.NUGGETS and joined.nuggets is not None:
        return NUGGET_MEASURES[measure.name](joined.nuggets, measure)
    if measure.reads is Reads.IMPORTANCE and joined.nuggets is not None and joined.weights is not None:
        return weighted_coverage(joined.nuggets, measure, joined.weights)
    if measure.reads is Reads.GOLD and joined.gold is not None:
        return all_found(joined.gold, measure)
    raise InputError(f"{measure} needs {_NEEDS[measure.reads]}, which are not given; add them or leave it out")


_NEEDS: Mapping[Reads, str] = {
    Reads.NUGGETS: "nugget judgements (qid nugget_id doc_id rel)",
    Reads.IMPORTANCE: "nugget judgements and the importance of each nugget",
    Reads.GOLD: "gold groups",
}


def _judged(qrels: Qrels, retrieved: Lists) -> Judged:
    query_ids = tuple(qrels)
    named = list(qrels.values())
    for docs in named:
        check_ids("judged", "doc", docs)
    query = np.repeat(np.arange(len(named)), np.fromiter(map(len, named), np.int64, len(named)))
    return sort_judgements(query, relevance(query_ids, qrels), ranks_of(named, retrieved), retrieved.scores.sizes)


def _n_without_relevant(joined: _Joined) -> int:
    if joined.nuggets is not None:
        found = joined.nuggets.fact_query[joined.nuggets.fact]
        return joined.nuggets.n_queries - len(np.unique(found))
    return len(joined.judged.retrieved) - len(np.unique(joined.judged.ideal_query))


def _tied_at_cut(chosen: Sequence[Measure], scores: Scores) -> dict[str, int]:
    return {str(measure): scores.tied_at(measure.cutoff) for measure in chosen if measure.cutoff is not None}


def _tie_rule(name: str) -> Ties:
    if name not in list(Ties):
        raise InputError(f"tie rule '{name}' is unknown; {listed(Ties)}")
    return Ties(name)

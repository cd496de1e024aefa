"""The usual scores of retrieved lists in one call: nDCG@k and Recall@k for several k, MAP and MRR."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, SupportsIndex, cast, overload

from ragaliq.errors import InputError, nearest
from ragaliq.metrics.retrieval.ids import check_ids
from ragaliq.metrics.retrieval.judged import ScoredRun
from ragaliq.metrics.retrieval.measures import Measure, Param
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.metrics.retrieval.ranks import Floats, Ties
from ragaliq.types import Qrels

_GAINS: Mapping[str, tuple[tuple[str, Param], ...]] = {"linear": (), "exponential": (("dcg", "exp-log2"),)}


class RetrievalScores(dict[str, float]):
    """Values by the names `nDCG@k`, `Recall@k`, `MAP` and `MRR`, with the gain that nDCG was computed with.

    Attributes:
        gain: `linear` or `exponential`; `repr` shows it beside the values.
    """

    def __init__(self, values: Mapping[str, float], gain: str) -> None:
        super().__init__(values)
        self.gain = gain

    def __repr__(self) -> str:
        return f"RetrievalScores({dict(self)}, gain={self.gain!r})"


@overload
def evaluate_retrieval(
    all_retrieved: ScoredRun,
    all_qrels: Qrels,
    k_values: Sequence[int] = ...,
    gain: str = ...,
    per_query: Literal[False] = ...,
    ties: str = ...,
) -> RetrievalScores: ...


@overload
def evaluate_retrieval(
    all_retrieved: ScoredRun,
    all_qrels: Qrels,
    k_values: Sequence[int] = ...,
    gain: str = ...,
    *,
    per_query: Literal[True],
    ties: str = ...,
) -> dict[str, RetrievalScores]: ...


def evaluate_retrieval(
    all_retrieved: ScoredRun,
    all_qrels: Qrels,
    k_values: Sequence[int] = (1, 5, 10, 100),
    gain: str = "linear",
    per_query: bool = False,
    ties: str = Ties.TREC,
) -> RetrievalScores | dict[str, RetrievalScores]:
    """Return `nDCG@k` and `Recall@k` for each k, `MAP` and `MRR`: means over the queries of the qrels, in 0..1.

    A query that is not among the retrieved counts 0, a retrieved one without qrels is left out. Documents are relevant
    from 1 on; those judged 0 are not, as those that nobody judged. MAP and MRR read the whole lists. If nobody judged
    any of the retrieved documents, a `UserWarning` begins with `warning[id-mismatch]`.

    Args:
        all_retrieved: query id → `[(doc id, score)]` or `{doc id: score}`. It is sorted here; a list that was not
            sorted gives a `UserWarning` that begins with `warning[unsorted-run]`.
        all_qrels: query id → doc id → relevance.
        k_values: the cutoffs.
        gain: of a document in nDCG, `linear` (the relevance, as trec_eval) or `exponential` (2^relevance - 1). They
            differ only where some relevance is above 1. The result names it: `.gain`.
        per_query: return the values of each query, by query id, in place of the means.
        ties: how equal scores are ordered, one of `ragaliq.metrics.retrieval.ranks.Ties`.

    Raises:
        InputError: if retrieved or qrels are no mapping, such as a file's name; if a cutoff is no whole number; if no
            query is judged, or retrieved and judged queries share no id; if ids are not strings on both sides; as
            `ragaliq.metrics.retrieval.ranking.evaluate_run`.
    """
    if gain not in _GAINS:
        raise InputError(f"gain '{gain}' is unknown; {nearest(gain, _GAINS)}")
    _check_kinds(all_retrieved, all_qrels, k_values)
    _check_queries(all_retrieved, all_qrels)
    names = {
        **{f"nDCG@{k}": Measure("nDCG", k, _GAINS[gain]) for k in k_values},
        **{f"Recall@{k}": Measure("R", k) for k in k_values},
        "MAP": Measure("AP"),
        "MRR": Measure("RR"),
    }
    evaluation = evaluate_run(all_retrieved, all_qrels, [*names.values(), Measure("Judged")], ties=ties)
    _warn_if_unsorted(all_retrieved)
    _warn_if_foreign(evaluation.values["Judged"], all_retrieved, all_qrels)
    columns = {name: evaluation.values[str(measure)] for name, measure in names.items()}
    if per_query:
        return {
            query_id: RetrievalScores({name: float(values[number]) for name, values in columns.items()}, gain)
            for number, query_id in enumerate(evaluation.query_ids)
        }
    return RetrievalScores({name: float(values.mean()) for name, values in columns.items()}, gain)


def _check_kinds(retrieved: object, qrels: object, k_values: object) -> None:
    for what, rows in (("retrieved", retrieved), ("qrels", qrels)):
        if not isinstance(rows, Mapping):
            raise InputError(
                f"{what} must be a dictionary by query id, not {type(rows).__name__}; "
                "read a file with ragaliq.formats first"
            )
    # A numpy integer is one, True is none.
    whole = isinstance(k_values, Iterable) and not isinstance(k_values, str | bytes)
    if not whole or any(
        isinstance(k, bool) or not isinstance(k, SupportsIndex) for k in cast(Iterable[object], k_values)
    ):
        raise InputError(f"k_values must be whole numbers such as (1, 10), not {k_values!r}; fix it")


def _check_queries(retrieved: ScoredRun, qrels: Qrels) -> None:
    if not qrels:
        raise InputError("there are no qrels; without judged queries there is nothing to average")
    check_ids("retrieved", "query", retrieved)
    check_ids("judged", "query", qrels)
    if retrieved and not retrieved.keys() & qrels.keys():
        raise InputError(
            f"wrong-split: no retrieved query is judged (retrieved: '{next(iter(retrieved))}', judged: "
            f"'{next(iter(qrels))}'); take queries and qrels of the same split"
        )


def _warn_if_foreign(share_judged: Floats, retrieved: ScoredRun, qrels: Qrels) -> None:
    if share_judged.any():
        return
    both = (query_id for query_id in qrels if qrels[query_id] and retrieved.get(query_id))
    query_id = next(both, None)
    if query_id is not None:
        text = (
            "warning[id-mismatch]: nobody judged any of the retrieved documents "
            f"(retrieved: '{next(iter(dict(retrieved[query_id])))}', judged: '{next(iter(qrels[query_id]))}'); "
            "are the doc ids written alike?"
        )
        warnings.warn(text, stacklevel=3)


def _warn_if_unsorted(retrieved: ScoredRun) -> None:
    for query_id, docs in retrieved.items():
        if isinstance(docs, Mapping):
            continue
        if any(after[1] > before[1] for before, after in pairwise(docs)):
            text = f"warning[unsorted-run]: the list of query '{query_id}' is not sorted by score; it is sorted here"
            warnings.warn(text, stacklevel=3)
            return

"""Measures of the relevance of ranked documents, for all queries at once: one value per query, each in 0..1.

A document is relevant from `measure.level` on; unjudged documents and those judged below are not. `k` is the measure's
cutoff, or the whole list without one. A query that retrieved nothing, or has no relevant document, has the value 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.judged import Judged
from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.metrics.retrieval.ranks import UNRANKED, Floats, Ints

Values = Callable[[Judged, Measure], Floats]
# Beyond it the sum of gains 2^rel - 1 could leave the range of floats.
_MAX_EXPONENT = 1000


def ndcg(judged: Judged, measure: Measure) -> Floats:
    """Discounted cumulative gain up to rank k, divided by the greatest that any ranking of all judged documents has.

    The gain of a document is its relevance (Järvelin and Kekäläinen 2002), with `dcg='exp-log2'` 2^relevance - 1
    (Burges et al. 2005), 0 where negative or unjudged, divided by log2(rank + 1). The two agree if all relevance is 0
    or 1. No relevance level changes them.

    Raises:
        InputError: if a relevance is too great for the exponential gain.
    """
    if measure.is_exponential and judged.ideal_rel.max(initial=0) > _MAX_EXPONENT:
        raise InputError(f"{measure}: relevance {judged.ideal_rel.max()} is too great for a gain of 2^rel; use nDCG")
    k = _cutoff(measure)
    n_queries = len(judged.retrieved)
    counts = np.bincount(judged.ideal_query, minlength=n_queries)
    ideal_rank = np.arange(1, len(judged.ideal_query) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
    best = _dcg(judged.ideal_query, judged.ideal_rel, ideal_rank, measure, n_queries)
    found = (judged.rel > 0) & (judged.rank <= k)
    gained = _dcg(judged.query[found], judged.rel[found], judged.rank[found], measure, n_queries)
    # Where gains differ by less than a float tells, rounding may lift the ranking above the ideal.
    return np.minimum(ratio(gained, best), 1.0)


def precision(judged: Judged, measure: Measure) -> Floats:
    """Relevant documents up to rank k, divided by k, even if fewer were retrieved."""
    return _n_found(judged, measure) / _cutoff(measure)


def recall(judged: Judged, measure: Measure) -> Floats:
    """Relevant documents up to rank k, divided by all relevant ones."""
    return ratio(_n_found(judged, measure), _n_relevant(judged, measure))


def average_precision(judged: Judged, measure: Measure) -> Floats:
    """Sum of the precisions at the ranks, up to k, of relevant documents, divided by the number of all relevant."""
    found = _found(judged, measure)
    query, rank = judged.query[found], judged.rank[found]
    counts = np.bincount(query, minlength=len(judged.retrieved))
    ordinal = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
    return ratio(summed(query, ordinal / rank, len(judged.retrieved)), _n_relevant(judged, measure))


def reciprocal_rank(judged: Judged, measure: Measure) -> Floats:
    """1 / rank of the first relevant document, 0 if there is none up to rank k."""
    found = _found(judged, measure)
    query, rank = judged.query[found], judged.rank[found]
    first = np.flatnonzero(np.diff(query, prepend=-1))
    values = np.zeros(len(judged.retrieved))
    values[query[first]] = 1 / rank[first]
    return values


def success(judged: Judged, measure: Measure) -> Floats:
    """1 if a relevant document stands at rank k or above, else 0."""
    return (_n_found(judged, measure) > 0).astype(np.float64)


def r_precision(judged: Judged, measure: Measure) -> Floats:
    """Relevant documents up to rank R, divided by R, the number of relevant documents of the query."""
    n_relevant = _n_relevant(judged, measure)
    found = (judged.rel >= measure.level) & (judged.rank <= n_relevant[judged.query])
    return ratio(np.bincount(judged.query[found], minlength=len(n_relevant)), n_relevant)


def share_judged(judged: Judged, measure: Measure) -> Floats:
    """Judged documents up to rank k, relevant or not, divided by the number of documents retrieved up to rank k."""
    return ratio(_n_judged(judged, measure), np.minimum(judged.retrieved, _cutoff(measure)))


def holes(judged: Judged, measure: Measure) -> Floats:
    """Documents up to rank k that nobody judged for the query, divided by k, even if fewer were retrieved.

    BEIR's measure of that name also takes a document for judged that was judged for some other query, which gives
    lesser values.
    """
    k = _cutoff(measure)
    return (np.minimum(judged.retrieved, k) - _n_judged(judged, measure)) / k


RELEVANCE_MEASURES: Mapping[str, Values] = MappingProxyType(
    {
        "nDCG": ndcg,
        "P": precision,
        "R": recall,
        "AP": average_precision,
        "RR": reciprocal_rank,
        "Success": success,
        "Rprec": r_precision,
        "Judged": share_judged,
        "Hole": holes,
    }
)


def _cutoff(measure: Measure) -> int:
    return UNRANKED - 1 if measure.cutoff is None else measure.cutoff


def _found(judged: Judged, measure: Measure) -> NDArray[np.bool_]:
    return (judged.rel >= measure.level) & (judged.rank <= _cutoff(measure))


def _n_found(judged: Judged, measure: Measure) -> Ints:
    return _counts(judged.query[_found(judged, measure)], judged)


def _n_relevant(judged: Judged, measure: Measure) -> Ints:
    return _counts(judged.ideal_query[judged.ideal_rel >= measure.level], judged)


def _n_judged(judged: Judged, measure: Measure) -> Ints:
    return _counts(judged.query[judged.rank <= _cutoff(measure)], judged)


def _counts(query: Ints, judged: Judged) -> Ints:
    return np.bincount(query, minlength=len(judged.retrieved))


def _dcg(query: Ints, rel: Ints, rank: Ints, measure: Measure, n_queries: int) -> Floats:
    inside = rank <= _cutoff(measure)
    gain = np.exp2(rel[inside]) - 1 if measure.is_exponential else rel[inside].astype(np.float64)
    return summed(query[inside], gain / np.log2(rank[inside] + 1), n_queries)


def summed(group: Ints, values: Floats, n_groups: int) -> Floats:
    """Return the sum of each group's values, added one by one in their order."""
    return np.bincount(group, values, n_groups).astype(np.float64)


def ratio(part: NDArray[np.number], whole: NDArray[np.number]) -> Floats:
    """Return the quotients, 0 where the whole is 0."""
    quotients: Floats = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return quotients

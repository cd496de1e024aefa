"""Measures of the relevance of ranked documents, for all queries at once: one value per query.

Values are in 0..1, those of CG, DCG and IDCG in 0..∞.
A document is relevant from the parameter `rel` on; unjudged documents and those judged below are not. `k` is the
cutoff, or the whole list without one. A query that retrieved nothing, or has no relevant document, has the value 0.
A new measure is a function here and its entry in `RELEVANCE_MEASURES`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.definition import Cutoff, Definition, Parameters
from ragaliq.metrics.retrieval.judged import Judged
from ragaliq.metrics.retrieval.ranks import Floats, Ints

# Beyond it the sum of gains 2^rel - 1 could leave the range of floats.
_MAX_EXPONENT = 1000


def ndcg(judged: Judged, at: Parameters) -> Floats:
    """Discounted cumulative gain up to rank k, divided by the greatest that any ranking of all judged documents has.

    The two kinds of gain agree if all relevance is 0 or 1 (`dcg`, `ideal_dcg`). No relevance level changes them.

    Raises:
        InputError: if a relevance is too great for the exponential gain.
    """
    # Where gains differ by less than a float tells, rounding may lift the ranking above the ideal.
    return np.minimum(ratio(dcg(judged, at), ideal_dcg(judged, at)), 1.0)


def cg(judged: Judged, at: Parameters) -> Floats:
    """Cumulative gain: sum of the relevance of the documents up to rank k, 0 where negative or unjudged."""
    inside = judged.rank <= at.depth
    return summed(judged.query[inside], np.maximum(judged.rel[inside], 0), len(judged.retrieved))


def dcg(judged: Judged, at: Parameters) -> Floats:
    """Discounted cumulative gain: sum of gain / log2(rank + 1) over the documents up to rank k.

    The gain of a document is its relevance (Järvelin and Kekäläinen 2002), with `dcg='exp-log2'` 2^relevance - 1
    (Burges et al. 2005), 0 where negative or unjudged.

    Raises:
        InputError: if a relevance is too great for the exponential gain.
    """
    _check_gain(judged, at)
    return _dcg(judged.query, np.maximum(judged.rel, 0), judged.rank, at, len(judged.retrieved))


def ideal_dcg(judged: Judged, at: Parameters) -> Floats:
    """The greatest `dcg` up to rank k that any ranking of all judged documents has; the run does not change it.

    Raises:
        InputError: if a relevance is too great for the exponential gain.
    """
    _check_gain(judged, at)
    n_queries = len(judged.retrieved)
    return _dcg(judged.ideal_query, judged.ideal_rel, ordinals(judged.ideal_query, n_queries), at, n_queries)


def precision(judged: Judged, at: Parameters) -> Floats:
    """Relevant documents up to rank k, divided by k, even if fewer were retrieved."""
    return _n_hits(judged, at) / at.depth


def recall(judged: Judged, at: Parameters) -> Floats:
    """Relevant documents up to rank k, divided by all relevant ones."""
    return ratio(_n_hits(judged, at), _n_relevant(judged, at))


def average_precision(judged: Judged, at: Parameters) -> Floats:
    """Sum of the precisions at the ranks, up to k, of relevant documents, divided by the number of all relevant."""
    hits, n_queries = _hits(judged, at), len(judged.retrieved)
    query = judged.query[hits]
    precisions = ordinals(query, n_queries) / judged.rank[hits]
    return ratio(summed(query, precisions, n_queries), _n_relevant(judged, at))


def reciprocal_rank(judged: Judged, at: Parameters) -> Floats:
    """1 / rank of the first relevant document, 0 if there is none up to rank k."""
    hits = _hits(judged, at)
    query, rank = judged.query[hits], judged.rank[hits]
    first = np.flatnonzero(np.diff(query, prepend=-1))
    values = np.zeros(len(judged.retrieved))
    values[query[first]] = 1 / rank[first]
    return values


def success(judged: Judged, at: Parameters) -> Floats:
    """1 if a relevant document stands at rank k or above, else 0."""
    return (_n_hits(judged, at) > 0).astype(np.float64)


def r_precision(judged: Judged, at: Parameters) -> Floats:
    """Relevant documents up to rank R, divided by R, the number of relevant documents of the query."""
    n_relevant = _n_relevant(judged, at)
    hits = (judged.rel >= at.rel) & (judged.rank <= n_relevant[judged.query])
    return ratio(_counts(judged.query[hits], judged), n_relevant)


def share_judged(judged: Judged, at: Parameters) -> Floats:
    """Judged documents up to rank k, relevant or not, divided by the number of documents retrieved up to rank k."""
    return ratio(_n_judged(judged, at), np.minimum(judged.retrieved, at.depth))


def holes(judged: Judged, at: Parameters) -> Floats:
    """Documents up to rank k that nobody judged for the query, divided by k, even if fewer were retrieved.

    BEIR's measure of that name also takes a document for judged that was judged for some other query, which gives
    lesser values.
    """
    return (np.minimum(judged.retrieved, at.depth) - _n_judged(judged, at)) / at.depth


RELEVANCE_MEASURES = (
    Definition(
        "nDCG",
        ndcg,
        "graded gain, discounted by rank, as a share of the best possible ranking's",
        takes=("dcg",),
        cutoff=Cutoff.OPTIONAL,
    ),
    Definition("CG", cg, "sum of the graded gains of the first k places", takes=(), cutoff=Cutoff.OPTIONAL),
    Definition("DCG", dcg, "sum of the graded gains, discounted by rank", takes=("dcg",), cutoff=Cutoff.OPTIONAL),
    Definition(
        "IDCG",
        ideal_dcg,
        "DCG of the best possible ranking, whatever was retrieved",
        takes=("dcg",),
        cutoff=Cutoff.OPTIONAL,
    ),
    Definition("P", precision, "share of the first k places that hold a relevant document"),
    Definition("R", recall, "share of the relevant documents that stand in the first k places"),
    Definition(
        "AP",
        average_precision,
        "mean, over relevant documents, of the precision at their ranks",
        cutoff=Cutoff.OPTIONAL,
    ),
    Definition("RR", reciprocal_rank, "1 / rank of the first relevant document", cutoff=Cutoff.OPTIONAL),
    Definition("Success", success, "whether the first k places hold a relevant document"),
    Definition("Rprec", r_precision, "precision at as many places as there are relevant documents", cutoff=Cutoff.NONE),
    Definition(
        "Judged",
        share_judged,
        "share of the documents in the first k places that somebody judged",
        takes=(),
        cutoff=Cutoff.OPTIONAL,
    ),
    Definition("Hole", holes, "unjudged documents in the first k places, divided by k", takes=()),
)


def _hits(judged: Judged, at: Parameters) -> NDArray[np.bool_]:
    """Tell which documents are relevant and are at rank k or above."""
    return (judged.rel >= at.rel) & (judged.rank <= at.depth)


def _n_hits(judged: Judged, at: Parameters) -> Ints:
    return _counts(judged.query[_hits(judged, at)], judged)


def _n_relevant(judged: Judged, at: Parameters) -> Ints:
    return _counts(judged.ideal_query[judged.ideal_rel >= at.rel], judged)


def _n_judged(judged: Judged, at: Parameters) -> Ints:
    return _counts(judged.query[judged.rank <= at.depth], judged)


def _counts(query: Ints, judged: Judged) -> Ints:
    return np.bincount(query, minlength=len(judged.retrieved))


def _check_gain(judged: Judged, at: Parameters) -> None:
    if at.dcg == "exp-log2" and judged.ideal_rel.max(initial=0) > _MAX_EXPONENT:
        raise InputError(
            f"dcg='exp-log2': relevance {judged.ideal_rel.max()} is too great for a gain of 2^rel; leave it out"
        )


def _dcg(query: Ints, rel: Ints, rank: Ints, at: Parameters, n_queries: int) -> Floats:
    inside = rank <= at.depth
    gain = np.exp2(rel[inside]) - 1 if at.dcg == "exp-log2" else rel[inside].astype(np.float64)
    return summed(query[inside], gain / np.log2(rank[inside] + 1), n_queries)


def ordinals(group: Ints, n_groups: int) -> Ints:
    """Return the place of each entry within its group, from 1; the groups follow one another."""
    counts = np.bincount(group, minlength=n_groups)
    return np.arange(1, len(group) + 1) - np.repeat(np.cumsum(counts) - counts, counts)


def summed(group: Ints, values: Floats, n_groups: int) -> Floats:
    """Return the sum of each group's values, added one by one in their order."""
    return np.bincount(group, values, n_groups).astype(np.float64)


def ratio(part: NDArray[np.number], whole: NDArray[np.number]) -> Floats:
    """Return the quotients, 0 where the whole is 0."""
    quotients: Floats = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return quotients

"""Measures of the facts (nuggets, subtopics) that ranked documents support: one value per query.

A document supports a nugget if its relevance to it is the parameter `rel` or more. `k` is the cutoff, or the whole list
without one. A query that retrieved nothing, or has nothing to find, has the value 0. A new measure is a function here
and its entry in `NUGGET_MEASURES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.definition import Cutoff, Definition, Parameters, Reads
from ragaliq.metrics.retrieval.ids import check_ids
from ragaliq.metrics.retrieval.judged import NO_RELEVANCE, Lists, is_whole, ranks_of
from ragaliq.metrics.retrieval.ranks import Floats, Ints
from ragaliq.metrics.retrieval.relevance import ordinals, ratio, summed
from ragaliq.types import Importance, NuggetQrels

Importances = Mapping[str, Mapping[str, Importance]]
# Query id → groups of documents: every group is needed, any member of a group will do.
Gold = Mapping[str, Sequence[Sequence[str]]]
_IMPORTANCE_WEIGHTS = {Importance.VITAL: 1.0, Importance.OKAY: 0.5}


@dataclass(frozen=True, slots=True)
class NuggetSupport:
    """Which documents support which facts; queries, facts and documents are numbered from 0, query after query.

    Attributes:
        n_queries: how many queries there are.
        fact_query: number of each fact's query.
        fact_weight: how much each fact counts.
        doc_query: number of each document's query; a query's documents fall by id.
        doc_rank: each document's rank in the run, from 1; `UNRANKED` if not retrieved.
        fact: of each pair of a fact and a document with a relevance above 0, the fact.
        doc: the document of each pair, rising, and of one document's pairs, facts rise.
        rel: the relevance of each pair.
    """

    n_queries: int
    fact_query: Ints
    fact_weight: Floats
    doc_query: Ints
    doc_rank: Ints
    fact: Ints
    doc: Ints
    rel: Ints

    @property
    def n_with_relevant(self) -> int:
        """How many queries have a fact that a document supports."""
        return len(np.unique(self.fact_query[self.fact]))

    def supports(self, at: Parameters) -> NDArray[np.bool_]:
        """Tell which pairs are of a relevance that counts."""
        return self.rel >= at.rel

    def retrieved(self, at: Parameters) -> NDArray[np.bool_]:
        """Tell which of these pairs have their document at rank k or above."""
        return self.supports(at) & (self.doc_rank[self.doc] <= at.depth)

    def any_of(self, pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which facts have one of these pairs."""
        return np.bincount(self.fact[pairs], minlength=len(self.fact_query)) > 0


def alpha_ndcg(support: NuggetSupport, at: Parameters) -> Floats:
    """Gain of the nuggets in the ranking, divided by that of a greedy ideal ranking (Clarke et al. 2008).

    A document at rank r gains (1 - alpha)^n / log2(r + 1) for each nugget that it supports, n being the number of
    documents above it that support the nugget too. The ideal takes, from the judged documents, the one that gains most
    at each rank, of equal ones that with the greatest id, as ndeval. Greedy is not always best, so that a value may lie
    a little above 1.
    """
    pairs = np.flatnonzero(support.retrieved(at))
    fact, rank = support.fact[pairs], support.doc_rank[support.doc[pairs]]
    order = np.lexsort((rank, fact))
    fact, rank = fact[order], rank[order]
    seen = ordinals(fact, len(support.fact_query)) - 1
    gain: Floats = np.power(1 - at.alpha, seen) / np.log2(rank + 1)
    return ratio(summed(support.fact_query[fact], gain, support.n_queries), _greedy_ideal(support, at))


def coverage(support: NuggetSupport, at: Parameters) -> Floats:
    """Weight of the nuggets that a document up to rank k supports, divided by the weight of all nuggets of the query.

    Nuggets that no document supports count too (FreshStack, arXiv 2504.13128, whose equation 1 means the union). In
    `Coverage` all weigh the same, in `WeightedCoverage` a vital nugget weighs 1, an okay one .5.
    """
    return _covered(support, at, support.fact_weight)


def subtopic_recall(support: NuggetSupport, at: Parameters) -> Floats:
    """Nuggets that a document up to rank k supports, divided by those that any judged document supports (ndeval)."""
    return _covered(support, at, support.any_of(support.supports(at)).astype(np.float64))


def all_gold(support: NuggetSupport, at: Parameters) -> Floats:
    """1 if every gold group has a member at rank k or above, else 0; 0 for a query without gold."""
    return np.floor(coverage(support, at))


NUGGET_MEASURES = (
    Definition(
        "alpha_nDCG",
        alpha_ndcg,
        "diversity: nuggets by rank, repeated ones counting less, as a share of the ideal's",
        takes=("alpha", "rel"),
        cutoff=Cutoff.OPTIONAL,
        reads=Reads.NUGGETS,
    ),
    Definition(
        "Coverage",
        coverage,
        "grounding: share of the query's nuggets that the first k places support",
        reads=Reads.NUGGETS,
    ),
    Definition(
        "StRecall",
        subtopic_recall,
        "share of the nuggets with any supporting document that the first k places support",
        reads=Reads.NUGGETS,
    ),
    Definition(
        "WeightedCoverage",
        coverage,
        "share of the nuggets that the first k places support; vital ones count 1, okay ones .5",
        reads=Reads.IMPORTANCE,
    ),
    Definition(
        "AllGold", all_gold, "whether the first k places hold a member of every gold group", takes=(), reads=Reads.GOLD
    ),
)


def nugget_support(query_ids: Sequence[str], nuggets: NuggetQrels, retrieved: Lists) -> NuggetSupport:
    """Join nuggets with the run; the nuggets of a query are numbered by id.

    Raises:
        InputError: if a doc id is not a string, or a relevance not a whole number; the message names query and nugget.
    """
    for query_id in query_ids:
        for name, docs in nuggets[query_id].items():
            check_ids("judged", "doc", docs)
            for doc, rel in docs.items():
                if not is_whole(rel):
                    place = f"query '{query_id}', nugget '{name}', document '{doc}'"
                    raise InputError(f"{place}: relevance {rel!r} is {NO_RELEVANCE}")
    return _support(
        [[nuggets[query_id][name] for name in sorted(nuggets[query_id])] for query_id in query_ids], retrieved
    )


def gold_support(query_ids: Sequence[str], gold: Gold, retrieved: Lists) -> NuggetSupport:
    """Join gold groups with the run: each group is a fact that its members support.

    Raises:
        InputError: if a group is no list of strings; the message names the query.
    """
    for query_id in query_ids:
        for group in gold.get(query_id, ()):
            if isinstance(group, str):
                raise InputError(f"gold of query '{query_id}': '{group}' is no group; write a list of doc ids")
            check_ids("gold", "doc", group)
    return _support(
        [[dict.fromkeys(group, 1) for group in gold.get(query_id, ())] for query_id in query_ids], retrieved
    )


def weighted(
    support: NuggetSupport, query_ids: Sequence[str], nuggets: NuggetQrels, importance: Importances
) -> NuggetSupport:
    """Return the support with each nugget weighing what its importance says.

    Raises:
        InputError: naming a nugget whose importance is neither vital nor okay.
    """
    weights = []
    for query_id in query_ids:
        known = importance.get(query_id, {})
        for name in sorted(nuggets[query_id]):
            if known.get(name) not in _IMPORTANCE_WEIGHTS:
                raise InputError(f"nugget '{name}' of query '{query_id}' has no importance; say vital or okay")
            weights.append(_IMPORTANCE_WEIGHTS[known[name]])
    return replace(support, fact_weight=np.array(weights, dtype=np.float64))


def _support(facts: Sequence[Sequence[Mapping[str, int]]], retrieved: Lists) -> NuggetSupport:
    names = [sorted({doc for docs in entry for doc in docs}, reverse=True) for entry in facts]
    fact_query: list[int] = []
    pairs: list[tuple[int, int, int]] = []
    n_docs = 0
    for query, (entry, docs) in enumerate(zip(facts, names, strict=True)):
        number = dict(zip(docs, range(n_docs, n_docs + len(docs)), strict=True))
        for supported in entry:
            pairs += [(number[doc], len(fact_query), rel) for doc, rel in supported.items() if rel > 0]
            fact_query.append(query)
        n_docs += len(docs)
    table = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 3)
    sizes = np.fromiter(map(len, names), np.int64, len(names))
    return NuggetSupport(
        n_queries=len(facts),
        fact_query=np.array(fact_query, dtype=np.int64),
        fact_weight=np.ones(len(fact_query)),
        doc_query=np.repeat(np.arange(len(facts)), sizes),
        doc_rank=ranks_of(names, retrieved),
        fact=table[:, 1],
        doc=table[:, 0],
        rel=table[:, 2],
    )


def _covered(support: NuggetSupport, at: Parameters, weight: Floats) -> Floats:
    covered = support.any_of(support.retrieved(at))
    gained = summed(support.fact_query, weight * covered, support.n_queries)
    return ratio(gained, summed(support.fact_query, weight, support.n_queries))


def _greedy_ideal(support: NuggetSupport, at: Parameters) -> Floats:
    """Return the gain of the ideal ranking of every query, all queries taking their next document at once."""
    total = np.zeros(support.n_queries)
    pairs = support.supports(at)
    fact, (docs, doc) = support.fact[pairs], np.unique(support.doc[pairs], return_inverse=True)
    if not len(docs):
        return total
    starts = np.flatnonzero(np.diff(support.doc_query[docs], prepend=-1))
    sizes = np.diff(starts, append=len(docs))
    query = support.doc_query[docs[starts]]
    value = np.ones(len(support.fact_query))
    taken = np.zeros(len(docs), dtype=np.bool_)
    for rank in range(1, int(min(at.cutoff or sizes.max(), sizes.max())) + 1):
        gain = np.where(taken, -1.0, np.bincount(doc, value[fact], len(docs)))
        best = np.maximum.reduceat(gain, starts)
        candidates = np.flatnonzero(gain == np.repeat(best, sizes))
        # The first of a query's candidates has the greatest id.
        chosen = candidates[np.searchsorted(candidates, starts)]
        total[query] += np.maximum(best, 0.0) / np.log2(rank + 1)
        taken[chosen] = True
        is_chosen = np.zeros(len(docs), dtype=np.bool_)
        is_chosen[chosen] = True
        value[fact[is_chosen[doc]]] *= 1 - at.alpha
    return total

"""A run beside the judgements of its queries: at which rank each judged document stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.ids import check_ids
from ragaliq.metrics.retrieval.ranks import (
    UNRANKED,
    Floats,
    Ints,
    ScorePlaces,
    Scores,
    Ties,
    comparable_scores,
    falling,
    ordered,
    score_places,
)
from ragaliq.types import Qrels

# The documents of one query with their scores, in any order.
Retrieved = Mapping[str, float] | Sequence[tuple[str, float]]
ScoredRun = Mapping[str, Retrieved]
NO_RELEVANCE = "no whole number, or 2^53 or more; fix it"


@dataclass(frozen=True, slots=True)
class Judged:
    """Retrieved documents that somebody judged, and what there is to find; queries are numbered from 0.

    Attributes:
        query: number of each document's query, rising.
        rank: each document's rank in the run, from 1, rising within each query.
        rel: each document's relevance.
        retrieved: how many documents each query retrieved; a query without any counts in every mean.
        ideal_query: number of the query of each document with a relevance above 0, retrieved or not, rising.
        ideal_rel: the relevance of these documents, falling within each query.
    """

    query: Ints
    rank: Ints
    rel: Ints
    retrieved: Ints
    ideal_query: Ints
    ideal_rel: Ints

    @property
    def n_with_relevant(self) -> int:
        """How many queries have a document with a relevance above 0."""
        return len(np.unique(self.ideal_query))


@dataclass(frozen=True, slots=True)
class Lists:
    """What the queries of some judgements retrieved; a query that is not in the run retrieved nothing.

    Attributes:
        docs: of each query, its documents.
        unsorted: their scores, query after query, as they are compared.
        scores: the same in order.
        ties: how documents of equal score are ordered.
    """

    docs: Sequence[Mapping[str, float]]
    unsorted: Floats
    scores: Scores
    ties: Ties


def lists(run: ScoredRun, query_ids: Sequence[str], ties: Ties) -> Lists:
    """Return what these queries retrieved.

    Raises:
        InputError: naming query and document, if a score is not a number, a document occurs twice under a query, or
            doc ids are not strings (`id-mismatch`).
    """
    docs = [_by_doc(query_id, run.get(query_id, ())) for query_id in query_ids]
    sizes = np.fromiter(map(len, docs), np.int64, len(docs))
    scores = _numbers([entry.values() for entry in docs], int(sizes.sum()))
    if scores is None or np.isnan(scores).any():
        query_id, doc, score = next(row for row in _rows(query_ids, docs) if np.isnan(_number(row[2])))
        raise InputError(f"query '{query_id}', document '{doc}': score {score!r} is no number; fix the retriever")
    scores = comparable_scores(scores, ties)
    return Lists(docs, scores, ordered(scores, sizes), ties)


def ranks_of(named: Sequence[Collection[str]], retrieved: Lists) -> Ints:
    """Return the ranks of the documents that judgements name, query after query; `UNRANKED` if not retrieved.

    Other documents are looked at only where a tie with a named one is to be broken.
    """
    counts = np.fromiter(map(len, named), np.int64, len(named))
    score = np.fromiter(
        chain.from_iterable(
            map(docs.get, names, repeat(np.nan)) for docs, names in zip(retrieved.docs, named, strict=True)
        ),
        np.float64,
        int(counts.sum()),
    )
    rows = np.flatnonzero(~np.isnan(score))
    number = np.repeat(np.arange(len(named)), counts)[rows]
    where = score_places(retrieved.scores, number, comparable_scores(score[rows], retrieved.ties))
    rank = np.full(len(score), UNRANKED)
    rank[rows] = where.first
    column = rows - (np.cumsum(counts) - counts)[number]
    tied = np.flatnonzero(where.tied > 1)
    tied = tied[np.lexsort((where.first[tied], number[tied]))]
    shared = ScorePlaces(where.first[tied], where.tied[tied])
    rank[rows[tied]] = list(_ranks_of_tied(number[tied], column[tied], shared, named, retrieved))
    return rank


def judged_documents(qrels: Qrels, retrieved: Lists) -> Judged:
    """Join qrels with what their queries retrieved; both have the queries in the same order.

    Raises:
        InputError: naming query and document, if a doc id is not a string or a relevance not a whole number.
    """
    named = list(qrels.values())
    for docs in named:
        check_ids("judged", "doc", docs)
    query = np.repeat(np.arange(len(named)), np.fromiter(map(len, named), np.int64, len(named)))
    rel, rank = _relevance(qrels), ranks_of(named, retrieved)
    ranked = np.flatnonzero(rank < UNRANKED)
    ranked = ranked[np.lexsort((rank[ranked], query[ranked]))]
    positive = np.flatnonzero(rel > 0)
    ideal = positive[np.lexsort((-rel[positive], query[positive]))]
    sizes = retrieved.scores.sizes
    return Judged(query[ranked], rank[ranked], rel[ranked], sizes, query[ideal], rel[ideal])


def _relevance(qrels: Qrels) -> Ints:
    """Return the relevance of all judged documents, query after query."""
    values = _numbers([docs.values() for docs in qrels.values()], sum(map(len, qrels.values())))
    if values is None or not _are_whole(values):
        rows = _rows(list(qrels), list(qrels.values()))
        query_id, doc, rel = next(row for row in rows if not _are_whole(_number(row[2])))
        raise InputError(f"query '{query_id}', document '{doc}': relevance {rel!r} is {NO_RELEVANCE}")
    return values.astype(np.int64)


def _by_doc(query_id: str, retrieved: Retrieved) -> Mapping[str, float]:
    try:
        docs = retrieved if isinstance(retrieved, Mapping) else dict(retrieved)
    except (TypeError, ValueError):
        raise InputError(
            f"query '{query_id}': documents stand with their scores, as {{doc_id: score}} or [(doc_id, score)]"
        ) from None
    check_ids("retrieved", "doc", docs)
    if len(docs) < len(retrieved):
        names = [pair[0] for pair in retrieved]
        double = next(doc for place, doc in enumerate(names) if doc in names[:place])
        raise InputError(f"query '{query_id}': document '{double}' occurs twice; keep one of them")
    return docs


def _numbers(values: Sequence[Collection[float]], total: int) -> Floats | None:
    """Return all values one after the other, None if one is no number."""
    try:
        return np.fromiter(chain.from_iterable(values), np.float64, total)
    except (TypeError, ValueError, OverflowError):
        return None


def _number(value: float) -> float:
    """Return a value, NaN for what is no number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def is_whole(value: object) -> bool:
    """Return whether a value is a relevance: a whole number of less than 2^53, with either sign."""
    if isinstance(value, int):
        return abs(value) < 2**53
    return isinstance(value, (float, np.integer, np.floating)) and _are_whole(float(value))


def _are_whole(values: Floats | float) -> bool:
    # Beyond 2^53 floats cannot tell whole numbers apart.
    return bool(np.all((np.rint(values) == values) & (np.abs(values) < 2**53)))


def _rows(query_ids: Sequence[str], docs: Sequence[Mapping[str, float]]) -> Iterator[tuple[str, str, float]]:
    for query_id, entry in zip(query_ids, docs, strict=True):
        for doc, value in entry.items():
            yield query_id, doc, value


def _ranks_of_tied(
    query: Ints, column: Ints, where: ScorePlaces, named: Sequence[Collection[str]], retrieved: Lists
) -> Iterator[int]:
    """Yield the ranks of named documents whose score others have too, by the tie rule.

    They come sorted by query and score; `column` is the place of each among the names of its query.
    """
    if not len(query):
        return
    order = falling(retrieved.unsorted, retrieved.scores.sizes)
    begins = (retrieved.scores.ends - retrieved.scores.sizes)[query] + where.first - 1
    rows = (query, column, where.first, begins, begins + where.tied)
    last = last_begin = -1
    for number, place, first, begin, end in zip(*(values.tolist() for values in rows), strict=True):
        if number != last:
            last, docs, names = number, list(retrieved.docs[number]), list(named[number])
        if begin != last_begin:
            last_begin, group = begin, order[begin:end].tolist()
            if retrieved.ties is Ties.ORDER:
                group = [docs[at] for at in sorted(group)]
            else:
                group = sorted([docs[at] for at in group], reverse=retrieved.ties is not Ties.ASCENDING)
        yield first + group.index(names[place])

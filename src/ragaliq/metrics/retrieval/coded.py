"""A run and its judgements as arrays of whole numbers in place of ids: no string is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.judged import Judged, sort_judgements
from ragaliq.metrics.retrieval.ranks import UNRANKED, Ints, Scores, Ties, comparable_scores, ordered, score_ranks


@dataclass(frozen=True, slots=True)
class RunArrays:
    """One row per retrieved document, in any order.

    Attributes:
        query: code of the row's query.
        doc: code of the row's document. Ties are broken by the codes, so number documents in the order of their ids.
        score: the greater the better.
    """

    query: NDArray[np.integer]
    doc: NDArray[np.integer]
    score: NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class QrelArrays:
    """One row per judged document, in any order, with the codes of the run."""

    query: NDArray[np.integer]
    doc: NDArray[np.integer]
    rel: NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class JudgedArrays:
    """Judgements joined with a run.

    Attributes:
        judged: the judgements, queries numbered in the order of their codes.
        scores: the scores of these queries.
        queries: the code of each.
        n_extra: how many queries of the run nobody judged.
    """

    judged: Judged
    scores: Scores
    queries: Ints
    n_extra: int


def join_arrays(run: RunArrays, qrels: QrelArrays, ties: Ties) -> JudgedArrays:
    """Join a run with its judgements.

    Raises:
        InputError: naming the codes, if a score is not a number, or a document stands twice under a query; if columns
            are not of one length, or codes and relevance not of a type of whole numbers.
    """
    _check_columns("run", {"query": run.query, "doc": run.doc}, run.score)
    _check_columns("qrels", {"query": qrels.query, "doc": qrels.doc, "rel": qrels.rel}, qrels.rel)
    score = run.score.astype(np.float64)
    if np.isnan(score).any():
        row = int(np.isnan(score).argmax())
        raise InputError(f"query {run.query[row]}, document {run.doc[row]}: the score is no number; mend the retriever")
    queries, judged_query = np.unique(qrels.query.astype(np.int64), return_inverse=True)
    rows, query, n_extra = _of_known_queries(run.query.astype(np.int64), queries)
    sizes = np.bincount(query, minlength=len(queries))
    given, doc = comparable_scores(score[rows], ties), run.doc[rows].astype(np.int64)
    doc, judged_doc = _from_zero(doc, qrels.doc.astype(np.int64), len(queries))
    span = int(max(doc.max(initial=0), judged_doc.max(initial=0))) + 1
    pair, judged_pair = query * span + doc, judged_query * span + judged_doc
    by_doc = _order(pair, "run", run, rows)
    _order(judged_pair, "qrels", qrels, np.arange(len(judged_pair)))
    rank = np.empty(len(given), dtype=np.int64)
    if ties is Ties.ORDER:
        rank[:] = score_ranks(given, sizes, last_first=False)
    else:
        rank[by_doc] = score_ranks(given[by_doc], sizes, last_first=ties.greater_first)
    judged_rank = _looked_up(judged_pair, pair[by_doc], rank[by_doc])
    judged = sort_judgements(judged_query, qrels.rel.astype(np.int64), judged_rank, sizes)
    return JudgedArrays(judged, ordered(given, sizes), queries, n_extra)


def _check_columns(name: str, whole: Mapping[str, NDArray[np.integer]], last: NDArray[np.generic]) -> None:
    """Refuse what numpy would cut to whole numbers or stretch to one length in silence."""
    shapes = [column.shape for column in (*whole.values(), last)]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1:
        raise InputError(f"{name}: columns of shapes {shapes}; give one value for each row")
    for title, column in whole.items():
        if column.dtype.kind not in "iub" and len(column):
            raise InputError(f"{name}: {title} is of type {column.dtype}; give whole numbers, as .astype(int)")


def _of_known_queries(query: Ints, known: Ints) -> tuple[Ints, Ints, int]:
    """Return the rows of known queries, query after query, with the queries' numbers, and how many others there are."""
    rows = np.argsort(query, kind="stable")
    query = query[rows]
    starts = np.flatnonzero(np.diff(query, prepend=query[:1] - 1))
    codes, sizes = query[starts], np.diff(starts, append=len(query))
    if not len(known):
        return rows[:0], query[:0], len(codes)
    number = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    is_known = known[number] == codes
    return rows[np.repeat(is_known, sizes)], np.repeat(number[is_known], sizes[is_known]), int((~is_known).sum())


def _from_zero(doc: Ints, judged_doc: Ints, n_queries: int) -> tuple[Ints, Ints]:
    """Return the codes of documents in the same order, but small enough to be joined with a query's number."""
    both = np.concatenate((doc, judged_doc))
    low, high = int(both.min(initial=0)), int(both.max(initial=0))
    is_small = (high - low + 1) * n_queries < UNRANKED
    both = both - low if is_small else np.unique(both, return_inverse=True)[1]
    return both[: len(doc)], both[len(doc) :]


def _order(pair: Ints, name: str, arrays: RunArrays | QrelArrays, rows: Ints) -> Ints:
    order = np.argsort(pair, kind="stable")
    double = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if len(double):
        row = rows[order[double[0]]]
        raise InputError(
            f"{name}: document {arrays.doc[row]} stands twice under query {arrays.query[row]}; keep one of them"
        )
    return order


def _looked_up(sought: Ints, pairs: Ints, rank: Ints) -> Ints:
    """Return the ranks of the pairs sought among rising ones."""
    found = np.full(len(sought), UNRANKED)
    if len(pairs):
        place = np.minimum(np.searchsorted(pairs, sought), len(pairs) - 1)
        hit = pairs[place] == sought
        found[hit] = rank[place[hit]]
    return found

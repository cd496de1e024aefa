"""The order of scores within each query, for all queries at once and in linear memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
# The rank of a document that was not retrieved.
UNRANKED = np.iinfo(np.int64).max


class Ties(StrEnum):
    """How documents of equal score are ordered.

    `TREC`: greater doc id first (by code point, which is also the order of the UTF-8 bytes), as trec_eval. `ASCENDING`:
    lesser doc id first, as ndeval's wrapper and FreshStack. `ORDER`: as given, as ranx and BEIR's own measures.
    `FLOAT32`: as `TREC`, and scores are equal if they are in single precision, as in trec_eval 9 and pytrec_eval.
    """

    TREC = "trec"
    ASCENDING = "ascending"
    ORDER = "order"
    FLOAT32 = "float32"


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all queries, rising within each query; infinities are scores like others, NaN is none.

    Attributes:
        rising: the scores.
        sizes: how many scores each query has; 0 for one that retrieved nothing.
        ends: where each query's scores end.
    """

    rising: Floats
    sizes: Ints
    ends: Ints

    def tied_at(self, cutoff: int) -> int:
        """Count the queries whose documents at the ranks `cutoff` and `cutoff` + 1 have the same score."""
        inside = self.ends[self.sizes > cutoff] - cutoff
        return int(np.count_nonzero(self.rising[inside] == self.rising[inside - 1]))


@dataclass(frozen=True, slots=True)
class ScorePlaces:
    """Where documents stand, by score alone.

    Attributes:
        first: the best rank, from 1, that the document's score allows.
        tied: how many documents of the query, itself among them, have that score.
    """

    first: Ints
    tied: Ints


def comparable_scores(scores: Floats, ties: Ties) -> Floats:
    """Return the scores as they are compared."""
    if ties is not Ties.FLOAT32:
        return scores
    # Beyond single precision they are infinite, as in C.
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)


def ordered(scores: Floats, sizes: Ints) -> Scores:
    """Return scores, given query after query, in order; only the scores are sorted, which is the fastest."""
    ends = np.cumsum(sizes)
    rising = np.empty_like(scores)
    for places in _rows(sizes, ends):
        rising[places] = np.sort(scores[places], axis=1)
    return Scores(rising, sizes, ends)


def score_places(scores: Scores, query: Ints, score: Floats) -> ScorePlaces:
    """Return where documents stand by the number of their query and their score, which must occur there."""
    ends = scores.ends[query]
    starts = ends - scores.sizes[query]
    above = _bound(scores.rising, starts, ends, score, np.less_equal)
    tied = np.ones(len(above), dtype=np.int64)
    more = np.flatnonzero((above - 1 > starts) & (scores.rising[above - 2] == score))
    tied[more] = above[more] - _bound(scores.rising, starts[more], above[more], score[more], np.less)
    return ScorePlaces(ends - above + 1, tied)


def falling(scores: Floats, sizes: Ints) -> Ints:
    """Return the places of the scores within their query, from 0, by falling score; equal scores in any order."""
    order = np.empty(len(scores), dtype=np.int64)
    for places in _rows(sizes, np.cumsum(sizes)):
        order[places] = np.argsort(-scores[places], axis=1)
    return order


def _rows(sizes: Ints, ends: Ints) -> Iterator[Ints]:
    """Yield matrices of places, a query a row: queries with equally many scores together, so that nothing is padded."""
    by_size = np.argsort(sizes, kind="stable")
    for group in np.split(by_size, np.flatnonzero(np.diff(sizes[by_size])) + 1):
        if len(group) and sizes[group[0]]:
            size = sizes[group[0]]
            yield (ends[group] - size)[:, None] + np.arange(size)


def _bound(rising: Floats, low: Ints, high: Ints, score: Floats, lies_below: np.ufunc) -> Ints:
    """Return, for each score, the first place from `low` on that does not lie below it, or else `high`.

    One binary search in all queries at once.
    """
    while True:
        unsure = low < high
        if not unsure.any():
            return low
        middle = np.where(unsure, (low + high) // 2, 0)
        below = lies_below(rising[middle], score)
        low, high = np.where(unsure & below, middle + 1, low), np.where(unsure & ~below, middle, high)

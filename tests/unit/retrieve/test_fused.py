"""Several channels as one: weights, a scorer of what the channels find, other channels for foreign queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve import TopDocs
from ragaliq.retrieve.fused import SCORED, FusedChannel, Mixture, Weighted
from ragaliq.retrieve.fusion import Fusion
from ragaliq.retrieve.ranking import top_docs
from ragaliq.types import Query

HOME, FOREIGN = Query("q1", "de", "Boot"), Query("q2", "de", "boat", asked_in="en")


class Fixed:
    """A channel and scorer with one score for each document."""

    def __init__(self, *scores: float) -> None:
        self.scores = np.array(scores)
        self.prepared: list[str] = []
        self.candidates: list[list[int]] = []

    def prepare(self, queries: Sequence[Query]) -> None:
        self.prepared += [query.query_id for query in queries]

    def search(self, queries: Sequence[Query], k: int) -> list[TopDocs]:
        return [top_docs(np.arange(len(self.scores)), self.scores, k) for _ in queries]

    def score(self, queries: Sequence[Query], candidates: Sequence[NDArray[np.int32]]) -> list[TopDocs]:
        self.candidates += [docs.tolist() for docs in candidates]
        return [top_docs(docs, self.scores[docs], len(docs)) for docs in candidates]


def scores(best: TopDocs) -> dict[int, float]:
    return dict(zip(best.docs.tolist(), np.round(best.scores.astype(float), 6).tolist(), strict=True))


def test_channels_weigh_what_they_are_given_and_the_scorer_sees_what_they_found() -> None:
    words, chars, meaning = Fixed(4, 2, 0, 0), Fixed(0, 1, 1, 0), Fixed(1, 2, 0, 8)
    near = Mixture([Weighted(words), Weighted(chars, 0.5)], meaning, 2.0)
    fused = FusedChannel(near, None, lambda query: False, Fusion.NORMALISED_SUM, depth=10)
    (best,) = fused.search([HOME], 4)
    # The scorer never saw document 3, so its greatest score is 2.
    assert meaning.candidates == [[0, 1, 2]]
    assert scores(best) == {1: 2 / 4 + 0.5 + 2 * 2 / 2, 0: 4 / 4 + 2 * 1 / 2, 2: 0.5}


def test_the_scorer_sees_the_best_of_the_channels_together() -> None:
    n = SCORED + 10
    words, meaning = Fixed(*range(n, 0, -1)), Fixed(*[1.0] * n)
    near = Mixture([Weighted(words)], meaning)
    fused = FusedChannel(near, None, lambda query: False, Fusion.NORMALISED_SUM, depth=n)
    (few,), (all_of_them,) = fused.search([HOME], 1), fused.search([HOME], n)
    assert meaning.candidates == [list(range(SCORED))] * 2
    assert (len(few.docs), len(all_of_them.docs)) == (1, n)
    # Document 0 has the best of both; the last has its words alone.
    assert (scores(all_of_them)[0], scores(all_of_them)[n - 1]) == (2.0, round(1 / n, 6))


def test_nothing_found_is_nothing_scored() -> None:
    fused = FusedChannel(
        Mixture([Weighted(Fixed(0, 0))], Fixed(1, 1)), None, lambda query: False, Fusion.NORMALISED_SUM, depth=2
    )
    assert scores(fused.search([HOME], 5)[0]) == {}


def test_foreign_queries_have_channels_of_their_own_opened_with_the_first() -> None:
    words, meaning, opened = Fixed(1, 0), Fixed(0, 1), list[str]()

    def far() -> Mixture:
        opened.append("far")
        return Mixture([Weighted(meaning)])

    fused = FusedChannel(
        Mixture([Weighted(words)]), far, lambda query: bool(query.asked_in), Fusion.NORMALISED_SUM, depth=5
    )
    fused.prepare([HOME])
    assert ([scores(best) for best in fused.search([HOME], 2)], opened) == ([{0: 1.0}], [])
    fused.prepare([FOREIGN, HOME])
    found = fused.search([FOREIGN, HOME, FOREIGN], 2)
    assert [scores(best) for best in found] == [{1: 1.0}, {0: 1.0}, {1: 1.0}]
    assert (opened, words.prepared, meaning.prepared) == (["far"], ["q1", "q1"], ["q2"])

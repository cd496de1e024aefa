"""Reranking to a depth: the first hits change places, nothing else happens (C23, F5)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import chunk, hits
from ragaliq.errors import InputError
from ragaliq.experiment.settings.depth import as_ordered, merge_reranked
from ragaliq.metrics.retrieval.ranking import evaluate_run
from ragaliq.types import Hit


def made(*doc_ids: str, scores: list[float] | None = None) -> list[Hit]:
    values = scores or [1 / rank for rank in range(1, len(doc_ids) + 1)]
    return [Hit(chunk(doc_id, "x"), score, n) for n, (doc_id, score) in enumerate(zip(doc_ids, values, strict=True), 1)]


def ids(ranked: list[Hit]) -> list[str]:
    return [hit.chunk.doc_id for hit in ranked]


def trec_order(ranked: list[Hit]) -> list[str]:
    return ids(sorted(ranked, key=lambda hit: (hit.score, hit.chunk.doc_id), reverse=True))


def test_the_first_hits_are_reordered_and_the_rest_stays_below() -> None:
    found = merge_reranked(hits("a", "b", "c", "d"), made("d2", "d1", scores=[0.9, 0.1]), 2)
    assert [(hit.chunk.doc_id, hit.score, hit.rank) for hit in found] == [
        ("d2", 0.9, 1), ("d1", 0.1, 2), ("d3", -0.9, 3), ("d4", -1.9, 4),
    ]  # fmt: skip


def test_what_a_reranker_drops_goes_behind_what_it_kept_within_the_depth() -> None:
    found = merge_reranked(hits("a", "b", "c", "d"), made("d3", scores=[5.0]), 3)
    assert ids(found) == ["d3", "d1", "d2", "d4"]
    assert [hit.score for hit in found] == [5.0, 4.0, 3.0, 2.0]


def test_a_reranker_that_drops_everything_changes_nothing() -> None:
    before = hits("a", "b", "c")
    assert ids(merge_reranked(before, [], 2)) == ids(before)


def test_the_texts_are_the_corpus_s_even_if_a_reranker_shortens_them() -> None:
    shortened = [Hit(chunk("d1", "cut"), 1.0, 1)]
    assert merge_reranked(hits("the whole text"), shortened, 5)[0].chunk.text == "the whole text"


def test_a_document_that_it_was_not_given_or_a_repeated_one_is_an_error() -> None:
    for reranked, named in [(("d2", "d2"), "d2"), (("d3",), "d3"), (("другой",), "другой")]:  # fmt: skip
        with pytest.raises(InputError, match=rf"mine: returned document '{named}'.*a reranker orders what it gets"):
            merge_reranked(hits("a", "b", "c"), made(*reranked), 2, "mine")


def test_scores_that_do_not_follow_the_order_give_way_to_it() -> None:
    for scores in [[0.1, 0.9], [math.nan, 1.0], [math.inf, 1.0]]:
        found = merge_reranked(hits("a", "b", "c"), made("d2", "d1", scores=scores), 2)
        assert [hit.score for hit in found] == [1.0, 0.5, -0.5], scores
        assert trec_order(found) == ["d2", "d1", "d3"], scores


def test_equal_scores_stay_equal_only_where_sorting_by_id_agrees() -> None:
    found = as_ordered(made("b", "a", "c"), [1.0, 1.0, 1.0])
    assert [hit.score for hit in found][:2] == [1.0, 1.0]
    assert found[2].score < 1.0
    assert trec_order(found) == ["b", "a", "c"]


def test_scores_so_great_that_less_by_one_is_no_less_still_descend() -> None:
    found = merge_reranked(hits("a", "b", "c"), made("d1", scores=[1e300]), 1)
    assert found[0].score > found[1].score > found[2].score


doc_ids = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=12, unique=True)


@given(names=doc_ids, depth=st.integers(1, 15), data=st.data())
def test_recall_at_the_depth_and_deeper_cannot_change(names: list[str], depth: int, data: st.DataObject) -> None:
    before = as_ordered(made(*names), [1.0] * len(names))
    head = before[:depth]
    kept = data.draw(st.permutations(head))[: data.draw(st.integers(0, len(head)))]
    scores = data.draw(st.lists(st.floats(width=32), min_size=len(kept), max_size=len(kept)))
    reranked = [Hit(hit.chunk, score, n) for n, (hit, score) in enumerate(zip(kept, scores, strict=True), start=1)]
    after = merge_reranked(before, reranked, depth)
    assert trec_order(after) == ids(after)
    assert sorted(ids(after)) == sorted(names)
    assert ids(after)[: len(kept)] == ids(kept)
    assert ids(after)[depth:] == ids(before)[depth:]
    relevant = data.draw(st.sets(st.sampled_from(names), min_size=1))
    measures = [f"R@{k}" for k in range(depth, len(names) + 2)] or [f"R@{depth}"]
    qrels = {"q": dict.fromkeys(relevant, 1)}

    def recalls(ranked: list[Hit]) -> list[float | None]:
        run = {"q": [(hit.chunk.doc_id, hit.score) for hit in ranked]}
        return [evaluate_run(run, qrels, measures).mean(measure) for measure in measures]

    assert recalls(after) == recalls(before)

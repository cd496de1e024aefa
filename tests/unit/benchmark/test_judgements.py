"""What nuggets and gold say about documents."""

from __future__ import annotations

from dataclasses import replace

from ragaliq.benchmark.judgements import binary_qrels, derived_qrels, gold_of, subtopic_qrels
from ragaliq.formats.trec.qrels import sum_nuggets
from ragaliq.types import Importance, Item, Nugget, Query
from unit.benchmark.small_collection import FULL


def nugget(number: int, *doc_ids: str, query_id: str = "q") -> Nugget:
    return Nugget(f"{query_id}_{number}", query_id, "en", "fact", Importance.VITAL, doc_ids)


def test_b1_graded_judgements_have_a_binary_view_at_any_threshold() -> None:
    graded = {"q": {"very": 3, "relevant": 2, "slightly": 1, "not": 0, "odd": -1}}
    assert binary_qrels(graded) == {"q": {"very": 1, "relevant": 1, "slightly": 1, "not": 0, "odd": 0}}
    assert binary_qrels(graded, 2) == {"q": {"very": 1, "relevant": 1, "slightly": 0, "not": 0, "odd": 0}}


def test_c15_a_document_is_relevant_if_it_supports_a_nugget() -> None:
    nuggets = [nugget(1, "a", "b"), nugget(2, "b"), nugget(3), nugget(1, "c", query_id="p")]
    collection = replace(FULL, nuggets=tuple(nuggets), qrels={"q": {"x": 0}})
    by_nugget = subtopic_qrels(collection)
    assert by_nugget == {
        "q": {"q_1": {"x": 0, "a": 1, "b": 1}, "q_2": {"x": 0, "b": 1}, "q_3": {"x": 0}},
        "p": {"p_1": {"c": 1}},
    }
    counted = sum_nuggets(by_nugget)
    assert counted == {"q": {"x": 0, "a": 1, "b": 2}, "p": {"c": 1}}
    assert binary_qrels(counted) == {"q": {"x": 0, "a": 1, "b": 1}, "p": {"c": 1}}


def test_c18_all_documents_that_support_a_nugget_are_to_be_found() -> None:
    nuggets = [nugget(i, f"d{i}", f"d{i + 1}") for i in range(10)]
    # d0 … d10: what two nuggets share counts once.
    assert sum(derived_qrels(nuggets, {})["q"].values()) == 11


def test_a_nugget_without_judged_documents_keeps_its_place() -> None:
    collection = replace(FULL, nuggets=(nugget(1),), qrels={})
    assert subtopic_qrels(collection) == {"q": {"q_1": {"none": 0}}}


def test_gold_is_relevant_too() -> None:
    derived = derived_qrels([nugget(1, "a")], {"q": (("a", "b"), ("c",)), "unanswerable": ()})
    assert derived == {"q": {"a": 1, "b": 1, "c": 1}}
    assert derived_qrels([nugget(1)], {}) == derived_qrels([], {}) == {}


def test_c24_the_oracle_is_told_gold_then_nuggets_else_what_the_qrels_call_relevant() -> None:
    def item(query_id: str, *groups: tuple[str, ...], answerable: bool = True) -> Item:
        return Item(Query(query_id, "en", "?"), "", answerable, gold=groups)

    items = (item("q", ("a", "b"), ("c",)), item("judged"), item("open"), item("none", answerable=False))
    nuggets = (nugget(1, "a", "b"), nugget(2, "d"), nugget(3))
    qrels = {"q": {"x": 3}, "judged": {"e": 1, "f": 2, "g": 0}, "none": {"x": 0}}
    assert gold_of(replace(FULL, items=items, nuggets=nuggets, qrels=qrels)) == {
        "q": [["a", "b"], ["c"], ["d"]],
        "judged": [["f"], ["e"]],
        "none": [],
    }

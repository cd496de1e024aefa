"""Queries when chunks leave the corpus."""

from __future__ import annotations

from typing import Any

from ragaliq.build.translation.survivors import Lost, surviving_value


def value(near_miss: str = "") -> dict[str, Any]:
    nuggets = [{"nugget_id": "q_n1", "text": "a", "importance": "vital", "doc_ids": ["d1", "d2"]},
               {"nugget_id": "q_n2", "text": "b", "importance": "okay", "doc_ids": ["d3"]},
               {"nugget_id": "q_n3", "text": "c", "importance": "okay", "doc_ids": []}]  # fmt: skip
    return {"nuggets": nuggets, "gold": [["d1", "d2"]], "judged": {"d1": 1, "d2": 1, "d3": 1, "d4": 0},
            "missing": [["q_n1", "d4"]], "near_miss": near_miss, "text": "?"}  # fmt: skip


def test_documents_that_are_gone_are_named_nowhere() -> None:
    left = surviving_value(value(), {"d2", "d3"})
    assert not isinstance(left, Lost)
    assert (left["gold"], left["judged"], left["missing"], left["text"]) == ([["d2"]], {"d2": 1, "d3": 1}, [], "?")
    assert [one["doc_ids"] for one in left["nuggets"]] == [["d2"], ["d3"], []]


def test_a_nugget_without_documents_or_a_missing_near_miss_loses_the_query() -> None:
    assert surviving_value(value(), {"d1", "d2"}) == Lost("no document of q_n2 is in the corpus")
    assert surviving_value(value("d4"), {"d1", "d3"}) == Lost("d4, which misleads, is not in the corpus")

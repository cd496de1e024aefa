"""FreshStack's two rules, each switchable; missing cells are no verdict; unanswerable queries lose their documents."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, prompt_of
from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.filter import corpora_of, filter_queries
from ragaliq.build.stages.judge import judge
from ragaliq.build.stages.pool import pool
from ragaliq.llm import Request
from unit.build.written_build import Support, fact, rules, values, write_chunks, written_build

# all: every nugget supported; half: one of two; none: no nugget.
THREE: Support = {
    "all": {"alln1": ["d01", "d02"], "alln2": ["d02", "d03"]},
    "half": {"halfn1": ["d04"], "halfn2": []},
    "none": {"nonen1": [], "nonen2": []},
}
BOTH = ("no supported nugget", "unsupported nugget")


def filtered(path: Path, support: Support, model: CannedModel | None = None, **sections: Any) -> BuildContext:
    context = written_build(path, support, 12, model, **{"pool": {"retrievers": ["bm25"], "negatives": 4}} | sections)
    for stage in (pool, judge, filter_queries):
        stage(context)
    return context


def reasons(context: BuildContext) -> dict[str, str]:
    return {row.item_id: row.reason for row in context.workspace.rows("filter")}


@pytest.mark.parametrize(("first", "second"), list(product([True, False], repeat=2)))
def test_c14_both_rules_are_switchable(first: bool, second: bool, tmp_path: Path) -> None:
    context = filtered(tmp_path, THREE, filter={"no_support": first, "unsupported": second})
    # A query without any supported nugget breaks the second rule as well.
    expected = {"all": "", "half": BOTH[1] if second else "", "none": BOTH[0] if first else BOTH[1] if second else ""}
    assert reasons(context) == expected
    details = {row.item_id: row.detail for row in context.workspace.rows("filter") if row.reason}
    assert details.get("half", "halfn2") == "halfn2" and details.get("none", "nonen1, nonen2") == "nonen1, nonen2"


def test_gold_is_an_and_over_vital_nuggets_of_the_documents_that_support_each(tmp_path: Path) -> None:
    support = {"q1": {"q1n1": ["d01", "d02"], "q1n2": ["d02", "d03"], "q1n3": ["d03", "d02"], "q1n4o": ["d04"]}}
    value = values(filtered(tmp_path, support), "filter")["q1"]
    assert value["gold"] == [["d01", "d02"], ["d02", "d03"]]
    assert value["answerable"] and value["near_miss"] == "" and value["withheld"] == []


def test_c15_relevance_is_the_number_of_supported_nuggets_and_0_where_all_were_judged(tmp_path: Path) -> None:
    context = filtered(tmp_path, THREE)
    value = values(context, "filter")["all"]
    assert {doc_id: count for doc_id, count in value["judged"].items() if count} == {"d01": 1, "d02": 2, "d03": 1}
    pooled = {one["doc_id"] for one in values(context, "pool")["all"]["documents"]}
    assert value["judged"].keys() == pooled and len(pooled) == 7


def without(*cells: tuple[str, str]) -> CannedModel:
    """Never replies on the cells of these nuggets and documents, both told by their words."""

    def reply(request: Request) -> str:
        value = json.loads(rules(request))
        prompt = prompt_of(request)
        for nugget_id, filler in cells:
            for entry in value["nuggets"]:
                if f"NUGGET {entry['nugget']}\n{fact(nugget_id)}" in prompt:
                    kept = [c for c in entry["documents"] if f"DOCUMENT {c['document']}\nfiller{filler}" not in prompt]
                    entry["documents"] = kept
        return json.dumps(value)

    return CannedModel(reply)


def test_c13_a_missing_cell_is_no_verdict(tmp_path: Path) -> None:
    # d04 holds halfn1; whether it also holds halfn2, nobody says.
    context = filtered(tmp_path / "a", {"half": THREE["half"]}, without(("halfn2", "d04")))
    assert reasons(context) == {"half": "failed"}
    value = values(context, "filter")["half"]
    assert value["missing"] == [["halfn2", "d04"]] and value["judged"]["d04"] == 1
    # The first nugget alone decides under the first rule.
    loose = filtered(tmp_path / "b", {"half": THREE["half"]}, without(("halfn2", "d04")), filter={"unsupported": False})
    assert reasons(loose) == {"half": ""}


def test_c13_a_document_with_a_missing_cell_is_not_judged_0(tmp_path: Path) -> None:
    support = {"q1": {"q1n1": ["d01", "d02"], "q1n2": ["d01"]}, "q2": {"q2n1": ["d02"]}}
    context = filtered(tmp_path, support, without(("q1n1", "d02")))
    value = values(context, "filter")["q1"]
    # d02 supports the first nugget, which no reply says; of the second it says no.
    assert "d02" not in value["judged"] and value["judged"]["d01"] == 2
    assert reasons(context) == {"q1": "", "q2": ""}


def test_a_nugget_that_is_surely_unsupported_decides_whatever_is_missing(tmp_path: Path) -> None:
    support = {"q1": {"q1n1": ["d01"], "q1n2": [], "q1n3": ["d02"]}}
    assert reasons(filtered(tmp_path, support, without(("q1n3", "d02")))) == {"q1": "unsupported nugget"}


def test_about_15_percent_become_unanswerable_and_nothing_left_supports_them(tmp_path: Path) -> None:
    support = {f"q{n}": {f"q{n}n1": [f"d{n:02}", f"d{n + 12:02}"]} for n in range(1, 11)}
    context = written_build(tmp_path, support, 24, pool={"retrievers": ["bm25"], "negatives": 4}, unanswerable=0.2)
    for stage in (pool, judge, filter_queries):
        stage(context)
    found = values(context, "filter")
    gone = {query_id: value for query_id, value in found.items() if not value["answerable"]}
    assert len(gone) == 2
    corpus = {chunk.doc_id: chunk.text for chunk in corpora_of(context, ["en"])["en"]}
    assert len(corpus) == 24 - 2 * 2
    for query_id, value in gone.items():
        number = int(query_id[1:])
        # Not the one that it was written from alone: the copy leaves, too.
        assert value["withheld"] == [f"d{number:02}", f"d{number + 12:02}"]
        assert not [text for text in corpus.values() if fact(f"{query_id}n1") in text]
        assert value["near_miss"] in corpus and value["near_miss"] in value["judged"]
        assert value["gold"] == [] and set(value["judged"].values()) == {0} and value["nuggets"][0]["doc_ids"] == []
    for query_id, value in found.items():
        if query_id not in gone:
            assert value["gold"] == [[f"d{int(query_id[1:]):02}", f"d{int(query_id[1:]) + 12:02}"]]


def test_the_near_miss_is_the_document_with_most_in_part(tmp_path: Path) -> None:
    support = {"q1": {"q1n1": ["d01"]}}
    context = written_build(tmp_path, support, 6, pool={"retrievers": ["bm25"], "negatives": 6}, unanswerable=0.9)
    half = " ".join(fact("q1n1").split()[:2])
    texts = {row.item_id: row.value["text"] for row in context.workspace.rows("chunk")}
    long, often = f"{half}. {texts['d05']} {texts['d04'] * 9}", " ".join([half.split()[0]] * 9)
    write_chunks(context.workspace, {**texts, "d03": often, "d05": long})
    for stage in (pool, judge, filter_queries):
        stage(context)
    value = values(context, "filter")["q1"]
    ranks = {one["doc_id"]: one["fused"].get("question") for one in values(context, "pool")["q1"]["documents"]}
    assert ranks["d03"] < ranks["d05"]
    assert (value["answerable"], value["near_miss"]) == (False, "d05")


@pytest.mark.parametrize("change", [{"origin": "people"}, {"origin": "log"}])
def test_what_people_asked_stays_answerable(change: dict[str, str], tmp_path: Path) -> None:
    context = written_build(tmp_path, {"q1": {"q1n1": ["d01"]}}, 6, unanswerable=0.9)
    rows = [StageRow(row.item_id, row.lang, {**row.value, **change}) for row in context.workspace.rows("nuggets")]
    context.workspace.write_rows("nuggets", rows)
    for stage in (pool, judge, filter_queries):
        stage(context)
    assert values(context, "filter")["q1"]["answerable"]


def test_a_query_with_missing_cells_is_not_taken_for_unanswerable(tmp_path: Path) -> None:
    support = {"q1": {"q1n1": ["d01"]}}
    context = filtered(tmp_path, support, without(("q1n1", "d02")), unanswerable=0.9,
                       pool={"retrievers": ["bm25"], "negatives": 12})  # fmt: skip
    value = values(context, "filter")["q1"]
    assert value["missing"] == [["q1n1", "d02"]] and value["answerable"]

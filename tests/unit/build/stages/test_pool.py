"""The pool is the union of five kinds of query texts over the retrievers, with the provenance of every document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fakes import CannedModel, chunk
from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.closed_book import closed_book
from ragaliq.build.stages.pool import ORACLE_KINDS, QUERY_KINDS, fused, pool, run_file
from ragaliq.errors import InputError
from ragaliq.formats.trec.run import read_ranked_run
from ragaliq.types import Hit
from unit.build.written_build import doc_id, fact, rules, values, write_chunks, written_build

TWO = {"q1": {"q1n1": ["d01"], "q1n2o": ["d02"]}, "q2": {"q2n1": ["d03"]}}


def ranked(**scores: float) -> list[Hit]:
    """Hits in the order in which they are written, best or not."""
    return [Hit(chunk(name, name), score, 1) for name, score in scores.items()]


def best(top_k: int, *lists: list[Hit]) -> list[str]:
    names = sorted({hit.chunk.doc_id for hits in lists for hit in hits})
    numbers = {name: number for number, name in enumerate(names)}
    return fused({str(place): hits for place, hits in enumerate(lists)}, numbers, names, top_k)


def documents(context: BuildContext, query_id: str = "q1") -> dict[str, Mapping[str, Any]]:
    pool(context)
    return {entry["doc_id"]: entry for entry in values(context, "pool")[query_id]["documents"]}


def with_texts(context: BuildContext, **changes: Any) -> None:
    """Change what the closed-book stage has left of q1."""
    rows = context.workspace.rows("closed-book")
    changed = [StageRow(r.item_id, r.lang, {**r.value, **(changes if r.item_id == "q1" else {})}) for r in rows]
    context.workspace.write_rows("closed-book", changed)


def test_c12_fusion_sorts_before_it_cuts() -> None:
    # FreshStack's fusion took the first of the mapping: d1.
    assert best(1, ranked(d1=0.1, d2=0.9)) == ["d2"]
    # Shares: a 1 + 0, b .5 + 1, c 0 + .25.
    assert best(3, ranked(a=4.0, b=2.0), ranked(b=8.0, c=2.0)) == ["b", "a", "c"]


def test_c12_a_list_with_one_hit_counts_1_and_the_worst_hit_of_a_list_counts_above_absence() -> None:
    # Under min-max x would be 0 and lie behind b, and c would be as good as what no list holds.
    assert best(4, ranked(a=10.0, b=9.0, c=1.0), ranked(x=0.2)) == ["x", "a", "b", "c"]


def test_c12_shares_that_differ_in_the_fourth_digit_are_no_tie() -> None:
    # FreshStack's fusion rounds to three.
    assert best(3, ranked(a=0.99994, b=0.99986, c=1.0)) == ["c", "a", "b"]


def test_c12_ties_are_broken_by_the_id_whatever_the_order() -> None:
    hits = ranked(a=1.0, b=1.0, c=1.0, d=1.0)
    for seed in range(5):
        Random(seed).shuffle(hits)
        assert best(3, hits, ranked(e=2.0)) == ["e", "d", "c"]


def test_c11_scores_below_0_are_evidence_in_their_order() -> None:
    assert best(3, ranked(a=-1.0, b=-2.0, c=-9.0)) == ["a", "b", "c"]
    assert best(2, ranked(a=-3.0)) == ["a"]
    assert best(2, ranked(a=0.0, b=0.0)) == ["b", "a"]


def test_c10_the_pool_is_the_union_of_five_kinds_with_the_rank_in_each_list(tmp_path: Path) -> None:
    context = written_build(tmp_path, TWO, pool={"retrievers": ["bm25", "char"], "negatives": 0})
    with_texts(context, subquestions=["fillerd05?", "fillerd06?"], answers=[{"answer": "fillerd07"}])
    found = documents(context)
    # The question asks for the first nugget, d01; reference and nuggets for both, d01 and d02.
    assert found["d01"]["fused"]["question"] == 1
    assert all({found[name]["fused"][kind] for name in ("d01", "d02")} == {1, 2} for kind in ORACLE_KINDS)
    assert found["d07"]["fused"]["closed-book"] == 1 and found["d07"]["ranks"]["closed-book/bm25"] == 1
    assert {found[name]["fused"]["subquestions"] for name in ("d05", "d06")} == {1, 2}
    assert set(values(context, "pool")["q1"]["texts"]) == set(QUERY_KINDS) > set(ORACLE_KINDS)
    for kind in QUERY_KINDS:
        for name in ("bm25", "char"):
            ranks = read_ranked_run(run_file(context, "en", kind, name)).scores.get("q1", {})
            for rank, listed in enumerate(ranks, start=1):
                # Also where another list brought the document into the pool.
                assert listed not in found or found[listed]["ranks"][f"{kind}/{name}"] == rank


def test_c10_a_document_has_its_rank_in_lists_that_did_not_bring_it_into_the_pool(tmp_path: Path) -> None:
    support = {"q1": {"q1n1": ["d01", "d02"], "q1n2": ["d02"]}}
    context = written_build(tmp_path, support, pool={"retrievers": ["bm25"], "judged": 1, "negatives": 0})
    found = documents(context)
    # Asked for both nuggets, d02 is the best; asked for the first, d01, the shorter one.
    assert found["d02"]["fused"] == {"reference": 1, "nuggets": 1, "subquestions": 1}
    assert found["d02"]["ranks"] == {f"{kind}/bm25": 2 if kind == "question" else 1 for kind in QUERY_KINDS
                                     if kind != "closed-book"}  # fmt: skip
    assert found["d01"]["ranks"]["nuggets/bm25"] == 2


def test_c9_subquestions_are_one_query_and_the_closed_book_answer_another(tmp_path: Path) -> None:
    context = written_build(tmp_path, TWO)
    pool(context)
    texts = values(context, "pool")["q1"]["texts"]
    assert texts["subquestions"] == f"What {fact('q1n1')}? What {fact('q1n2o')}?"
    assert texts["closed-book"] == "nowhere"
    assert texts["nuggets"] == f"{fact('q1n1')} {fact('q1n2o')}"


def test_c9_no_prompt_of_the_closed_book_stage_holds_the_gold_but_that_which_marks_the_answer(tmp_path: Path) -> None:
    model = CannedModel(rules)
    closed_book(written_build(tmp_path, {"q1": {"q1n1": ["d01"], "q1n2o": ["d02"]}}, model=model))
    asked = [str(message["content"]) for one in model.requests for message in one.messages]
    making = [text for text in asked if "Task: subquestions" in text or "Task: closed_book" in text]
    assert len(making) == 2 and all(fact("q1n1") in text for text in making)
    # The second nugget stands in the reference, and not in the question.
    assert not [text for text in making if "korqbnco" in text or fact("q1n2o") in text or "stands alone" in text]
    assert [text for text in asked if fact("q1n2o") in text and "Task: assign" in text]


def test_a_kind_without_text_adds_nothing_and_the_others_stay(tmp_path: Path) -> None:
    whole, bare = written_build(tmp_path / "a", TWO), written_build(tmp_path / "b", TWO)
    with_texts(bare, subquestions=[], answers=[])
    assert documents(bare).keys() == documents(whole).keys()
    assert set(values(bare, "pool")["q1"]["texts"]) == {"question", "reference", "nuggets"}
    assert not [kind for entry in documents(bare).values() for kind in entry["fused"] if kind == "closed-book"]
    assert "q1" not in read_ranked_run(run_file(bare, "en", "closed-book", "bm25")).scores


def test_c12_the_lists_have_depth_100_and_the_best_20_of_each_are_judged(tmp_path: Path) -> None:
    holders = [doc_id(number) for number in range(1, 111)]
    context = written_build(tmp_path, {"q1": {"q1n1": holders}}, n_docs=120, pool={"retrievers": ["bm25"]})
    found = documents(context)
    assert len(read_ranked_run(run_file(context, "en", "question", "bm25")).scores["q1"]) == 100
    in_lists = [entry for entry in found.values() if entry["fused"]]
    assert {entry["fused"]["question"] for entry in in_lists} == set(range(1, 21))
    # The query was written from d01; five others were drawn at random.
    assert [entry["doc_id"] for entry in found.values() if entry.get("gold")] == ["d01"]
    drawn = [entry for entry in found.values() if entry.get("negative")]
    assert len(drawn) == 5 and not [entry for entry in drawn if entry["fused"]]


def test_c11_what_any_retriever_returns_in_any_order_is_sorted_and_cut(tmp_path: Path) -> None:
    context = written_build(tmp_path, TWO, pool={
        "retrievers": ["python:fakes:NegativeRetriever"], "depth": 4, "judged": 2, "negatives": 0,
    })  # fmt: skip
    found = documents(context)
    assert found.keys() == {"d01", "d02"}
    assert found["d01"]["fused"] == dict.fromkeys(QUERY_KINDS, 1)
    run = read_ranked_run(run_file(context, "en", "question", "python:fakes:NegativeRetriever"))
    assert list(run.scores["q1"].items()) == [("d01", -1), ("d02", -2), ("d03", -3), ("d04", -4)]


def test_a_retriever_that_returns_a_document_twice_is_named(tmp_path: Path) -> None:
    context = written_build(tmp_path, TWO, pool={"retrievers": [f"python:{__name__}:Twice"]})
    with pytest.raises(InputError, match=r"Twice', query 'q1': a document occurs twice"):
        pool(context)


class Twice:
    def index(self, chunks: list[Any]) -> None:
        self.chunk = chunks[0]

    def retrieve(self, query: Any, top_k: int) -> list[Hit]:
        return [Hit(self.chunk, 1.0, 1), Hit(self.chunk, 0.5, 2)]


def test_the_order_of_the_chunks_changes_nothing(tmp_path: Path) -> None:
    one, two = (written_build(tmp_path / name, TWO, pool={"negatives": 2}) for name in "ab")
    rows = two.workspace.rows("chunk")
    write_chunks(two.workspace, {row.item_id: row.value["text"] for row in reversed(rows)})
    assert documents(one) == documents(two)


def test_lists_of_retrievers_that_are_asked_no_more_do_not_stay(tmp_path: Path) -> None:
    context = written_build(tmp_path, {"q1": {"q1_1": ["d01"]}}, 6)
    earlier = run_file(context, "en", "question", "char")
    earlier.parent.mkdir(parents=True)
    earlier.write_text("")
    pool(context)
    assert not earlier.exists() and run_file(context, "en", "question", "bm25").is_file()


def test_a_query_in_a_language_without_documents_is_a_row_with_its_reason(tmp_path: Path) -> None:
    context = written_build(tmp_path, TWO)
    for stage in ("nuggets", "closed-book"):
        langs = {"q1": "en", "q2": "de"}
        rows = context.workspace.rows(stage)
        context.workspace.write_rows(stage, [StageRow(r.item_id, langs[r.item_id], r.value) for r in rows])
    pool(context)
    assert [(row.item_id, row.reason) for row in context.workspace.rows("pool")] == [("q2", "no documents"), ("q1", "")]

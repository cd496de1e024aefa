from __future__ import annotations

from math import log2
from typing import Any

import pyndeval
import pytest

from ragaliq.errors import InputError
from ragaliq.formats.trec.qrels import sum_nuggets
from ragaliq.metrics.retrieval.measures import NUGGET_DEFAULTS
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run
from ragaliq.types import Importance


def support(**docs: str) -> dict[str, dict[str, int]]:
    """Nuggets with the documents that support them: `support(n1="d1 d2")`."""
    return {name: dict.fromkeys(written.split(), 1) for name, written in docs.items()}


def scored(ranking: str, nuggets: dict[str, dict[str, int]], *measures: str) -> Evaluation:
    run = {"q": {doc: -float(rank) for rank, doc in enumerate(ranking.split())}}
    return evaluate_run(run, None, measures, nuggets={"q": nuggets})


APART = support(n1="d1 d2", n2="d3")
OVERLAPPING = support(n1="d1 d2", n2="d1 d3", n3="d3")


# Requirement C16.
def test_alpha_ndcg_of_the_worked_examples() -> None:
    cases = [
        (APART, "d1 d2 d3", 0.9651955),
        (APART, "d2 d1 x d3", 0.9283395),
        (APART, "d1 d3 d2", 1.0),
        (OVERLAPPING, "d2 d1 d3", 0.8435738),
        (OVERLAPPING, "x d3 d1 d2", 0.6967844),
    ]
    for nuggets, ranking, expected in cases:
        for measure in ("alpha_nDCG@10", "alpha_nDCG@20", "alpha_nDCG", "alpha_nDCG@1000"):
            assert scored(ranking, nuggets, measure).values[measure][0] == pytest.approx(expected, abs=5e-8), nuggets


def test_alpha_ndcg_by_hand() -> None:
    # d1 and d2 support the same nugget, of which the second has half the gain.
    gained = 1 + 0.5 / log2(3) + 1 / log2(4)
    ideal = 1 + 1 / log2(3) + 0.5 / log2(4)
    assert scored("d1 d2 d3", APART, "alpha_nDCG@3").mean("alpha_nDCG@3") == pytest.approx(gained / ideal, abs=1e-15)
    found = scored("d1 d2 d3", APART, "alpha_nDCG(alpha=0.3)@3").mean("alpha_nDCG(alpha=0.3)@3")
    gained, ideal = 1 + 0.7 / log2(3) + 1 / log2(4), 1 + 1 / log2(3) + 0.7 / log2(4)
    assert found == pytest.approx(gained / ideal, abs=1e-15)


def test_alpha_of_one_takes_each_nugget_once_and_of_zero_as_often_as_it_comes() -> None:
    found = scored("d1 d2 d3", APART, "alpha_nDCG(alpha=1)@3", "alpha_nDCG(alpha=0)@3")
    assert found.values["alpha_nDCG(alpha=1.0)@3"][0] == pytest.approx((1 + 1 / log2(4)) / (1 + 1 / log2(3)), abs=1e-15)
    assert found.values["alpha_nDCG(alpha=0.0)@3"][0] == 1


def test_several_alphas_and_levels_in_one_call_do_not_disturb_each_other() -> None:
    graded = {"q": {"n1": {"d1": 1, "d2": 2}, "n2": {"d3": 1}}}
    names = ["alpha_nDCG@3", "alpha_nDCG(alpha=0.3)@3", "alpha_nDCG(rel=2)@3", "StRecall(rel=2)@2", "Coverage(rel=2)@2"]
    run = {"q": [("d1", 3.0), ("d2", 2.0), ("d3", 1.0)]}
    together = evaluate_run(run, None, names, nuggets=graded)
    for name in names:
        assert evaluate_run(run, None, [name], nuggets=graded).values[name] == together.values[name]
    assert together.values["alpha_nDCG(rel=2)@3"][0] == pytest.approx(1 / log2(3), abs=1e-15)
    assert together.values["StRecall(rel=2)@2"][0] == 1
    assert together.values["Coverage(rel=2)@2"][0] == 1 / 2


def test_a_greedy_ideal_may_be_beaten() -> None:
    # Greedy takes first d1 with six nuggets, of which only two more are left to find in d4 or d5.
    nuggets = support(a="d1 d5", b="d1 d5", c="d1 d4", d="d1 d4", e="d1 d4", f="d1", g="d5", h="d5", i="d4", j="d4")
    for ranking, gained in {"d1 d5": 6 + 2 / log2(3), "d4 d5": 5 + 4 / log2(3)}.items():
        found = scored(ranking, nuggets, "alpha_nDCG(alpha=1)@2").mean("alpha_nDCG(alpha=1.0)@2")
        assert found == pytest.approx(gained / (6 + 2 / log2(3)), abs=1e-15)
        rows = [("q", name, doc, 1) for name, docs in nuggets.items() for doc in docs]
        run = [("q", doc, -float(rank)) for rank, doc in enumerate(ranking.split())]
        assert found == pytest.approx(pyndeval.ndeval(rows, run, ["alpha-nDCG@2"], alpha=1.0)["q"]["alpha-nDCG@2"])


# Requirements C17 and F4: the union, not the sum.
def test_coverage_counts_a_nugget_once() -> None:
    assert scored("d1 d2", support(n1="d1 d2", n2="d3"), "Coverage@20").mean("Coverage@20") == 1 / 2
    assert scored("d1 d2 d3", support(n1="d1 d2", n2="d3"), "Coverage@20").mean("Coverage@20") == 1
    assert scored("d1 d2 d3", support(n1="d1 d2", n2="d3"), "Coverage@2").mean("Coverage@2") == 1 / 2


def test_coverage_is_of_all_nuggets_and_subtopic_recall_of_the_supported_ones() -> None:
    nuggets = {"n1": {"d1": 1}, "n2": {"d2": 1, "d9": 0}, "refuted": {"d1": 0, "d2": -1}, "bare": {}}
    found = scored("d1", nuggets, "Coverage@20", "StRecall@20")
    assert (found.mean("Coverage@20"), found.mean("StRecall@20")) == (1 / 4, 1 / 2)


# Requirements C15 and C18.
def test_recall_is_of_all_documents_that_support_a_nugget() -> None:
    nuggets = {"q": {"n1": {"d1": 1, "d2": 1, "d4": 0}, "n2": {"d1": 1, "d3": 1}}}
    run = {"q": {"d4": 3.0, "d1": 2.0, "x": 1.0}}
    found = evaluate_run(run, sum_nuggets(nuggets), [*NUGGET_DEFAULTS, "Judged@3", "nDCG@2"], nuggets=nuggets)
    assert found.mean("R@50") == 1 / 3
    assert found.mean("Judged@3") == 2 / 3
    # The relevance of a document is the number of nuggets that it supports: 2, 1 and 1.
    assert found.mean("nDCG@2") == pytest.approx((2 / log2(3)) / (2 + 1 / log2(3)), abs=1e-15)


def test_qrels_beside_nuggets_are_taken_and_not_made_of_them() -> None:
    with pytest.raises(InputError, match="R@50 needs qrels"):
        scored("d1", support(n1="d1"), "R@50")
    found = evaluate_run({"q": {"d1": 1.0}}, {"q": {"d9": 1}}, ["R@50", "Coverage@20"], nuggets={"q": support(n1="d1")})
    assert (found.mean("R@50"), found.mean("Coverage@20")) == (0, 1)


def test_vital_nuggets_weigh_twice_as_much_as_okay_ones() -> None:
    nuggets = {"q": support(n1="d1", n2="d2", n3="d3")}
    importance = {"q": {"n1": Importance.VITAL, "n2": Importance.OKAY, "n3": Importance.OKAY}}
    run = {"q": [("d1", 2.0), ("d2", 1.0)]}
    names = ["WeightedCoverage@1", "WeightedCoverage@2"]
    found = evaluate_run(run, None, names, nuggets=nuggets, importance=importance)
    assert (found.mean(names[0]), found.mean(names[1])) == (1 / 2, 1.5 / 2)
    with pytest.raises(InputError, match="nugget 'n1' of query 'q' has no importance"):
        evaluate_run(run, None, names, nuggets=nuggets, importance={})
    with pytest.raises(InputError, match="needs nugget judgements and the importance"):
        evaluate_run(run, None, names, nuggets=nuggets)


def test_importance_is_looked_at_where_it_is_asked_for() -> None:
    nuggets = {"q": support(n1="d1")}
    assert (
        evaluate_run({"q": {"d1": 1.0}}, None, ["Coverage@1"], nuggets=nuggets, importance={}).mean("Coverage@1") == 1
    )
    wrong: Any = {"q": {"n1": "great"}}
    with pytest.raises(InputError, match="nugget 'n1' of query 'q' has no importance; say vital or okay"):
        evaluate_run({"q": {"d1": 1.0}}, None, ["WeightedCoverage@1"], nuggets=nuggets, importance=wrong)


def test_a_support_that_is_no_whole_number_is_refused() -> None:
    wrong: list[Any] = [0.5, 1.7, float("nan"), 10**30, "1", None]
    for rel in wrong:
        with pytest.raises(InputError, match=r"^query 'q', nugget 'факт', document 'd2': relevance .* no whole number"):
            evaluate_run(
                {"q": {"d1": 1.0}}, {"q": {"d1": 1}}, ["Coverage@1"], nuggets={"q": {"факт": {"d1": 1, "d2": rel}}}
            )


def test_document_ids_of_nuggets_and_gold_are_strings() -> None:
    number: Any = 2
    run, qrels = {"q": {"2": 1.0}}, {"q": {"2": 1}}
    with pytest.raises(InputError, match=r"^id-mismatch: the judged doc id 2 is of type int"):
        evaluate_run(run, qrels, ["Coverage@1"], nuggets={"q": {"n1": {"1": 0, number: 1}}})
    with pytest.raises(InputError, match=r"^id-mismatch: the gold doc id 2 is of type int"):
        evaluate_run(run, qrels, ["AllGold@1"], gold={"q": ((number,),)})


def test_a_gold_group_is_no_single_id() -> None:
    with pytest.raises(InputError, match="gold of query 'q': 'ab' is no group; write a list of doc ids"):
        evaluate_run({"q": {"ab": 1.0}}, {"q": {"ab": 1}}, ["AllGold@1"], gold={"q": ("ab",)})


def test_all_gold_needs_a_member_of_every_group() -> None:
    gold = {"q1": (("a", "b"), ("c",)), "q2": (("a",), ()), "q4": (("b",),)}
    run = {query_id: {"b": 3.0, "x": 2.0, "c": 1.0, "a": 0.0} for query_id in ("q1", "q2", "q3", "q4")}
    qrels = {query_id: {"a": 1} for query_id in ("q1", "q2", "q3", "q4", "q5")}
    found = evaluate_run(run, qrels, ["AllGold@2", "AllGold@3", "AllGold@1"], gold=gold)
    assert found.values["AllGold@2"].tolist() == [0, 0, 0, 1, 0]
    assert found.values["AllGold@3"].tolist() == [1, 0, 0, 1, 0]
    assert found.values["AllGold@1"].tolist() == [0, 0, 0, 1, 0]
    with pytest.raises(InputError, match="AllGold@2 needs gold groups"):
        evaluate_run(run, qrels, ["AllGold@2"])


def test_the_queries_are_those_of_the_nuggets() -> None:
    nuggets = {"q1": support(n1="d1"), "q2": support(n1="d1"), "q3": {"n1": {"d1": 0}}, "q4": {}}
    run = {"q1": {"d1": 1.0}, "q3": {"d1": 1.0}, "other": {"d1": 1.0}}
    names = ["alpha_nDCG@10", "Coverage@20", "StRecall@20", "R@50"]
    found = evaluate_run(run, sum_nuggets(nuggets), names, nuggets=nuggets)
    assert found.query_ids == ("q1", "q2", "q3", "q4")
    assert (found.n_missing, found.n_extra, found.n_without_relevant) == (2, 1, 2)
    assert all(values.tolist() == [1, 0, 0, 0] for values in found.values.values())
    assert found.tied_at_cut == dict.fromkeys(found.values, 0)


def test_nothing_at_all() -> None:
    found = evaluate_run({}, None, ["alpha_nDCG", "Coverage@20"], nuggets={})
    assert (found.mean("alpha_nDCG"), found.query_ids) == (None, ())

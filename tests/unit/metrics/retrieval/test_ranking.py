from __future__ import annotations

from math import log2
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.judged import ScoredRun
from ragaliq.metrics.retrieval.measures import Measure
from ragaliq.metrics.retrieval.ranking import Evaluation, evaluate_run


def ranked(*docs: str) -> dict[str, float]:
    """A run of these documents in this order."""
    return {doc: -float(rank) for rank, doc in enumerate(docs)}


def value(measure: str, docs: dict[str, float], rels: dict[str, int], ties: str = "trec") -> float:
    return float(evaluate_run({"q": docs}, {"q": rels}, [measure], ties=ties).values[measure][0])


def gains(*rels: int) -> tuple[dict[str, float], dict[str, int]]:
    """A run whose documents have these relevances, all of them judged and retrieved."""
    docs = [f"d{number}" for number in range(len(rels))]
    return ranked(*docs), dict(zip(docs, rels, strict=True))


# Requirement A1: linear gain.
def test_linear_ndcg_of_the_note() -> None:
    best, reversed_ = gains(2, 1, 0, 0), gains(0, 1, 2)
    assert value("nDCG@10", *best) == 1
    dcg, ideal = 1 / log2(3) + 2 / log2(4), 2 / log2(2) + 1 / log2(3)
    assert ideal == pytest.approx(2.6309, abs=1e-4)
    assert value("nDCG@10", *reversed_) == pytest.approx(dcg / ideal, abs=1e-12)
    assert value("nDCG@10", *reversed_) == pytest.approx(0.6199, abs=1e-4)


# Requirement B4: three rankings whose figures the source prints to five digits, some of them cut instead of rounded.
def test_cumulative_gain_of_the_basics() -> None:
    cases = [
        ((0, 0, 1, 1, 1), 3, 1.31752, 2.13093, 0.61828),
        ((1, 0, 1, 0, 1), 3, 1.88685, 2.13093, 0.88546),
        ((1, 0, 0, 0, 0), 1, 1.0, 1.0, 1.0),
    ]
    for rels, cg, dcg, ideal, ndcg in cases:
        assert value("CG@5", *gains(*rels)) == cg, rels
        assert value("DCG@5", *gains(*rels)) == pytest.approx(dcg, abs=1e-5), rels
        assert value("IDCG@5", *gains(*rels)) == pytest.approx(ideal, abs=1e-5), rels
        assert value("nDCG", *gains(*rels)) == pytest.approx(ndcg, abs=1e-5), rels
        for measure in ("nDCG", "DCG", "IDCG"):
            assert value(f"{measure}(dcg='exp-log2')", *gains(*rels)) == value(measure, *gains(*rels)), rels


# Requirements A1 and E1: [2, 1] under both gains.
def test_discounted_gain_of_graded_relevance() -> None:
    assert value("CG@10", *gains(2, 1)) == 3
    assert value("DCG@10", *gains(2, 1)) == pytest.approx(2 / log2(2) + 1 / log2(3), abs=1e-12)
    assert value("DCG@10", *gains(2, 1)) == pytest.approx(2.6309, abs=5e-5)
    assert value("DCG(dcg='exp-log2')@10", *gains(2, 1)) == pytest.approx(3.6309, abs=5e-5)
    assert value("DCG@1", *gains(1, 2)) == 1
    assert value("IDCG@1", *gains(1, 2)) == 2
    assert value("IDCG(dcg='exp-log2')@1", *gains(1, 2)) == 3


def test_gains_below_zero_and_of_unjudged_documents_are_none() -> None:
    docs, rels = ranked("bad", "unknown", "good"), {"bad": -2, "good": 2, "missed": 3}
    assert value("CG@3", docs, rels) == 2
    assert value("DCG@3", docs, rels) == pytest.approx(2 / log2(4), abs=1e-12)
    assert value("IDCG@3", docs, rels) == pytest.approx(3 / log2(2) + 2 / log2(3), abs=1e-12)


def test_the_ideal_does_not_depend_on_the_run() -> None:
    evaluation = evaluate_run({"q": {"a": 1.0}}, {"absent": {"b": 3}, "q": {"a": 1}}, ["IDCG@5", "DCG@5"])
    assert {name: values.tolist() for name, values in evaluation.values.items()} == {
        "IDCG@5": [3.0, 1.0], "DCG@5": [0.0, 1.0]
    }  # fmt: skip


# Requirement B5: both orders are cut at K.
def test_ndcg_at_k_cuts_both_orders() -> None:
    assert value("nDCG@3", *gains(0, 0, 1, 1, 1)) == pytest.approx(0.5 / 2.13093, abs=5e-6)
    assert value("nDCG@3", *gains(0, 0, 1, 1, 1)) == pytest.approx(0.23464, abs=5e-6)


# Requirement B3.
def test_precision_divides_by_k_and_recall_by_all_relevant() -> None:
    docs, rels = ranked("a", "x"), {"a": 1, "b": 1, "c": 1}
    assert value("P@5", docs, rels) == 1 / 5
    assert value("P@1", docs, rels) == 1
    assert value("R@5", docs, rels) == 1 / 3
    assert value("Rprec", docs, rels) == 1 / 3
    assert value("Success@1", docs, rels) == 1


# Requirement B6.
def test_reciprocal_rank_is_that_of_the_first_relevant() -> None:
    run = {"q1": ranked("x", "y", "a", "b"), "q2": ranked("x")}
    found = evaluate_run(run, {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}, ["RR"])
    assert found.values["RR"].tolist() == [1 / 3, 0]
    assert found.mean("RR") == 1 / 6
    assert value("RR@2", ranked("x", "y", "a"), {"a": 1}) == 0


# Requirement E1: exponential gain.
def test_exponential_gain_is_two_to_the_relevance_less_one() -> None:
    assert (2**2 - 1) / log2(2) + (2**1 - 1) / log2(3) == pytest.approx(3.6309, abs=1e-4)
    dcg, ideal = 1 / log2(2) + 3 / log2(3), 3 / log2(2) + 1 / log2(3)
    assert value("nDCG(dcg='exp-log2')@5", *gains(1, 2)) == pytest.approx(dcg / ideal, abs=1e-12)


# Requirement E2.
def test_documents_judged_not_relevant_never_lift_recall() -> None:
    assert value("R@5", ranked("a", "n1", "n2"), {"a": 1, "b": 1, "n1": 0, "n2": 0}) == 1 / 2
    assert value("R@5", ranked("n1", "n2"), {"a": 1, "n1": 0, "n2": -2}) == 0


# Requirement E3.
def test_average_precision_divides_by_the_number_of_relevant() -> None:
    docs, rels = gains(0, 1, 1)
    assert value("AP", docs, rels) == pytest.approx((1 / 2 + 2 / 3) / 2, abs=1e-15)
    assert value("AP", docs, rels) == pytest.approx(0.58333, abs=5e-6)
    assert value("RR", docs, rels) == 0.5
    assert value("AP@2", docs, rels) == (1 / 2) / 2
    assert value("AP", docs, {**rels, "missed": 1}) == pytest.approx((1 / 2 + 2 / 3) / 3, abs=1e-15)


def test_graded_example_of_both_gains() -> None:
    docs, rels = ranked("c", "a", "x", "b"), {"a": 3, "b": 2, "c": 1, "d": 0}
    assert value("nDCG@3", docs, rels) == pytest.approx(0.607492, abs=5e-7)
    assert value("nDCG(dcg='exp-log2')@3", docs, rels) == pytest.approx(0.576667, abs=5e-7)
    assert value("nDCG@10", docs, rels) == pytest.approx(0.788377, abs=5e-7)
    assert value("nDCG(dcg='exp-log2')@10", docs, rels) == pytest.approx(0.714222, abs=5e-7)


def test_the_ideal_ranking_holds_relevant_documents_that_were_not_retrieved() -> None:
    assert value("nDCG@10", ranked("b"), {"a": 2, "b": 1}) == pytest.approx(1 / (2 + 1 / log2(3)), abs=1e-12)


def test_negative_relevance_is_judged_and_gains_nothing() -> None:
    docs, rels = ranked("bad", "a"), {"bad": -2, "a": 1}
    assert value("nDCG", docs, rels) == pytest.approx(1 / log2(3), abs=1e-12)
    assert value("AP", docs, rels) == 1 / 2
    assert value("Judged@2", docs, rels) == 1


def test_the_relevance_level_decides_what_is_relevant() -> None:
    docs, rels = ranked("a", "b", "c"), {"a": 1, "b": 2, "c": 3}
    assert value("P(rel=2)@3", docs, rels) == 2 / 3
    assert value("RR(rel=3)", docs, rels) == 1 / 3
    assert value("R(rel=2)@2", docs, rels) == 1 / 2
    assert value("Rprec(rel=2)", docs, rels) == 1 / 2
    assert value("Success(rel=2)@1", docs, rels) == 0


# Requirement F2: unjudged documents score 0 and are shown.
def test_judged_and_hole_tell_how_much_was_judged() -> None:
    docs, rels = ranked("a", "x", "n", "y"), {"a": 1, "n": 0}
    assert value("Judged@2", docs, rels) == 1 / 2
    assert value("Judged@3", docs, rels) == 2 / 3
    assert value("Judged@10", docs, rels) == 2 / 4
    assert value("Judged", docs, rels) == 2 / 4
    assert value("Hole@2", docs, rels) == 1 / 2
    assert value("Hole@10", docs, rels) == 2 / 10


TIED = {"a": 1.0, "ж": 1.0, "猫": 1.0, "z": 2.0}


def test_ties_are_broken_by_the_rule() -> None:
    for ties, first in [("trec", "猫"), ("ascending", "a"), ("order", "a"), ("float32", "猫")]:
        for doc, rank in {"z": 1, first: 2}.items():
            assert value("RR", TIED, {doc: 1}, ties) == 1 / rank, ties


def test_in_order_ties_stay_as_given() -> None:
    run = {"q": [("m", 1.0), ("z", 1.0), ("a", 1.0), ("top", 2.0)]}
    ranks = [
        1 / evaluate_run(run, {"q": {doc: 1}}, ["RR"], ties="order").values["RR"][0] for doc in ("top", "m", "z", "a")
    ]
    assert ranks == [1, 2, 3, 4]


def test_single_precision_makes_ties() -> None:
    for ties, rank in [("trec", 2), ("float32", 1)]:
        # trec_eval 9 compares single-precision scores, trec_eval 10 double-precision ones.
        for a, b in ((1 + 1e-9, 1.0), (16777217, 16777216), (1e300, 1e299)):
            docs = {"a": a, "b": b}
            assert value("RR", docs, {"b": 1}, ties) == 1 / rank, ties


def test_tied_pairs_at_the_cut_are_counted() -> None:
    run = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 2, "b": 2, "c": 1}, "q3": {"a": 1}, "foreign": {"a": 1, "b": 1}}
    found = evaluate_run(
        run, {query_id: {"a": 1} for query_id in ("q1", "q2", "q3", "q4")}, ["P@1", "R@2", "RR@3", "AP"]
    )
    assert found.tied_at_cut == {"P@1": 1, "R@2": 1, "RR@3": 0}


def test_infinite_scores_stand_at_the_ends() -> None:
    docs = {"a": float("-inf"), "b": 0.0, "c": float("inf"), "d": float("inf")}
    assert [1 / value("RR", docs, {doc: 1}) for doc in "dcba"] == [1, 2, 3, 4]


def test_missing_extra_and_unanswerable_queries_are_counted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {}, "q5": {"a": 1}}
    run = {"q1": ranked("a"), "q3": ranked("a"), "q4": ranked("a"), "q5": {}, "q6": ranked("a"), "q7": {}}
    found = evaluate_run(run, qrels, ["nDCG@10", "AP", "RR", "P@1", "R@1", "Rprec", "Judged@1", "Success@1", "Hole@1"])
    assert found.query_ids == ("q1", "q2", "q3", "q4", "q5")
    assert (found.n_missing, found.n_extra, found.n_without_relevant) == (2, 2, 2)
    for name in ("nDCG@10", "AP", "RR", "P@1", "R@1", "Rprec", "Success@1"):
        assert found.values[name].tolist() == [1, 0, 0, 0, 0]
        assert found.mean(name) == 1 / 5
    assert found.values["Judged@1"].tolist() == [1, 0, 1, 0, 0]
    assert found.values["Hole@1"].tolist() == [0, 0, 0, 1, 0]


def test_nothing_retrieved_is_zero() -> None:
    runs: list[ScoredRun] = [{}, {"q": {}}, {"other": {"a": 1.0}}]
    for run in runs:
        found = evaluate_run(run, {"q": {"a": 1}}, ["nDCG", "AP@3", "Judged", "Hole@2"])
        assert [values.tolist() for values in found.values.values()] == [[0], [0], [0], [0]], run
        assert found.n_missing == 1, run


def test_nothing_judged_has_no_mean() -> None:
    found = evaluate_run({"q": {"a": 1.0}}, {}, ["nDCG@10"])
    assert found == Evaluation((), found.values, 0, 1, 0, {"nDCG@10": 0})
    assert found.mean("nDCG@10") is None


def test_a_cutoff_beyond_the_list_changes_nothing_but_the_denominator_of_precision() -> None:
    docs, rels = ranked("x", "a", "b"), {"a": 1, "b": 2, "c": 1}
    assert value("nDCG@1000000", docs, rels) == value("nDCG", docs, rels)
    assert value("AP@1000000", docs, rels) == value("AP", docs, rels)
    assert value("P@1000", docs, rels) == 2 / 1000


def test_measures_may_be_given_as_records_and_one_by_its_name_alone() -> None:
    for measures in ([Measure("P", 2)], "P@2"):
        found = evaluate_run({"q": ranked("a")}, {"q": {"a": 1}}, measures)
        assert {name: values.tolist() for name, values in found.values.items()} == {"P@2": [0.5]}


def test_what_cannot_be_evaluated_is_an_error_with_query_and_document() -> None:
    cases: list[tuple[Any, Any, tuple[str, ...]]] = [
        ({"q": {"a": 1.0, "ж": float("nan")}}, {"q": {"a": 1}}, ("'q'", "'ж'", "nan", "fix")),
        ({"q": {"a": None}}, {"q": {"a": 1}}, ("'q'", "'a'", "None")),
        ({"q": [("a", 1.0), ("b", 1.0), ("a", 0.5)]}, {"q": {"a": 1}}, ("'q'", "'a'", "twice")),
        ({"q": {7: 1.0}}, {"q": {"7": 1}}, ("id-mismatch: the retrieved doc id 7", "str(doc_id)")),
        ({"q": {"a": 1.0, 7: 1.0}}, {"q": {"7": 1}}, ("id-mismatch: the retrieved doc id 7", "str(doc_id)")),
        ({7: {"a": 1.0}}, {"7": {"a": 1}}, ("id-mismatch: the retrieved query id 7", "str(query_id)")),
        ({"q": {"a": 10**400}}, {"q": {"a": 1}}, ("'q'", "'a'", "no number")),
        ({"q": ["a", "b"]}, {"q": {"a": 1}}, ("'q'", "[(doc_id, score)]")),
        ({"q": None}, {"q": {"a": 1}}, ("'q'", "[(doc_id, score)]")),
        ({"7": {"a": 1.0}}, {7: {"a": 1}}, ("id-mismatch: the judged query id 7", "str(query_id)")),
        ({"q": {"7": 1.0}}, {"q": {7: 1}}, ("id-mismatch: the judged doc id 7", "str(doc_id)")),
        ({"q": {"7": 1.0}}, {"q": {"a": 1, 7: 1}}, ("id-mismatch: the judged doc id 7", "str(doc_id)")),
        ({"q": {"a": 1.0}}, {"q": {"a": 2**53}}, ("'a'", "9007199254740992", "2^53 or more")),
        ({"q": {"a": 1.0}}, {"q": {"a": 1, "b": 1.7}}, ("'q'", "'b'", "1.7", "whole")),
        ({"q": {"a": 1.0}}, {"q": {"a": float("inf")}}, ("'a'", "inf", "whole")),
    ]  # fmt: skip
    for run, qrels, words in cases:
        with pytest.raises(InputError) as caught:
            evaluate_run(run, qrels, ["nDCG@10"])
        assert all(word in str(caught.value) for word in words), run
        assert "\n" not in str(caught.value), run


def test_unknown_rules_and_lacking_judgements_are_errors() -> None:
    with pytest.raises(InputError, match="tie rule 'random' is unknown; known: ascending"):
        evaluate_run({}, {}, [], ties="random")
    with pytest.raises(InputError, match="did you mean 'nDCG'"):
        evaluate_run({}, {}, ["ndcg@10"])
    with pytest.raises(InputError, match="give qrels or nuggets"):
        evaluate_run({}, None, [])
    with pytest.raises(InputError, match="alpha_nDCG@10 needs nugget judgements"):
        evaluate_run({}, {}, ["alpha_nDCG@10"])
    with pytest.raises(InputError, match="too great for a gain of 2"):
        evaluate_run({}, {"q": {"a": 1001}}, ["nDCG(dcg='exp-log2')@10"])

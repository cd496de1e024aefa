from __future__ import annotations

import warnings
from math import log2
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.retrieval_scores import evaluate_retrieval

RETRIEVED = {"q1": [("猫", 3.0), ("б", 2.0), ("a", 1.0)], "q2": [("x", 2.0), ("a", 1.0)]}
QRELS = {"q1": {"a": 1, "б": 2, "猫": 0}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1}}


# Requirement E4.
def test_the_call_and_the_keys_of_the_source() -> None:
    found = evaluate_retrieval(RETRIEVED, QRELS, k_values=[1, 5, 10, 100])
    assert list(found) == [
        "nDCG@1", "nDCG@5", "nDCG@10", "nDCG@100", "Recall@1", "Recall@5", "Recall@10", "Recall@100", "MAP", "MRR",
    ]  # fmt: skip
    assert found["Recall@1"] == 0
    assert found["Recall@5"] == found["Recall@100"] == (1 + 1 / 2 + 0) / 3
    assert found["MRR"] == (1 / 2 + 1 / 2 + 0) / 3
    assert found["MAP"] == pytest.approx(((1 / 2 + 2 / 3) / 2 + (1 / 2) / 2 + 0) / 3, abs=1e-15)
    first = (2 / log2(3) + 1 / log2(4)) / (2 + 1 / log2(3))
    second = (1 / log2(3)) / (1 + 1 / log2(3))
    assert found["nDCG@10"] == pytest.approx((first + second + 0) / 3, abs=1e-15)
    assert evaluate_retrieval(RETRIEVED, QRELS) == found


def test_dictionaries_give_the_same_as_lists() -> None:
    assert evaluate_retrieval({q: dict(docs) for q, docs in RETRIEVED.items()}, QRELS) == evaluate_retrieval(
        RETRIEVED, QRELS
    )


# Requirements E1 and F1.
def test_the_gain_is_an_explicit_choice() -> None:
    retrieved = {"q": [("b", 2.0), ("a", 1.0)]}
    linear = evaluate_retrieval(retrieved, {"q": {"a": 2, "b": 1}}, k_values=(5,))
    exponential = evaluate_retrieval(retrieved, {"q": {"a": 2, "b": 1}}, k_values=(5,), gain="exponential")
    assert linear["nDCG@5"] == pytest.approx((1 + 2 / log2(3)) / (2 + 1 / log2(3)), abs=1e-15)
    assert exponential["nDCG@5"] == pytest.approx((1 + 3 / log2(3)) / (3 + 1 / log2(3)), abs=1e-15)
    assert (linear.gain, exponential.gain) == ("linear", "exponential")
    assert repr(exponential).endswith(", gain='exponential')")
    assert isinstance(linear, dict)
    by_query = evaluate_retrieval(retrieved, {"q": {"a": 2, "b": 1}}, gain="exponential", per_query=True)
    assert by_query["q"].gain == "exponential"
    binary = {"q": {"a": 1, "b": 0}}
    assert evaluate_retrieval(retrieved, binary) == evaluate_retrieval(retrieved, binary, gain="exponential")
    with pytest.raises(InputError, match="did you mean 'exponential'"):
        evaluate_retrieval(retrieved, binary, gain="exponentiell")


# Requirement E2, and in E16 the negatives of MIRACL.
def test_passages_judged_not_relevant_do_not_inflate_recall() -> None:
    found = evaluate_retrieval(
        {"q": {"p": 1.0, "n1": 3.0, "n2": 2.0}}, {"q": {"p": 1, "n1": 0, "n2": 0}}, k_values=[2, 3]
    )
    assert (found["Recall@2"], found["Recall@3"], found["MRR"]) == (0, 1, 1 / 3)


def test_values_of_each_query() -> None:
    found = evaluate_retrieval(RETRIEVED, QRELS, k_values=[2], per_query=True)
    assert list(found) == ["q1", "q2", "q3"]
    assert (found["q1"]["Recall@2"], found["q2"]["MRR"], found["q3"]["MAP"]) == (1 / 2, 1 / 2, 0)


# Requirement E16: results that are not sorted.
def test_an_unsorted_list_is_sorted_and_named() -> None:
    unsorted = {query_id: docs[::-1] for query_id, docs in RETRIEVED.items()}
    with pytest.warns(UserWarning, match=r"^warning\[unsorted-run\]: the list of query 'q1'"):
        found = evaluate_retrieval(unsorted, QRELS)
    assert found == evaluate_retrieval(RETRIEVED, QRELS)


def test_sorted_lists_and_dictionaries_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate_retrieval(RETRIEVED, QRELS)
        evaluate_retrieval({"q1": {"a": 1.0, "б": 2.0}, "q2": {}}, QRELS)
        evaluate_retrieval({"q1": []}, QRELS)
        evaluate_retrieval({}, QRELS)


# Requirement E16: ids of different types.
def test_ids_that_are_not_strings_are_a_mismatch() -> None:
    cases: list[tuple[Any, Any, tuple[str, ...]]] = [
        ({"q": [(123, 1.0)]}, {"q": {"123": 1}}, ("retrieved doc id 123 is of type int",)),
        ({"q": {"123": 1.0, 7: 0.5}}, {"q": {"123": 1}}, ("retrieved doc id 7 is of type int",)),
        ({"q": [("123", 1.0)]}, {"q": {"123": 1, 7: 1}}, ("judged doc id 7 is of type int",)),
        ({"q": [("123", 1.0)]}, {"q": {123: 1}}, ("judged doc id 123 is of type int",)),
        ({1: [("a", 1.0)]}, {"1": {"a": 1}}, ("retrieved query id 1 is of type int", "str(query_id)")),
        ({"1": [("a", 1.0)]}, {1: {"a": 1}}, ("judged query id 1 is of type int",)),
        ({"q": [(12.0, 1.0)]}, {"q": {12.0: 1}}, ("doc id 12.0 is of type float", "str(doc_id)")),
    ]
    for retrieved, qrels, words in cases:
        with pytest.raises(InputError, match=r"^id-mismatch: ") as caught:
            evaluate_retrieval(retrieved, qrels)
        assert all(word in str(caught.value) for word in words), retrieved


def test_documents_without_scores_are_refused() -> None:
    wrong: list[Any] = [["a", "b"], [("a", None), ("b", None)], [("a", "x"), ("b", "y")], 7]
    for docs in wrong:
        with pytest.raises(InputError, match="query 'q'"):
            evaluate_retrieval({"q": docs}, {"q": {"a": 1}})


def test_strings_that_never_meet_are_named_too() -> None:
    with pytest.warns(UserWarning, match=r"^warning\[id-mismatch\]: .*retrieved: 'doc7', judged: '7'"):
        assert evaluate_retrieval({"q": [("doc7", 1.0)]}, {"q": {"7": 1}})["MRR"] == 0


# Requirement E16: the wrong split.
def test_queries_of_another_split_are_an_error() -> None:
    with pytest.raises(InputError, match=r"^wrong-split: .*'dev1'.*'test1'.*same split"):
        evaluate_retrieval({"dev1": {"a": 1.0}}, {"test1": {"a": 1}})
    with pytest.raises(InputError, match="there are no qrels"):
        evaluate_retrieval({"dev1": {"a": 1.0}}, {})


def test_ties_and_duplicates() -> None:
    tied = {"q": [("a", 1.0), ("b", 1.0)]}
    assert evaluate_retrieval(tied, {"q": {"b": 1}})["MRR"] == 1
    assert evaluate_retrieval(tied, {"q": {"b": 1}}, ties="order")["MRR"] == 1 / 2
    with pytest.raises(InputError, match="'a' occurs twice"):
        evaluate_retrieval({"q": [("a", 2.0), ("a", 1.0)]}, {"q": {"a": 1}})


def test_files_and_odd_cutoffs_are_refused_in_a_line() -> None:
    wrong: Any = "a.trec"
    rows: Any = ["a.trec"]
    with pytest.raises(InputError, match="retrieved must be a dictionary by query id, not str; read a file"):
        evaluate_retrieval(wrong, QRELS)
    with pytest.raises(InputError, match="qrels must be a dictionary by query id, not list"):
        evaluate_retrieval(RETRIEVED, rows)
    odd: list[Any] = [10, "10", [1, "5"], [1.5], [True], None]
    for k_values in odd:
        with pytest.raises(InputError, match="k_values must be whole numbers such as"):
            evaluate_retrieval(RETRIEVED, QRELS, k_values=k_values)

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.metrics.retrieval.coded import QrelArrays, RunArrays
from ragaliq.metrics.retrieval.ranking import evaluate_arrays, evaluate_run
from ragaliq.metrics.retrieval.ranks import Ties

MEASURES = ["nDCG@3", "nDCG(dcg='exp-log2')", "AP", "RR@2", "P@2", "R@3", "Rprec", "Judged@3", "Hole@3", "Success@1"]
ROWS = st.dictionaries(st.tuples(st.integers(0, 5), st.integers(-3, 12)), st.integers(-1, 3), max_size=40)


def arrays(
    run: dict[tuple[int, int], float], qrels: dict[tuple[int, int], int], order: Random
) -> tuple[RunArrays, QrelArrays]:
    """The rows in a random order."""
    retrieved, judged = list(run.items()), list(qrels.items())
    order.shuffle(retrieved)
    order.shuffle(judged)

    def column(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(values, dtype=np.int64)

    return (
        RunArrays(
            column([query for (query, _), _ in retrieved]),
            column([doc for (_, doc), _ in retrieved]),
            np.array([score for _, score in retrieved], dtype=np.float64),
        ),
        QrelArrays(
            column([query for (query, _), _ in judged]),
            column([doc for (_, doc), _ in judged]),
            column([rel for _, rel in judged]),
        ),
    )


def by_query(rows: dict[tuple[int, int], int]) -> dict[str, dict[str, int]]:
    """Ids of equal length, so that they are in the order of the codes."""
    found: dict[str, dict[str, int]] = {}
    for (query, doc), value in rows.items():
        found.setdefault(str(query), {})[f"{doc + 100:03}"] = value
    return found


@settings(max_examples=80, deadline=None)
@given(ROWS, ROWS, st.sampled_from(["trec", "ascending", "float32"]), st.randoms(use_true_random=False))
def test_arrays_give_what_dictionaries_give(
    run: dict[tuple[int, int], int], qrels: dict[tuple[int, int], int], ties: str, order: Random
) -> None:
    found = evaluate_arrays(*arrays({key: float(run[key]) for key in run}, qrels, order), MEASURES, ties=ties)
    expected = evaluate_run(by_query(run), by_query(qrels), MEASURES, ties=ties)
    assert found.query_ids == expected.query_ids
    assert {name: values.tolist() for name, values in found.values.items()} == {
        name: values.tolist() for name, values in expected.values.items()
    }
    assert (found.n_missing, found.n_extra, found.n_without_relevant, found.tied_at_cut) == (
        expected.n_missing, expected.n_extra, expected.n_without_relevant, expected.tied_at_cut
    )  # fmt: skip


def test_in_order_ties_stay_as_the_rows() -> None:
    query, doc = np.array([3, 1, 3, 3]), np.array([5, 5, 9, 7])
    run = RunArrays(query, doc, np.array([1.0, 1.0, 1.0, 2.0]))
    for wanted, rank in {7: 1, 5: 2, 9: 3}.items():
        qrels = QrelArrays(np.array([3]), np.array([wanted]), np.array([1]))
        found = evaluate_arrays(run, qrels, ["RR"], ties=Ties.ORDER)
        assert (found.query_ids, found.values["RR"].tolist(), found.n_extra) == (("3",), [1 / rank], 1)


def test_codes_may_be_as_far_apart_as_whole_numbers_are() -> None:
    codes = np.array([-(2**62), 2**62, 0])
    run = RunArrays(np.zeros(3, dtype=np.int64), codes, np.array([1.0, 1.0, 1.0]))
    for wanted, rank in zip(codes.tolist(), (3, 1, 2), strict=True):
        qrels = QrelArrays(np.array([0]), np.array([wanted]), np.array([1]))
        assert evaluate_arrays(run, qrels, ["RR"]).values["RR"].tolist() == [1 / rank]


@pytest.mark.parametrize(
    ("query", "doc", "score", "judged", "message"),
    [
        ([1, 1], [4, 5], [1.0, float("nan")], [4], "query 1, document 5: the score is no number"),
        ([1, 2, 1], [5, 4, 5], [1.0, 2.0, 3.0], [4], "run: document 5 stands twice under query 1"),
        ([1], [5], [1.0], [4, 4], "qrels: document 4 stands twice under query 1"),
    ],
)
def test_what_cannot_be_evaluated_is_an_error(
    query: list[int], doc: list[int], score: list[float], judged: list[int], message: str
) -> None:
    run = RunArrays(np.array(query), np.array(doc), np.array(score))
    qrels = QrelArrays(np.ones(len(judged), dtype=np.int64), np.array(judged), np.ones(len(judged), dtype=np.int64))
    with pytest.raises(InputError, match=message):
        evaluate_arrays(run, qrels, ["AP"])


@pytest.mark.parametrize(
    ("query", "doc", "rel", "message"),
    [
        ([1], [2], [0.5], "qrels: rel is of type float64; give whole numbers"),
        ([1.5], [2], [1], "qrels: query is of type float64"),
        ([1], ["a"], [1], "qrels: doc is of type <U1"),
        ([1, 2], [2], [1], r"qrels: columns of shapes .*; give one value for each row"),
        ([[1]], [[2]], [[1]], "qrels: columns of shapes"),
    ],
)
def test_columns_that_numpy_would_cut_or_stretch_are_refused(
    query: list[Any], doc: list[Any], rel: list[Any], message: str
) -> None:
    run = RunArrays(np.array([1, 1]), np.array([2, 3]), np.array([1.0, 2.0]))
    with pytest.raises(InputError, match=message):
        evaluate_arrays(run, QrelArrays(np.array(query), np.array(doc), np.array(rel)), ["RR"])
    short = RunArrays(np.array([1, 1]), np.array([2]), np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="run: columns of shapes"):
        evaluate_arrays(short, QrelArrays(np.array([1]), np.array([2]), np.array([1])), ["RR"])


def test_nugget_measures_need_nuggets() -> None:
    none = np.zeros(0, dtype=np.int64)
    with pytest.raises(InputError, match="Coverage@20 needs nugget judgements"):
        evaluate_arrays(RunArrays(none, none, none.astype(float)), QrelArrays(none, none, none), ["Coverage@20"])

"""Intervals, differences and rank sets of arrays: types, missing values, and agreement with what they wrap."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ragaliq
from ragaliq.errors import RagaliqError
from ragaliq.metrics.statistics.significance import sign_flip

SHARES = [0.0, 0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0, 1.0, 1.0, 1.0]
OTHERS = [0.2, 0.2, 0.6, 0.4, 0.8, 0.4, 1.0, 0.8, 1.0, 0.8, 1.0, 0.6]
NA = None
NAN = float("nan")


def drawn(*means: float, n: int = 40) -> np.ndarray[Any, np.dtype[np.float64]]:
    generator = np.random.default_rng(7)
    shared = generator.normal(0, 0.2, n)
    return np.array([mean + shared + generator.normal(0, 0.05, n) for mean in means])


@pytest.mark.parametrize(
    "values",
    [
        SHARES,
        tuple(SHARES),
        np.array(SHARES),
        pd.Series(SHARES),
        pd.Series(SHARES, dtype="Float64"),
        pd.Series(SHARES, index=list("abcdefghijkl")),
        np.array(SHARES, dtype=object),
    ],
)
def test_a_mean_has_the_same_interval_whatever_holds_its_values(values: Any) -> None:
    low, high = ragaliq.interval(values)
    assert (low, high) == ragaliq.interval(SHARES)
    assert 0 <= low < sum(SHARES) / 12 < high <= 1


def test_truth_values_count_as_one_and_zero() -> None:
    truths = [True, False] * 20
    assert ragaliq.interval(truths) == ragaliq.interval([1, 0] * 20)
    assert ragaliq.difference(np.array(truths), [False] * 40).estimate == -0.5


def test_a_level_above_makes_an_interval_wider() -> None:
    values = drawn(0.5)[0]
    narrow, wide = ragaliq.interval(values, level=0.8), ragaliq.interval(values, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high
    first, second = drawn(0.5, 0.6)
    assert ragaliq.difference(first, second, level=0.8).low > ragaliq.difference(first, second, level=0.99).low


def test_the_translations_of_a_question_are_one_cluster() -> None:
    values = drawn(0.5, n=30)[0]
    six, questions = np.repeat(values, 6), np.repeat(np.arange(30), 6)
    alone, copies = ragaliq.interval(values), ragaliq.interval(six, questions)
    # Six copies of each value say what one says.
    assert copies.half_width == pytest.approx(alone.half_width, rel=1e-6)
    assert ragaliq.interval(six).half_width < 0.5 * alone.half_width
    first, second = drawn(0.5, 0.55, n=30)
    p = ragaliq.difference(np.repeat(first, 6), np.repeat(second, 6), clusters=pd.Series(questions)).p
    assert p == pytest.approx(ragaliq.difference(first, second).p, abs=1e-9)


def test_a_difference_is_second_less_first_with_the_p_of_the_sign_flips() -> None:
    found = ragaliq.difference(SHARES, OTHERS)
    assert found.estimate == pytest.approx(sum(OTHERS) / 12 - sum(SHARES) / 12)
    estimate, low, high, p = found
    assert low < estimate < high
    assert p == pytest.approx(sign_flip(SHARES, OTHERS) or 0.0, abs=1e-12)
    swapped = ragaliq.difference(OTHERS, SHARES)
    assert tuple(swapped) == pytest.approx((-estimate, -high, -low, p))


def test_series_are_joined_by_their_labels() -> None:
    first = pd.Series(SHARES, index=[f"问题{place}" for place in range(12)])
    second = pd.Series(OTHERS, index=first.index)
    assert ragaliq.difference(first, second.iloc[::-1]) == ragaliq.difference(SHARES, OTHERS)
    assert ragaliq.difference(first, OTHERS) == ragaliq.difference(SHARES, OTHERS)
    groups = pd.Series(list("aabbccddeeff"), index=first.index)
    mixed = ragaliq.difference(first, second, groups.sample(frac=1, random_state=1))
    assert mixed == ragaliq.difference(SHARES, OTHERS, list("aabbccddeeff"))
    with pytest.raises(RagaliqError, match="its index is not that of the other values"):
        ragaliq.difference(first, second.rename({"问题0": "other"}))
    with pytest.raises(RagaliqError, match="the same labels, each once"):
        ragaliq.difference(first, pd.concat([second.iloc[:11], second.iloc[:1]]))


def test_rank_sets_separate_what_differs_and_join_what_does_not() -> None:
    table = drawn(0.3, 0.6, 0.6)
    assert ragaliq.rank_sets(table) == [(3, 3), (1, 2), (1, 2)]
    frame = pd.DataFrame(table, index=["a", "ведущая", "c"], columns=[f"q{place}" for place in range(40)])
    assert ragaliq.rank_sets(frame) == ragaliq.rank_sets(table.tolist()) == ragaliq.rank_sets(table)
    assert ragaliq.rank_sets(table)[0].worst == 3
    # Four clusters cannot separate anything at this level.
    groups = pd.Series(np.arange(40) % 4, index=frame.columns)
    assert ragaliq.rank_sets(frame, groups) == [(1, 3)] * 3
    assert ragaliq.rank_sets(table[::-1]) == [(1, 2), (1, 2), (3, 3)]


def test_items_that_lack_a_value_are_left_out_with_a_warning() -> None:
    table = drawn(0.3, 0.6, n=42)
    short = table[:, :40]
    table[0, 40], table[1, 41] = NAN, NAN
    with pytest.warns(UserWarning, match="rank_sets: 2 of 42 items lack a value of some system and are left out"):
        assert ragaliq.rank_sets(table) == ragaliq.rank_sets(short)
    with pytest.warns(UserWarning, match="difference: 2 of 42 items lack a value of a or b and are left out"):
        assert ragaliq.difference(*table) == ragaliq.difference(*short)
    with pytest.warns(UserWarning, match="interval: 2 of 14 items have no value and are left out"):
        assert ragaliq.interval([*SHARES, None, pd.NA]) == ragaliq.interval(SHARES)  # type: ignore[list-item]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ragaliq.interval(SHARES)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("0.5", "interval: scores: a list, a tuple, a numpy array or a pandas Series of numbers is wanted, not str"),
        (["0.5", "1"], "interval: scores, item 1: a number is wanted, not '0.5'"),
        (np.array(["0.5", "1"]), "interval: scores, item 1: a number is wanted, not '0.5'"),
        ([0.5, "1"], "item 2: a number is wanted, not '1'"),
        ([0.5, [1.0]], "item 2: a number is wanted"),
        ([0.5, 1j], "item 2: a number is wanted"),
        ({"a": 0.5}, "is wanted, not dict"),
        (0.5, "is wanted, not float"),
        (None, "is wanted, not NoneType"),
        (iter([0.5, 1.0]), "is wanted, not list_iterator"),
        (np.ones((2, 2)), "is wanted, not 2 dimensions"),
        (pd.DataFrame({"a": [0.5, 1.0]}), "is wanted, not DataFrame"),
        ([0.5, float("inf")], "item 2: infinite; write NaN for a missing value"),
        ([0.5], "at least two items with values are wanted, not 1"),
        ([], "at least two items with values are wanted, not 0"),
        (pd.to_datetime(pd.Series(["2026-01-01", "2026-01-02"])), "item 1: a number is wanted"),
    ],
)
def test_a_wrong_type_is_an_error_that_says_what_is_wanted(values: Any, message: str) -> None:
    with pytest.raises(RagaliqError, match=message.replace("(", r"\(")):
        ragaliq.interval(values)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (SHARES, "of systems × items .* is wanted, not list of single values"),
        (np.array(SHARES), "is wanted, not ndarray of single values"),
        ({"a": SHARES}, "is wanted, not dict"),
        (["abc", "def"], "is wanted"),
        ([], "is wanted"),
        ([SHARES, SHARES[:5]], r"unlike numbers of items \(12, 5\); write NaN"),
        ([SHARES, ["x"] * 12], "system 2, item 1: a number is wanted, not 'x'"),
        ([[0.5, NAN], [NAN, 0.5]], "at least two items with values are wanted, not 0"),
    ],
)
@pytest.mark.filterwarnings("ignore:rank_sets")
def test_a_wrong_table_is_an_error(table: Any, message: str) -> None:
    with pytest.raises(RagaliqError, match=message):
        ragaliq.rank_sets(table)


def test_wrong_clusters_levels_and_lengths_are_errors() -> None:
    with pytest.raises(RagaliqError, match="difference: a has 12 items and b has 11"):
        ragaliq.difference(SHARES, OTHERS[:-1])
    with pytest.raises(RagaliqError, match="interval: 2 clusters for 12 items"):
        ragaliq.interval(SHARES, ["a", "b"])
    with pytest.raises(RagaliqError, match="clusters are a list of names, one for each item, not str"):
        ragaliq.interval(SHARES, "abcdefghijkl")
    with pytest.raises(RagaliqError, match="item 2 has no cluster"):
        ragaliq.interval(SHARES, ["a", None, *"abcdefghij"])
    with pytest.raises(RagaliqError, match="at least two clusters with values are wanted, not 1"):
        ragaliq.difference(SHARES, OTHERS, ["a"] * 12)
    for level in (0, 1, 95, True, "0.95"):
        with pytest.raises(RagaliqError, match="level is a number above 0 and below 1"):
            ragaliq.rank_sets([SHARES, OTHERS], level=level)  # type: ignore[arg-type]


def test_bounds_are_two_numbers_around_all_values() -> None:
    ragaliq.interval([1, 3, 5, 5], bounds=(0, 5))
    for bounds in ((5, 0), (1,), (0, 1, 2), "01"):
        with pytest.raises(RagaliqError, match="bounds"):
            ragaliq.interval([1, 3, 5, 5], bounds=bounds)  # type: ignore[arg-type]
    with pytest.raises(RagaliqError, match="values from 1 to 5 are outside the bounds 0, 1"):
        ragaliq.interval([1, 3, 5, 5], bounds=(0, 1))


def test_the_order_of_items_changes_nothing() -> None:
    order = np.random.default_rng(1).permutation(40)
    table = drawn(0.4, 0.45, 0.6)
    assert ragaliq.rank_sets(table[:, order]) == ragaliq.rank_sets(table)
    assert ragaliq.difference(*table[:2, order]) == pytest.approx(ragaliq.difference(*table[:2]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ragaliq.interval([0.1, 0.2], seed=-1), "seed is a whole number of at least 0, not -1"),
        (lambda: ragaliq.difference([0.1, 0.2], [0.2, 0.3], seed="x"), "seed is a whole number of at least 0, not 'x'"),  # type: ignore[arg-type]
        (lambda: ragaliq.rank_sets(np.array(3.0)), "not an empty or single value"),
        (lambda: ragaliq.rank_sets([]), "not an empty or single value"),
        (lambda: ragaliq.interval({0.1, 0.2}), "is wanted, not set"),  # type: ignore[arg-type]
        (lambda: ragaliq.interval([0.1, 0.2], clusters={"a", "b"}), "not set"),  # type: ignore[arg-type]
        (lambda: ragaliq.interval([10**400, 1]), "item 1: too great a number"),
        (lambda: ragaliq.interval([1e308, 1]), r"item 1: beyond 1e\+100"),
        (lambda: ragaliq.interval([5, 5, 5]), r"all values are 5; give bounds=\(least, greatest\)"),
    ],
)
def test_what_has_no_order_or_no_size_is_an_error(call: Any, message: str) -> None:
    with pytest.raises(RagaliqError, match=message):
        call()

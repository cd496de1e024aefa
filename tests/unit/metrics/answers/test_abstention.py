from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from pytest import approx, raises

from ragaliq.metrics.answers.abstention import AbstentionTable, abstention_table
from ragaliq.metrics.statistics.intervals import share_interval

ANSWERABLE, UNANSWERABLE = True, False
ROWS = st.lists(st.tuples(st.booleans(), st.none() | st.booleans()))


def test_every_cell_and_value() -> None:
    rows = [
        *[(UNANSWERABLE, True)] * 3, *[(UNANSWERABLE, False)] * 2, (UNANSWERABLE, None),
        (ANSWERABLE, True), *[(ANSWERABLE, False)] * 4, *[(ANSWERABLE, None)] * 2,
    ]  # fmt: skip
    table = abstention_table(rows)
    assert table is not None
    precision, recall = 3 / (3 + 1), 3 / (3 + 2)
    assert table.f1 == approx(2 * precision * recall / (precision + recall), rel=1e-14)
    assert table == AbstentionTable(
        3, 2, 1, 4, 1 + 2, precision, 3 + 1, share_interval(3, 4), recall, 3 + 2, share_interval(3, 5), table.f1
    )


def test_without_an_unanswerable_query_there_is_no_table() -> None:
    for rows in [[], [(ANSWERABLE, True), (ANSWERABLE, False), (ANSWERABLE, None)]]:
        assert abstention_table(rows) is None, rows


def test_a_share_of_nothing_is_undefined() -> None:
    cases: list[tuple[list[tuple[bool, bool | None]], float | None, float | None, float | None]] = [
        ([(UNANSWERABLE, True)], 1 / 1, 1 / 1, 1),
        ([(UNANSWERABLE, False), (ANSWERABLE, True)], 0 / 1, 0 / 1, 0),
        ([(UNANSWERABLE, False), (ANSWERABLE, False)], None, 0 / 1, None),
        ([(UNANSWERABLE, None), (ANSWERABLE, True)], 0 / 1, None, None),
        ([(UNANSWERABLE, None)], None, None, None),
    ]
    for rows, precision, recall, f1 in cases:
        table = abstention_table(rows)
        assert table is not None, rows
        assert (table.precision, table.recall, table.f1) == (precision, recall, f1), rows


@given(ROWS, st.randoms(use_true_random=False))
def test_rows_are_counted_once_in_any_order(rows: list[tuple[bool, bool | None]], random: Random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    table = abstention_table(rows)
    assert abstention_table(shuffled) == table
    if table is None:
        assert all(answerable for answerable, _ in rows)
    else:
        cells = table.abstained_unanswerable + table.answered_unanswerable
        cells += table.abstained_answerable + table.answered_answerable
        assert cells + table.n_failed == len(rows)


def test_languages_of_a_query_are_one_cluster() -> None:
    # Two unanswerable queries in four languages each: one always abstained from, one never.
    rows = [*[(UNANSWERABLE, True)] * 4, *[(UNANSWERABLE, False)] * 4, (ANSWERABLE, False)]
    table = abstention_table(rows, [*["q1"] * 4, *["q2"] * 4, "q3"])
    assert table is not None
    # Variance of the share 2 · 8 / 64 = 1/4, that of a single answer.
    assert table.recall_ci == approx(share_interval(0.5, 1))
    # All of the four abstentions are right, and they are of one query.
    assert (table.precision, table.precision_n, table.precision_ci) == (1.0, 4, share_interval(1, 1))
    alone = abstention_table(rows)
    assert alone is not None
    assert replace(alone, recall_ci=table.recall_ci, precision_ci=table.precision_ci) == table
    assert alone.recall_ci == share_interval(4, 8)


def test_there_is_a_query_for_each_row() -> None:
    with raises(ValueError):
        abstention_table([(UNANSWERABLE, True), (UNANSWERABLE, True)], ["q1"])

"""Predictors that see no document."""

from __future__ import annotations

from ragaliq.build.validity.estimate import share_of
from ragaliq.build.validity.question_alone import question_alone, tells_answer
from ragaliq.types import Item, Query


def _item(query_id: str, text: str, reference: str, kind: str = "single") -> Item:
    return Item(Query(query_id, "en", text), reference, type=kind)


ITEMS = [
    _item("q1", "When does the gate open?", "At seven."),
    _item("q2", "When does the north gate open?", "At seven."),
    _item("q3", "What is a boat in one word?", "A boat."),
    _item("q4", "Who keeps watch by the lake?", "The lifeguard, until six."),
]


def test_an_answer_holds_four_fifths_of_the_words() -> None:
    assert tells_answer("It is one, two, three or four", "one two three four five") is True
    assert tells_answer("It is one, two or three", "one two three four five") is False
    assert tells_answer("no no", "no no no") is False
    assert tells_answer("anything", "?") is False


def test_each_predictor_by_hand() -> None:
    figures = question_alone("en", ITEMS, None)
    # The two gates answer each other; the nearest to q3 and q4 is another one each.
    assert (figures.nearest.count, figures.nearest.n) == (2, 4)
    # q3 alone tells its answer.
    assert (figures.echo.count, figures.echo.n) == (1, 4)
    assert figures.closed_book is figures.solved is None


def test_chance_takes_the_reference_of_another_question_of_the_type() -> None:
    alone = [
        *ITEMS[:2],
        *(_item(f"n{number}", f"How many, {number}?", f"Some {number}.", "numeric") for number in "abcd"),
    ]
    # Of the first two each has one other of its type, with the same answer; those of the others differ.
    figures = question_alone("en", alone, None)
    assert (figures.chance.count, figures.chance.n) == (2, 6)
    assert question_alone("en", alone[::-1], None).chance == figures.chance
    # Without another one of the type any other will do; without any other there is no guess.
    single = [ITEMS[0], _item("n", "How many?", "At seven.", "numeric")]
    assert question_alone("en", single, None).chance == share_of(2, 2)
    assert question_alone("en", ITEMS[:1], None).chance == share_of(0, 0)


def test_a_share_comes_with_wilsons_interval() -> None:
    share = share_of(28, 30).share
    # Of 28 of 30 the lower bound is .79: to show .9 takes 100 and more.
    assert share is not None and round(share.value, 3) == 0.933 and round(share.low or 0, 3) == 0.787
    assert share_of(0, 0).share is None

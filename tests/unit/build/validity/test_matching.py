"""Built questions drawn to be like others."""

from __future__ import annotations

import random

import pytest

from ragaliq.build.validity.matching import QuestionShape, matched, question_shape


def test_a_shape_by_hand() -> None:
    texts = ["The gate opens at seven.", "The gate is green."]
    # Of five words the first text holds `the` and `gate`, and `seven` with it: 3; the second `the` and `gate`.
    assert question_shape("q", "Is the gate at home?", "single", texts) == QuestionShape("q", "single", 5, 3 / 5)
    assert question_shape("q", "大门几点", "single").length == 4
    assert question_shape("q", "When?", "") == QuestionShape("q", "", 1, None)


def test_the_closest_pair_comes_first_and_each_question_once() -> None:
    built = [
        QuestionShape("short", "", 4, 0.5),
        QuestionShape("long", "", 20, 0.5),
        QuestionShape("middle", "", 9, 0.5),
    ]
    wanted = [QuestionShape("a", "", 5, 0.5), QuestionShape("b", "", 5, 0.5), QuestionShape("c", "", 22, 0.5)]
    assert matched("human", built, wanted[:1]).drawn == ("short",)
    assert matched("human", built, [wanted[0], wanted[2]]).drawn == ("long", "short")
    # Two like `short`: the second takes the next best.
    assert matched("human", built, wanted).drawn == ("long", "middle", "short")


def test_type_and_overlap_count_where_both_sides_know_them() -> None:
    built = [
        QuestionShape("a", "list", 6, 0.9),
        QuestionShape("b", "single", 6, 0.2),
        QuestionShape("c", "single", 6, 0.9),
    ]
    wanted = [QuestionShape("x", "single", 6, 0.9), QuestionShape("y", "single", 30, 0.1)]
    assert matched("human", built, wanted[:1]).drawn == ("c",)
    assert matched("human", built, [QuestionShape("x", "list", 6, None)]).drawn == ("a",)
    assert matched("human", built, [QuestionShape("x", "", 6, 0.2)]).drawn == ("b",)


def test_what_is_too_unlike_is_not_drawn() -> None:
    wanted = [QuestionShape(f"w{n}", "", 5 + n % 2, 0.5) for n in range(10)]
    matching = matched("log.csv", [QuestionShape("a", "", 5, 0.5), QuestionShape("b", "", 400, 0.5)], wanted)
    assert (matching.to, matching.drawn) == ("log.csv", ("a",))


def test_the_order_of_neither_side_matters() -> None:
    draw = random.Random(0)
    kinds = ["single", "list", ""]
    built, wanted = (
        [QuestionShape(f"{side}{n}", draw.choice(kinds), draw.randint(3, 30), draw.random()) for n in range(size)]
        for side, size in (("b", 40), ("w", 15))
    )
    once = matched("human", built, wanted)
    assert 0 < len(once.drawn) <= 15
    assert matched("human", built[::-1], draw.sample(wanted, 15)) == once


def test_the_balance_by_hand() -> None:
    wanted = [QuestionShape("x", "single", 6, 0.2), QuestionShape("y", "list", 6, 0.4)]
    built = [QuestionShape("a", "single", 6, 0.2), QuestionShape("b", "single", 6, 0.9)]
    overlap, kinds = (row for row in matched("human", built, wanted).balance if row.feature != "length")
    # Means .55 and .3 with a spread of .1; then .2 is drawn alone, .1 below.
    assert (overlap.before, overlap.after) == pytest.approx((2.5, -1.0))
    # All single against half of them: (|1 − .5| + |0 − .5|) / 2.
    assert (kinds.feature, kinds.before, kinds.after) == ("type", 0.5, 0.5)

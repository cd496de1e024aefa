"""One grade from several, and how much they disagree: by hand, and against the definition of a median."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.metrics.agreement.votes import Rule, Steadiness, combine, decide, disagreement
from ragaliq.types import JudgeVote, VerdictOutcome

WORTH = [1, 2, 0, 3, 4, 5]
GRADES = st.lists(st.sampled_from(range(6)), min_size=1, max_size=9)


def test_one_grade_of_several() -> None:
    cases: list[tuple[list[int], int, int]] = [
        ([5], 5, 5),
        ([1, 0, 5], 0, 0),  # in worth 1 < 0 < 5; of three different ones the median decides, both ways
        ([0, 1, 2], 2, 2),  # in worth 1 < 2 < 0, where the bare numbers would give 1
        ([4, 5], 4, 4),  # even: the lesser of the middle two
        ([0, 2], 2, 2),  # 2 is worth less than 0
        ([5, 5, 1, 1, 3], 3, 1),  # majority: of 5 and 1, both twice, the lesser
        ([1, 4, 4, 5, 5], 4, 4),
        ([0, 0, 3, 5, 5, 5], 3, 5),
    ]  # fmt: skip
    for grades, median, majority in cases:
        assert combine(grades) == median
        assert combine(grades, Rule.MAJORITY) == majority


@settings(max_examples=40, deadline=None)
@given(GRADES, st.sampled_from(Rule))
def test_the_grade_was_given_and_no_order_matters(grades: list[int], rule: Rule) -> None:
    made = combine(grades, rule)
    assert made in grades
    assert combine(grades[::-1], rule) == combine(sorted(grades), rule) == made


@given(GRADES)
def test_the_median_has_no_more_than_half_of_the_grades_on_either_side(grades: list[int]) -> None:
    place = WORTH.index(combine(grades))
    assert 2 * sum(WORTH.index(grade) < place for grade in grades) < len(grades) + 1
    assert 2 * sum(WORTH.index(grade) > place for grade in grades) <= len(grades)


def test_no_grade_or_one_off_the_scale_is_refused() -> None:
    for grades in ([], [6], [-1, 2]):
        with pytest.raises(ValueError):
            combine(grades)
    with pytest.raises(ValueError):
        decide([])


def draw(grade: int | None, judge: str = "a", outcome: VerdictOutcome = VerdictOutcome.UNPARSEABLE) -> JudgeVote:
    return JudgeVote(judge, grade, VerdictOutcome.SCORED if grade is not None else outcome)


def test_half_of_the_draws_must_have_a_grade() -> None:
    lost, cut = draw(None), draw(None, outcome=VerdictOutcome.TRUNCATED)
    assert decide([draw(4), lost]) == (4, VerdictOutcome.SCORED)
    assert decide([draw(4), lost, lost]) == (None, VerdictOutcome.UNPARSEABLE)
    assert decide([draw(5), cut, cut, lost]) == (None, VerdictOutcome.TRUNCATED)
    # Equally frequent: the first as the outcomes are listed.
    assert decide([cut, lost]) == (None, VerdictOutcome.UNPARSEABLE)


def test_disagreement_by_hand() -> None:
    items = [
        [draw(5, "a"), draw(5, "b")],
        [draw(4, "a"), draw(2, "b")],  # flips, and crosses; .8 − .2 = .6
        [draw(5, "a"), draw(4, "b")],  # flips; 1 − .8 = .2
        [draw(0, "a"), draw(1, "b")],  # flips, neither passes; .4 − 0 = .4
        [draw(3, "a"), draw(None, "b")],  # one graded draw: no comparison
        [],
    ]
    found = disagreement(items)
    assert (found.n, found.n_draws, found.n_ungraded) == (4, 10, 1)
    assert found.flip_rate == 3 / 4
    assert found.crossing_rate == 1 / 4
    assert found.mean_range == pytest.approx((0 + 0.6 + 0.2 + 0.4) / 4)
    # Of two different draws one is the median, so half of them are unlike it.
    assert found.unlike == pytest.approx((0 + 0.5 + 0.5 + 0.5) / 4)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.n, pair.exact) == ("a", "b", 4, 1 / 4)
    # By the definition of quadratic weighted kappa on (5,5), (4,2), (5,4), (0,1).
    observed = (0 + 4 + 1 + 1) / 4
    expected = sum((i - j) ** 2 for i in (5, 4, 5, 0) for j in (5, 2, 4, 1)) / 16
    assert pair.qwk == pytest.approx(1 - observed / expected)


def test_other_panels_are_left_out_of_the_pairs() -> None:
    found = disagreement([[draw(5), draw(5, "b")], [draw(3), draw(4, "b")], [draw(1, "old"), draw(2, "older")]])
    assert [(pair.first, pair.second, pair.n, pair.exact) for pair in found.pairs] == [("a", "b", 2, 1 / 2)]
    assert found.n == 3


def test_the_repeats_of_one_judge_are_no_members() -> None:
    found = disagreement([[draw(5), draw(5), draw(4)], [draw(3), draw(3), draw(3)]])
    assert (found.n, found.flip_rate, found.pairs, found.within) == (2, 1 / 2, (), ())


def test_noise_within_a_member_is_told_apart_from_disagreement_between_members() -> None:
    items = [
        # a flips and crosses, yet its median is that of b.
        [draw(2, "a"), draw(4, "a"), draw(4, "a"), draw(4, "b")],
        # a is steady, and b says otherwise.
        [draw(5, "a"), draw(5, "a"), draw(5, "a"), draw(1, "b")],
        # One draw of a is left; the member has no grade.
        [draw(5, "a"), draw(None, "a"), draw(None, "a"), draw(4, "b")],
    ]
    found = disagreement(items)
    assert (found.n, found.n_draws, found.n_ungraded) == (2, 12, 2)
    assert (found.flip_rate, found.crossing_rate, found.mean_range) == (1 / 2, 1 / 2, 1 / 2)
    # b drew once for each answer, and so has no steadiness to show.
    assert found.within == (Steadiness("a", 2, 1 / 2, 1 / 2),)
    assert [(pair.first, pair.second, pair.n, pair.exact) for pair in found.pairs] == [("a", "b", 2, 1 / 2)]


def test_nothing_drawn_is_undefined() -> None:
    found = disagreement([[], []])
    assert (found.n, found.flip_rate, found.crossing_rate, found.mean_range, found.unlike) == (
        0,
        None,
        None,
        None,
        None,
    )
    assert found.pairs == ()

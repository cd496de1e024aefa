"""What models know without documents."""

from __future__ import annotations

import pytest

from ragaliq.build.quality.built import Built
from ragaliq.build.quality.closed_book_figures import SolvedShare, closed_book_gaps, solved_shares


def test_each_model_has_its_share_over_the_queries_of_the_benchmark(built: Built) -> None:
    # q3 is not in the benchmark.
    assert solved_shares(built) == [SolvedShare("a", 2, 4, 3 / 4, 1), SolvedShare("b", 1, 1, 0.0, 0)]


def test_c31_the_gap_between_sub_questions_and_closed_book_answers_is_a_sign_of_contamination(built: Built) -> None:
    (gap,) = closed_book_gaps(built)
    # Sub-questions find d1 of d1, d2, d4 and nothing for q2; closed-book answers nothing for q1 and d5 for q2.
    assert (gap.lang, gap.queries) == ("en", 2)
    assert gap.subquestions == pytest.approx((1 / 3 + 0) / 2)
    assert gap.closed_book == pytest.approx((0 + 1) / 2)
    assert gap.difference == pytest.approx(((1 / 3 - 0) + (0 - 1)) / 2)
    # Of the four ways to sign 1/3 and 1, two sums are further from 0 than 2/3 and two as far.
    assert gap.p == (2 + 2 / 2) / 4

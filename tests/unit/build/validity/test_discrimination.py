"""Discriminative power, both sides with as many questions."""

from __future__ import annotations

import numpy as np
import pytest

from ragaliq.build.validity.discrimination import discriminative_power

GENERATOR = np.random.default_rng(0)
# Three configurations over sixty questions: two level up to noise, one far below.
FAR = np.array([0.0, 0.0, -2.0])[:, None] + GENERATOR.normal(0, 0.3, size=(3, 60))


def test_by_hand() -> None:
    figures = discriminative_power("RR", FAR, FAR)
    assert (figures.n, figures.pairs) == (60, 3)
    # The first two are not told apart, the third from both: 2 of 3 pairs.
    assert figures.built == figures.human == pytest.approx(2 / 3)
    assert figures.disagreements == 0


def test_both_sides_are_drawn_to_the_number_of_the_smaller() -> None:
    # Four questions cannot tell anything apart: the least p value, 1/2 · 2/16, times 3 pairs is above .05.
    figures = discriminative_power("RR", FAR, FAR[:, :4])
    assert (figures.n, figures.built, figures.human) == (4, 0.0, 0.0)


def test_opposite_findings_are_counted() -> None:
    turned = discriminative_power("RR", FAR, -FAR)
    assert turned.disagreements == 2


def test_nothing_to_tell_apart_is_none() -> None:
    for side in (FAR[:1], FAR[:, :0]):
        figures = discriminative_power("RR", side, side)
        assert (figures.built, figures.human) == (None, None)


def test_equal_configurations_are_never_told_apart() -> None:
    same = np.repeat(FAR[:1], 3, axis=0)
    assert discriminative_power("RR", same, FAR).built == 0.0


def test_many_pairs_need_smaller_p_values() -> None:
    # Over six questions that all agree p is 1/64; of six pairs Holm asks for less than .05 / 6.
    apart = np.repeat(np.array([[1.0, 2, 4, 8]]).T, 6, axis=1)
    assert discriminative_power("RR", apart, apart).built == 0.0
    assert discriminative_power("RR", apart[:2], apart[:2]).built == 1.0

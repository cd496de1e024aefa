"""Sums of signed parts: the lattice's count against every assignment, and which parts are counted at all."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.metrics.statistics.sign_flips import exact_tail, sign_flip_tail, sign_flip_tails

FIFTHS = st.lists(st.sampled_from([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]), min_size=1, max_size=10)


@settings(max_examples=25, deadline=None)
@given(FIFTHS)
def test_multiples_of_a_step_are_counted_like_any_parts(fifths: list[int]) -> None:
    sums = [
        abs(sum(sign * part for sign, part in zip(signs, fifths, strict=True)))
        for signs in product((1, -1), repeat=len(fifths))
    ]
    observed = abs(sum(fifths))
    expected = (sum(each > observed for each in sums) + sum(each == observed for each in sums) / 2) / len(sums)
    assert exact_tail(np.array(fifths) / 5) == pytest.approx(expected)


def test_parts_that_have_no_step_are_counted_up_to_twenty() -> None:
    parts = np.sqrt(np.arange(2.0, 60.0))
    assert exact_tail(parts[:20]) == pytest.approx(2.0**-20)
    assert exact_tail(parts[:21]) is None
    # All one way is as far as it gets: of the draws, the one observed.
    assert sign_flip_tail(parts[:21], seed=0, draws=50) == 0.5 / 51


def test_parts_of_very_unlike_sizes_are_counted_one_by_one() -> None:
    # 1 decides the sign; 1e-300 is next to nothing, so that both its signs are as far.
    assert exact_tail(np.array([1.0, 1e-300])) == pytest.approx(1 / 2)


def test_many_columns_at_once_are_each_as_alone() -> None:
    generator = np.random.default_rng(1)
    deltas = generator.normal(0.3, 1.0, size=(16, 5))
    deltas[:, 3], deltas[:3, 4] = 0.0, 0.0
    tails = sign_flip_tails(deltas, seed=0, draws=40_000)
    # Of a column of zeros nothing can be told; the others are counted exactly, and drawn to about .005.
    assert tails[3] == 1.0
    for column in (0, 1, 2, 4):
        parts = deltas[:, column]
        assert tails[column] == pytest.approx(exact_tail(parts[parts != 0]), abs=0.01)
    # All one way: of the draws, the one observed, and its mirror image about once in 2^15 draws.
    assert sign_flip_tails(np.sqrt(np.arange(2.0, 32.0))[:, None], seed=0, draws=100).tolist() == [0.5 / 101]

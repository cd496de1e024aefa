"""The share of rankings that look good, and Wilson's interval."""

from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.answers.lgtm import LgtmShare, lgtm_share


def test_three_of_four_by_hand() -> None:
    z = 1.959963984540054
    # (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n) with p = 3/4, n = 4
    centre, half = 3 / 4 + z**2 / 8, z * sqrt(3 / 64 + z**2 / 64)
    found = lgtm_share([True, True, False, True])
    assert (found.n, found.good, found.share) == (4, 3, 3 / 4)
    assert found.interval == pytest.approx(((centre - half) / (1 + z**2 / 4), (centre + half) / (1 + z**2 / 4)))


def test_no_label_has_no_share() -> None:
    assert lgtm_share([]) == LgtmShare(0, 0, None, None)


def test_none_good_and_all_good_are_exact_at_their_end() -> None:
    z2 = 1.959963984540054**2
    none, everything = lgtm_share([False] * 10).interval, lgtm_share([True] * 10).interval
    assert none is not None
    assert everything is not None
    assert none.low == 0.0
    assert none.high == pytest.approx(z2 / (10 + z2))
    assert everything.low == pytest.approx(10 / (10 + z2))
    assert everything.high == 1.0


@given(st.integers(1, 5000), st.data())
def test_it_is_scipys(n: int, data: st.DataObject) -> None:
    good = data.draw(st.integers(0, n))
    theirs = stats.binomtest(good, n).proportion_ci(0.95, method="wilson")
    ours = lgtm_share([True] * good + [False] * (n - good)).interval
    assert ours is not None
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0 <= ours.low <= good / n <= ours.high <= 1

from __future__ import annotations

import random
from itertools import pairwise, permutations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.metrics.agreement.rank_correlation import kendall_tau, rank_correlation, tau_ap

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=6)


def test_by_hand() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == 1
    assert rank_correlation([1, 2, 3], [0.3, 0.2, 0.1]) == -1
    # Ranks 1 2 3 4 and 1.5 1.5 3 4: 1 − deviations 4.5 / sqrt(5 · 4.5) …
    assert rank_correlation([1, 2, 3, 4], [7, 7, 8, 9]) == pytest.approx(4.5 / (5 * 4.5) ** 0.5)


def test_undefined_is_none() -> None:
    assert rank_correlation([], []) is None
    assert rank_correlation([1], [2]) is None
    assert rank_correlation([1, 1, 1], [1, 2, 3]) is None
    with pytest.raises(ValueError, match="no pairs"):
        rank_correlation([1], [])


def test_it_is_that_of_scipy_with_ties() -> None:
    from scipy.stats import spearmanr

    generator = random.Random(3)
    for _ in range(50):
        size = generator.randint(3, 40)
        one = [generator.randint(0, 5) for _ in range(size)]
        two = [round(generator.random(), 1) for _ in range(size)]
        if len(set(one)) > 1 and len(set(two)) > 1:
            assert rank_correlation(one, two) == pytest.approx(spearmanr(one, two).statistic, abs=1e-12)


def test_kendall_by_hand() -> None:
    assert kendall_tau([4, 3, 2, 1], [40, 30, 20, 10]) == 1
    assert kendall_tau([4, 3, 2, 1], [1, 2, 3, 4]) == -1
    # One of six pairs is exchanged: (5 − 1) / 6.
    assert kendall_tau([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(4 / 6)
    # One pair is tied on one side: 5 concordant of √(6 · 5).
    assert kendall_tau([4, 3, 2, 1], [3, 3, 2, 1]) == pytest.approx(5 / 30**0.5)


def test_kendall_is_that_of_scipy_with_ties() -> None:
    from scipy.stats import kendalltau

    generator = random.Random(4)
    for _ in range(50):
        size = generator.randint(3, 30)
        one = [generator.randint(0, 5) for _ in range(size)]
        two = [round(generator.random(), 1) for _ in range(size)]
        if len(set(one)) > 1 and len(set(two)) > 1:
            assert kendall_tau(one, two) == pytest.approx(kendalltau(one, two).statistic, abs=1e-12)


def test_tau_ap_by_hand() -> None:
    assert tau_ap([4, 3, 2, 1], [40, 30, 20, 10]) == 1
    assert tau_ap([4, 3, 2, 1], [1, 2, 3, 4]) == -1
    # The upper two exchanged: 2/3 · (0/1 + 2/2 + 3/3) − 1. The lower two: 2/3 · (1/1 + 2/2 + 2/3) − 1.
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(1 / 3)
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(7 / 9)
    # The best comes last in the estimate: 2/3 · (1/1 + 2/2 + 0/3) − 1. Exchanged: 2/3 · (0 + 1/2 + 2/3) − 1.
    assert tau_ap([1, 4, 3, 2], [4, 3, 2, 1]) == pytest.approx(1 / 3)
    assert tau_ap([4, 3, 2, 1], [1, 4, 3, 2]) == pytest.approx(-2 / 9)


def test_a_correlation_without_order_is_none() -> None:
    for of in (kendall_tau, tau_ap):
        assert of([], []) is None
        assert of([1], [2]) is None
        assert of([1, 1, 1], [1, 2, 3]) is None
        assert of([1, 2, 3], [1, 1, 1]) is None
        with pytest.raises(ValueError, match="no pairs"):
            of([1], [])


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(pairs: list[tuple[int, int]], order: random.Random) -> None:
    shuffled = order.sample(pairs, len(pairs))
    for of in (kendall_tau, tau_ap):
        before, after = (of([one for one, _ in rows], [two for _, two in rows]) for rows in (pairs, shuffled))
        assert (before is None and after is None) or before == pytest.approx(after, abs=1e-12)


@given(PAIRS)
def test_tau_ap_with_ties_is_the_mean_over_all_ways_to_break_them(pairs: list[tuple[int, int]]) -> None:
    estimated, reference = [one for one, _ in pairs], [two for _, two in pairs]
    value = tau_ap(estimated, reference)
    if value is not None:
        rankings = [order for order in permutations(range(len(pairs))) if _descends(estimated, order)]
        truths = [order for order in permutations(range(len(pairs))) if _descends(reference, order)]
        assert value == pytest.approx(fmean(_tau_ap(one, two) for one in rankings for two in truths))


def _descends(values: list[int], order: tuple[int, ...]) -> bool:
    return all(values[one] >= values[two] for one, two in pairwise(order))


def _tau_ap(ranking: tuple[int, ...], truth: tuple[int, ...]) -> float:
    """Return τ_AP of two rankings without ties, as the paper writes it."""
    shares = [
        sum(truth.index(item) < truth.index(ranking[rank]) for item in ranking[:rank]) / rank
        for rank in range(1, len(ranking))
    ]
    return 2 / (len(ranking) - 1) * sum(shares) - 1

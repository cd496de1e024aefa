from __future__ import annotations

import random

import pytest

from ragaliq.metrics.agreement.rank_correlation import rank_correlation


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

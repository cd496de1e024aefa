from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.clusters import clustered
from ragaliq.metrics.statistics.unseen import chance_at_most, lower_end

VALUES = st.lists(st.sampled_from([-1.0, -0.4, -0.2, 0.0, 0.2, 0.6, 1.0]), min_size=1, max_size=40)


@pytest.mark.parametrize(("n", "ones"), [(1, 1), (25, 20), (40, 3), (200, 199), (200, 1)])
def test_values_of_zero_and_one_have_the_exact_binomial_test(n: int, ones: int) -> None:
    groups = clustered(np.array([1.0] * ones + [0.0] * (n - ones)), None)
    for share in (0.01, 0.3, 0.9):
        exact = stats.binomtest(ones, n, share, alternative="greater").pvalue
        assert chance_at_most(groups, share, 0.0, 1.0) == pytest.approx(exact, rel=1e-9)
    for alpha in (0.001, 0.025, 0.05):
        exact = stats.binomtest(ones, n).proportion_ci(1 - 2 * alpha, "exact").low
        assert lower_end(groups, 0.0, 1.0, alpha) == pytest.approx(exact, abs=2e-7)


def test_it_is_the_mean_with_random_weights() -> None:
    values = np.array([0.6, 0.2, 0.2, -0.2, 0.0])
    weights = np.random.default_rng(0).dirichlet(np.ones(6), 200_000)
    means = weights @ np.append(values, -1.0)
    groups = clustered(values, None)
    for mean in (-0.3, -0.1, 0.1):
        share = float((means <= mean).mean())
        assert chance_at_most(groups, mean, -1.0, 1.0) == pytest.approx(share, abs=4 * (0.25 / 200_000) ** 0.5)


def test_small_chances_are_exact() -> None:
    # All of 500 are right: .6 and less has the chance .6 ** 500 = 1.2e-111.
    groups = clustered(np.ones(500), None)
    assert chance_at_most(groups, 0.6, 0.0, 1.0) == pytest.approx(0.6**500, rel=1e-6)


def test_nothing_above_the_mean_is_no_evidence() -> None:
    assert chance_at_most(clustered(np.zeros(9), None), 0.0, -1.0, 1.0) == 1.0
    assert lower_end(clustered(np.full(9, -1.0), None), -1.0, 1.0, 0.025) == -1.0


@settings(max_examples=60, deadline=None)
@given(VALUES, st.sampled_from([0.004, 0.025, 0.05]), st.sampled_from([1, 3]))
def test_an_end_is_where_the_chance_is_alpha(values: list[float], alpha: float, size: int) -> None:
    names = [str(place // size) for place in range(len(values))]
    groups = clustered(np.array(values), names)
    end = lower_end(groups, -1.0, float(size), alpha)
    assert -1 <= end <= groups.mean[0]
    if groups.mean[0] > -1:
        assert chance_at_most(groups, end - 2e-6, -1.0, float(size)) <= alpha
        assert chance_at_most(groups, end + 2e-6, -1.0, float(size)) >= alpha
    # Neither the order of the values nor that of the clusters counts.
    back = clustered(np.array(values[::-1]), names[::-1])
    assert lower_end(back, -1.0, float(size), alpha) == end

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.power import detectable_difference, power_of, queries_needed

SD, DIFFERENCE = st.floats(0.01, 2), st.floats(0.01, 1)


@pytest.mark.parametrize(("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_the_numbers_of_the_textbooks(effect: float, n: int) -> None:
    # A paired t test at .05, two-sided, power .8 (Cohen's small, medium and large effects; G*Power).
    assert queries_needed(1.0, effect) == n


@pytest.mark.parametrize(
    ("sd", "n", "expected"), [(0.19, 70, 0.0636), (0.27, 70, 0.0904), (0.19, 315, 0.03), (0.27, 636, 0.03)]
)
def test_the_sizes_of_the_reference_benchmark(sd: float, n: int, expected: float) -> None:
    # Nearly (z.975 + z.8) · sd / √n = 2.8016 · sd / √n; Student's t asks for a little more.
    found = detectable_difference(sd, n)
    assert found is not None
    assert expected == pytest.approx(2.8016 * sd / sqrt(n), rel=0.003)
    assert expected <= found <= expected * (1 + 1.2 / n + 0.003)


def test_the_power_is_that_of_many_samples() -> None:
    generator, runs = np.random.default_rng(0), 4000
    t = stats.ttest_1samp(generator.normal(0.4, 1, (runs, 30)), 0, axis=1)
    expected = power_of(0.4, 1.0, 30)
    assert expected is not None
    assert float((t.pvalue < 0.05).mean()) == pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / runs))


def test_what_never_varies_is_seen_at_once() -> None:
    assert (detectable_difference(0.0, 5), queries_needed(0.0, 0.1), power_of(0.1, 0.0, 5)) == (0, 2, 1)
    assert power_of(0.0, 0.0, 5) is None


def test_what_no_number_of_queries_shows() -> None:
    assert queries_needed(0.2, 0.0) is None
    assert queries_needed(1.0, 1e-8) is None
    assert detectable_difference(0.2, 1) is None
    assert power_of(0.1, 0.2, 1) is None


def test_no_difference_is_seen_as_often_as_the_level_says() -> None:
    assert power_of(0.0, 0.3, 70) == pytest.approx(0.05)
    assert power_of(0.0, 0.3, 70, level=0.01) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("sd", "power", "level"), [(-1.0, 0.8, 0.05), (1.0, 0.8, 0.0), (1.0, 1.0, 0.05), (1.0, 0.04, 0.05)]
)
def test_what_is_no_sd_power_or_level_is_refused(sd: float, power: float, level: float) -> None:
    with pytest.raises(ValueError, match=r"standard deviation|level|power"):
        detectable_difference(sd, 70, power, level)
    with pytest.raises(ValueError, match=r"standard deviation|level|power"):
        queries_needed(sd, 0.1, power, level)


@settings(max_examples=60, deadline=None)
@given(SD, DIFFERENCE, st.floats(0.2, 0.99))
def test_the_number_needed_is_the_least_that_is_enough(sd: float, difference: float, power: float) -> None:
    n = queries_needed(sd, difference, power)
    assert n is not None
    enough, less = power_of(difference, sd, n), power_of(difference, sd, n - 1)
    assert enough is not None and enough >= power
    assert n == 2 or (less is not None and less < power)
    detectable = detectable_difference(sd, n, power)
    assert detectable is not None and detectable <= difference * (1 + 1e-9)

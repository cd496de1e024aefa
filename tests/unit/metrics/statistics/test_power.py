from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.power import detectable_difference, queries_needed

SD, DIFFERENCE = st.floats(0.01, 2), st.floats(0.01, 1)


def power_of(difference: float, sd: float, n: int) -> float:
    """The chance that a two-sided paired t test at .05 sees a difference: scipy's noncentral t."""
    critical, shift = stats.t.ppf(0.975, n - 1), difference / sd * n**0.5
    return float(stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift))


def test_the_numbers_of_the_textbooks() -> None:
    # A paired t test at .05, two-sided, power .8 (Cohen's small, medium and large effects; G*Power).
    for effect, n in ((0.2, 199), (0.5, 34), (0.8, 15)):
        assert queries_needed(1.0, effect) == n


def test_the_sizes_of_the_reference_benchmark() -> None:
    # Nearly (z.975 + z.8) · sd / √n = 2.8016 · sd / √n; Student's t asks for a little more.
    for sd, n, expected in ((0.19, 70, 0.0636), (0.27, 70, 0.0904), (0.19, 315, 0.03), (0.27, 636, 0.03)):
        found = detectable_difference(sd, n)
        assert found is not None
        assert expected == pytest.approx(2.8016 * sd / sqrt(n), rel=0.003)
        assert expected <= found <= expected * (1 + 1.2 / n + 0.003)


def test_the_power_is_that_of_the_noncentral_t() -> None:
    for sd, n in ((0.3, 12), (0.19, 70), (1.5, 400)):
        found = detectable_difference(sd, n)
        assert found is not None and power_of(found, sd, n) == pytest.approx(0.8, abs=1e-6)


def test_what_is_seen_at_once_and_what_no_number_of_queries_shows() -> None:
    assert (detectable_difference(0.0, 5), queries_needed(0.0, 0.1)) == (0, 2)
    assert queries_needed(0.2, 0.0) is None
    # 2.8016² / difference², up to 10⁹.
    assert queries_needed(1.0, 1e-4) == pytest.approx(2.8016**2 * 1e8, rel=1e-4)
    assert queries_needed(1.0, 8e-5) is None
    assert detectable_difference(0.2, 1) is None


def test_what_is_no_sd_is_refused() -> None:
    with pytest.raises(ValueError, match="standard deviation"):
        detectable_difference(-1.0, 70)
    with pytest.raises(ValueError, match="standard deviation"):
        queries_needed(-1.0, 0.1)


@settings(max_examples=20, deadline=None)
@given(SD, DIFFERENCE)
def test_the_number_needed_is_the_least_that_is_enough(sd: float, difference: float) -> None:
    n = queries_needed(sd, difference)
    assert n is not None
    detectable, less = detectable_difference(sd, n), detectable_difference(sd, n - 1)
    assert detectable is not None and detectable <= difference * (1 + 1e-9)
    assert n == 2 or (less is not None and less > difference * (1 - 1e-9))

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ragaliq.metrics.statistics.power import Seen, detectable_difference, queries_needed, seen_difference

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


def test_wrong_signs_and_exaggeration_are_those_of_gelman_and_carlin() -> None:
    # Their examples, known standard errors: (effect, standard error) → power, type S, type M.
    many = 100_001
    for effect, error, expected in (((0.1), 3.28, (0.05, 0.46, 77)), (2, 8.1, (0.06, 0.24, 9.5))):
        found = seen_difference(error * many**0.5, effect, many)
        assert found.exaggeration is not None
        assert (round(found.power, 2), round(found.wrong_sign, 2)) == expected[:2]
        assert found.exaggeration == pytest.approx(expected[2], rel=0.01)


def test_few_queries_mislead_as_simulated_samples_do() -> None:
    generator = np.random.default_rng(0)
    for n, effect, level in ((5, 0.3, 0.05), (25, 0.2, 0.05), (12, 0.4, 0.01)):
        drawn = generator.normal(effect, 1, (60_000, n))
        means = drawn.mean(axis=1)
        critical = stats.t.ppf(1 - level / 2, n - 1)
        significant = means[np.abs(means) > critical * drawn.std(axis=1, ddof=1) / n**0.5]
        found = seen_difference(1.0, effect, n, level)
        share, wrong = len(significant) / 60_000, float((significant < 0).mean())
        assert found.power == pytest.approx(share, abs=4 * (share / 60_000) ** 0.5)
        assert found.wrong_sign == pytest.approx(wrong, abs=4 * (max(wrong, 1e-3) / len(significant)) ** 0.5)
        assert found.exaggeration == pytest.approx(np.abs(significant).mean() / effect, rel=0.02)


def test_no_spread_no_difference_and_too_few_queries() -> None:
    assert seen_difference(0.0, 0.1, 5) == Seen(1.0, 0.0, 1.0)
    assert seen_difference(0.0, 0.0, 5) == Seen(0.0, 0.5, None)
    none = seen_difference(0.3, 0.0, 50)
    assert none.power == pytest.approx(0.05) and none.wrong_sign == pytest.approx(0.5) and none.exaggeration is None
    assert seen_difference(0.3, -0.1, 50) == seen_difference(0.3, 0.1, 50)
    with pytest.raises(ValueError, match="two queries or more"):
        seen_difference(0.3, 0.1, 1)


def test_a_corrected_level_asks_for_more_queries() -> None:
    # Bonferroni over 3 pairs: (z(1 − .05/6) + z(.8))² = 10.47 against 7.85 for one.
    one, three = queries_needed(1.0, 0.05), queries_needed(1.0, 0.05, 0.05 / 3)
    assert one is not None and three is not None
    assert three / one == pytest.approx(10.47 / 7.849, rel=0.002)
    found = detectable_difference(1.0, three, 0.05 / 3)
    assert found == pytest.approx(0.05, rel=1e-3)
    assert queries_needed(0.27, 0.05, power=0.9) == 309


@pytest.mark.parametrize("tests", [1, 3, 36, 105, 630, 5000])
def test_at_any_level_the_power_grows_with_the_queries(tests: int) -> None:
    # scipy's noncentral t is not a number here and there in the far tail.
    level = 0.05 / tests
    sizes = (*range(2, 100, 7), *range(100, 1400, 20), 5000, 50_000)
    powers = [seen_difference(0.27, 0.05, n, level).power for n in sizes]
    assert np.isfinite(powers).all() and (np.diff(powers) > -1e-9).all()
    n = queries_needed(0.27, 0.05, level)
    assert n is not None
    normal = (stats.norm.isf(level / 2) + stats.norm.isf(0.2)) ** 2 * (0.27 / 0.05) ** 2
    assert normal < n < normal + 12


def test_two_queries_at_a_small_level_have_the_power_that_they_promise() -> None:
    generator = np.random.default_rng(5)
    for level in (0.05 / 15, 0.05 / 630):
        difference = detectable_difference(1.0, 2, level)
        assert difference is not None
        pairs = generator.normal(difference, 1, (100_000, 2))
        t = pairs.mean(axis=1) / (pairs.std(axis=1, ddof=1) / 2**0.5)
        # Four standard errors.
        assert (t > stats.t.ppf(1 - level / 2, 1)).mean() == pytest.approx(0.8, abs=4 * 0.0013)

"""Agreement of people on what more than one of them judged."""

from __future__ import annotations

import pytest

from ragaliq.metrics.agreement.coefficients import alpha_of_raters, kappa_of_raters
from ragaliq.metrics.agreement.double_annotation import DoubleAnnotation, double_annotation


def test_two_raters_by_hand() -> None:
    """0 not, 1 partial, 2 relevant: four items, one disagreement (2 against 1); a fifth has one rating."""
    units = [{"ada": 2, "bo": 2}, {"ada": 2, "bo": 1}, {"ada": 0, "bo": 0}, {"ada": 0, "bo": 0}, {"ada": 1}]
    found = double_annotation(units, ordered=True)
    assert (found.n, found.n_raters, found.exact) == (4, 2, 3 / 4)
    # Observed 3/4. Expected: ada 2,0,2 and bo 2,1,1 of 0, 1, 2: (2·2 + 0·1 + 2·1) / 16 = 3/8.
    assert found.cohen_kappa == pytest.approx((3 / 4 - 3 / 8) / (1 - 3 / 8))
    # 8 ratings, 4 of 0, 1 of 1, 3 of 2; two coincidences are unlike. Pairs of unlike values: 4·1 + 4·3 + 1·3.
    assert found.alpha == pytest.approx(1 - 7 * 2 / (2 * (4 * 1 + 4 * 3 + 1 * 3)))
    # Places of the values: 0 at 2, 1 at 4.5, 2 at 6.5; squared distances 6.25 (0, 1), 20.25 (0, 2), 4 (1, 2).
    expected = 2 * (4 * 1 * 6.25 + 4 * 3 * 20.25 + 1 * 3 * 4)
    assert found.ordinal_alpha == pytest.approx(1 - 7 * (2 * 4) / expected)


def test_three_raters_have_alpha_and_no_kappa() -> None:
    """Two items that all three judge alike but one, a third judged by two."""
    units = [{"a": 1, "b": 1, "c": 1}, {"a": 0, "b": 0, "c": 1}, {"b": 0, "c": 0}]
    found = double_annotation(units, ordered=False)
    assert (found.n, found.n_raters, found.exact, found.cohen_kappa) == (3, 3, 2 / 3, None)
    # 8 ratings, four of each. The second item has 2 · 1 unlike pairs in each order, over 3 − 1.
    assert found.alpha == pytest.approx(1 - 7 * (2 * 2 / 2) / (2 * 4 * 4))
    assert found.ordinal_alpha is None


def test_what_is_not_defined_is_none() -> None:
    assert double_annotation([], ordered=True) == DoubleAnnotation(0, 0, None, None, None, None)
    assert double_annotation([{"a": 1}], ordered=True) == DoubleAnnotation(0, 0, None, None, None, None)
    same = double_annotation([{"a": 1, "b": 1}], ordered=True)
    assert same == DoubleAnnotation(1, 2, 1.0, None, None, None)
    assert kappa_of_raters([]) is None


def test_more_values_than_there_are_grades() -> None:
    """Counts may exceed 5."""
    assert kappa_of_raters([(0, 0), (90, 90)]) == 1
    assert alpha_of_raters([[0, 0], [90, 90]]) == 1
    assert alpha_of_raters([[0, 7], [7, 0]], ordered=False) == pytest.approx(1 - 3 * 4 / (2 * 2 * 2))

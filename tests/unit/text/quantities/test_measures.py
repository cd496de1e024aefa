"""Measures across units."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.quantities.measures import in_unit, unit_values

LANGS = ("en", "de", "fr", "es", "ru", "zh")
_FACTORS = {
    ("km", "m"): 1000,
    ("m", "cm"): 100,
    ("kg", "g"): 1000,
    ("h", "min"): 60,
    ("min", "seconds"): 60,
    ("l", "ml"): 1000,
}


@pytest.mark.parametrize("lang", LANGS)
def test_equal_values_in_other_units(lang: str) -> None:
    cases: list[tuple[str, str, bool]] = [
        ("1.5 km", "1500 m", True),
        ("1.5 km", "1500 cm", False),
        ("2 kg", "2000 g", True),
        ("0.750 kg", "750 g", True),
        ("0,750 kg", "750 kg", False),
        ("90 min", "1.5 h", True),
        ("90 min", "1 h 30 min", True),
        ("68 °f", "20 °c", True),
        ("20 °f", "20 °c", False),
        ("-5 °c", "5 °c", False),
        ("2 kg", "2 km", False),
        ("5 mi", "8 km", True),
        ("5 mi", "9 km", False),
    ]
    for one, other, equal in cases:
        (left,), (right,) = unit_values(one, lang), unit_values(other, lang)
        assert left.equals(right) is equal, (one, other)
        assert right.equals(left) is equal, (one, other)


@given(st.sampled_from(sorted(_FACTORS)), st.integers(1, 9999), st.sampled_from(LANGS))
def test_a_value_in_the_smaller_unit_is_the_same(units: tuple[str, str], value: int, lang: str) -> None:
    great, small = units
    (one,), (other,) = unit_values(f"{value} {great}", lang), unit_values(f"{value * _FACTORS[units]} {small}", lang)
    assert one.equals(other)
    assert in_unit(other.value, other.dimension, great) == value
    (wrong,) = unit_values(f"{value * _FACTORS[units] + 1} {small}", lang)
    assert not one.equals(wrong)


def test_an_article_counts_one() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "an hour"), ("de", "eine stunde"), ("fr", "une heure"), ("es", "una hora"), ("ru", "один час"),
        ("zh", "一小时"),
    ]  # fmt: skip
    for lang, text in cases:
        (measure,) = unit_values(text, lang)
        assert (measure.value, measure.counted) == (Fraction(3600), False), text


def test_times_prices_and_bare_numbers_are_no_measures() -> None:
    assert not unit_values("at 9:30, £30 m, 12 beds, 3/4 l", "en")

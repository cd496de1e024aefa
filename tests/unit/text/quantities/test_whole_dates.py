"""Dates in any order."""

from __future__ import annotations

from datetime import date

from babel.dates import format_date
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.quantities.whole_dates import whole_dates
from ragaliq.text.terms import fold

LANGS = ("en", "de", "fr", "es", "ru", "zh")
DATES = st.dates(date(1950, 1, 1), date(2049, 12, 31))


@given(DATES, st.sampled_from(LANGS), st.sampled_from(["long", "full", "medium"]))
def test_a_date_as_its_language_writes_it_is_the_iso_date(day: date, lang: str, form: str) -> None:
    (written,) = whole_dates(fold(format_date(day, form, locale=lang)), lang)
    (iso,) = whole_dates(day.isoformat(), lang)
    assert written.equals(iso)


@given(DATES, DATES, st.sampled_from(LANGS))
def test_other_dates_are_not_equal(one: date, other: date, lang: str) -> None:
    (left,), (right,) = whole_dates(one.isoformat(), lang), whole_dates(other.isoformat(), lang)
    assert left.equals(right) is (one == other)


def test_a_year_counts_where_both_name_one() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "july 3"), ("de", "3. juli"), ("fr", "3 juillet"), ("es", "3 de julio"), ("ru", "3 июля"),
        ("zh", "7月3日"),
    ]  # fmt: skip
    for lang, text in cases:
        (short,), (one,), (other,) = (whole_dates(each, lang) for each in (text, "2026-07-03", "2025-07-03"))
        assert short.equals(one) and short.equals(other) and not one.equals(other), lang


def test_numbers_that_are_no_dates() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "version 1.2.3"), ("ru", "в январе 1 года"), ("de", "45.13.2026"), ("yo", "3 july"),
    ]  # fmt: skip
    for lang, text in cases:
        assert not whole_dates(text, lang), text


def test_both_orders_of_english() -> None:
    (numeric,) = whole_dates("07/03/2026", "en")
    assert numeric.readings == ((7, 3), (3, 7))

"""What CLDR writes in one language is read as the same in every other, and nothing else is."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal

from babel.dates import format_date, format_time
from babel.numbers import format_currency, format_decimal, format_percent
from babel.units import format_unit
from hypothesis import given
from hypothesis import strategies as st

from unit.text.quantities.compared import mismatch

SENTENCES = {
    "en": "The value is {} in the list.",
    "de": "Der Wert in der Liste ist {} und gilt.",
    "fr": "La valeur dans la liste est {} en général.",
    "es": "El valor de la lista es {} en general.",
    "ru": "Значение в списке: {} и точка.",
    "zh": "列表中的值为{}。",
}
LANGS = st.sampled_from(sorted(SENTENCES))
WHOLE = st.one_of(st.integers(0, 999), st.integers(1000, 99_999_999)).map(Decimal)
NUMBERS = st.one_of(WHOLE, st.decimals("0.01", "99999.99", places=2), st.decimals("0.1", "99.9", places=1))
# Of a leap year, so that every day is there.
DATES = st.dates(date(2024, 1, 1), date(2024, 12, 31))
TIMES = st.times().map(lambda at: time(at.hour, at.minute))


def differ(one: str, two: str, lang_a: str, lang_b: str) -> tuple[str, ...]:
    return mismatch(SENTENCES[lang_a].format(one), lang_a, SENTENCES[lang_b].format(two), lang_b)


@given(NUMBERS, LANGS, LANGS)
def test_a_number_agrees_with_itself(number: Decimal, lang_a: str, lang_b: str) -> None:
    one, two = (format_decimal(number, locale=lang) for lang in (lang_a, lang_b))
    assert differ(one, two, lang_a, lang_b) == ()


@given(NUMBERS, NUMBERS, LANGS, LANGS)
def test_another_number_does_not(number: Decimal, other: Decimal, lang_a: str, lang_b: str) -> None:
    one, two = format_decimal(number, locale=lang_a), format_decimal(other, locale=lang_b)
    # "1" may be said by an article.
    if number != other and 1 not in (number, other):
        assert len(differ(one, two, lang_a, lang_b)) == 2


@given(NUMBERS, LANGS, LANGS, st.sampled_from(["length-kilometer", "mass-kilogram", "duration-week", "length-meter"]))
def test_a_number_with_a_unit_agrees_with_itself(number: Decimal, lang_a: str, lang_b: str, unit: str) -> None:
    one, two = (format_unit(number, unit, "long", locale=lang) for lang in (lang_a, lang_b))
    assert differ(one, two, lang_a, lang_b) == ()


@given(st.integers(2, 999_999), LANGS, LANGS)
def test_prices_and_percentages_agree(number: int, lang_a: str, lang_b: str) -> None:
    one, two = (format_currency(number, "EUR", locale=lang) for lang in (lang_a, lang_b))
    assert differ(one, two, lang_a, lang_b) == ()
    one, two = (format_percent(Decimal(number) / 100, locale=lang) for lang in (lang_a, lang_b))
    assert differ(one, two, lang_a, lang_b) == ()


@given(DATES, LANGS, LANGS, st.sampled_from(["full", "long", "medium"]))
def test_a_date_agrees_with_itself(day: date, lang_a: str, lang_b: str, length: str) -> None:
    one, two = (format_date(day, length, locale=lang) for lang in (lang_a, lang_b))
    assert differ(one, two, lang_a, lang_b) == ()


@given(DATES, DATES, LANGS, LANGS)
def test_another_date_does_not(day: date, other: date, lang_a: str, lang_b: str) -> None:
    one, two = format_date(day, "long", locale=lang_a), format_date(other, "long", locale=lang_b)
    assert bool(differ(one, two, lang_a, lang_b)) == (day != other)


@given(TIMES, LANGS, LANGS)
def test_a_time_agrees_with_itself(at: time, lang_a: str, lang_b: str) -> None:
    one, two = (format_time(at, "short", locale=lang) for lang in (lang_a, lang_b))
    assert differ(one, two, lang_a, lang_b) == ()


@given(TIMES, TIMES, LANGS, LANGS)
def test_another_time_does_not(at: time, other: time, lang_a: str, lang_b: str) -> None:
    one, two = format_time(at, "short", locale=lang_a), format_time(other, "short", locale=lang_b)
    assert bool(differ(one, two, lang_a, lang_b)) == (at != other)


@given(st.text(), LANGS)
def test_any_text_agrees_with_itself(text: str, lang: str) -> None:
    assert mismatch(text, lang, text, lang) == ()


@given(st.text(alphabet="0123456789.,:-' /°%€$一二三十百千万亿两半点时月日周分hUhramp第XIV½４：，"), LANGS)
def test_any_run_of_numbers_agrees_with_itself(text: str, lang: str) -> None:
    assert mismatch(text, lang, text, lang) == ()

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.numbers import numbers, with_digits
from ragaliq.text.terms import fold


def test_numbers_in_digits_and_in_words() -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("en", "20,000 rubles in twenty-two weeks", ["20000", "22"]),
        ("en", "one hundred and twenty students, three and four", ["120", "3", "4"]),
        ("en", "from 9 am to 3:30 p.m., half past 12 am", ["9", "15:30", "0"]),
        ("en", "1,000,000 at 2.50", ["1000000", "2.50"]),
        ("en", "0.750 kg, not 1.750", ["0.750", "1750"]),
        ("de", "20.000 Rubel um 9.15 Uhr, um 14 Uhr, zweiundzwanzig", ["20000", "9:15", "14", "22"]),
        ("fr", "à 9 h 15, quatre-vingt-dix, cent vingt", ["9:15", "90", "120"]),
        ("es", "treinta y cinco, el primer día", ["35", "1"]),
        ("ru", "двадцать два дня, с 09:15", ["22", "9:15"]),
        ("zh", "一百二十多家，第一年，二〇二四年，两周，一般", ["120", "1", "2024", "2"]),
        ("zh", "三千零五十元，一万二千", ["3050", "12000"]),
        ("ar", "٣٠ يومًا", ["30"]),
        ("hi", "४० रुपये", ["40"]),
        ("ja", "料金は４０円です", ["40"]),
        ("yo", "ọjọ́ 12", ["12"]),
        ("en", "no number at all", []),
        ("en", "", []),
    ]
    for lang, text, expected in cases:
        assert numbers(text, lang) == expected, (lang, text)


def test_the_text_holds_the_numbers_in_digits() -> None:
    assert with_digits("twenty-two rooms, 1,000 beds", "en") == ("22 rooms, 1000 beds", ["22", "1000"])
    assert with_digits("一百二十多家", "zh") == ("120多家", ["120"])


def test_number_words_of_another_language_stay_words() -> None:
    assert numbers("douze", "en") == []
    assert numbers("douze", "fr") == ["12"]


@given(st.text(), st.sampled_from(["en", "de", "fr", "es", "ru", "zh", "hi"]))
def test_any_text_is_read(text: str, lang: str) -> None:
    rewritten, found = with_digits(fold(text), lang)
    assert all(number in rewritten for number in found)


@given(st.integers(min_value=0, max_value=999_999))
def test_separators_of_thousands_do_not_matter(value: int) -> None:
    assert numbers(f"{value:,}", "en") == numbers(f"{value:,}".replace(",", "."), "de") == [str(value)]

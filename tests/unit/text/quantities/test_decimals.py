"""Decimals and halves in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.quantities.decimals import decimals_in_digits, without_vulgar_fractions
from ragaliq.text.terms import fold

_DIGITS = {
    "en": "zero one two three four five six seven eight nine",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve",
}
_POINT = {"en": "point", "de": "Komma", "fr": "virgule", "es": "coma"}


@pytest.mark.parametrize(
    ("lang", "text", "digits"),
    [
        ("en", "two point five percent", "2.5 percent"),
        ("en", "twenty-two point zero five", "22.05"),
        ("en", "one hundred and twenty point five", "120.5"),
        ("en", "two and a half", "2.5"),
        ("en", "an hour and a half", "1.5 hour"),
        ("en", "half an hour", "0.5 hour"),
        ("en", "three quarters of an hour", "0.75 hour"),
        ("en", "1 1/2 h", "1.5 h"),
        ("de", "zwei Komma fünf Prozent", "2.5 prozent"),
        ("de", "zweieinhalb Stunden, anderthalb Tage", "2.5 stunden, 1.5 tage"),
        ("de", "eine halbe Stunde und eine Viertelstunde", "0.5 stunde und 0.25 stunde"),
        ("fr", "deux virgule vingt-cinq", "2.25"),
        ("fr", "deux heures et demie", "2.5 heures"),
        ("fr", "une demi-heure, un quart d'heure", "0.5 heure, 0.25 heure"),
        ("es", "dos coma cinco", "2.5"),
        ("es", "una hora y media, media hora", "1.5 hora, 0.5 hora"),
        ("es", "las dos horas y media, dos y media", "las 2.5 horas, 2.5"),
        ("ru", "две целых пять десятых", "2.5"),
        ("ru", "ноль целых пять сотых", "0.05"),
        ("ru", "полтора часа, два с половиной часа, полчаса", "1.5 часа, 2.5 часа, 0.5 часа"),
        ("zh", "百分之二点五", "2.5%"),
        ("zh", "一个半小时，两小时半，半小时", "1.5小时,2.5小时,0.5小时"),
    ],
)
def test_words_become_digits(lang: str, text: str, digits: str) -> None:
    assert decimals_in_digits(fold(text), lang) == digits


def test_other_words_stay() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "two and three, half past nine, at this point five people"),
        ("de", "halb zehn, die hälfte"),
        ("fr", "à huit heures et demie"),
        ("es", "a las dos y media, a la 1 y media"),
        ("zh", "九点十五分"),
        ("yo", "two point five"),
    ]
    for lang, text in cases:
        assert decimals_in_digits(text, lang) == text


def test_fractions_in_one_sign_are_kept_from_the_digit_before() -> None:
    assert without_vulgar_fractions("1½ h, 2 ¼, ¾ l") == "1.5 h, 2.25, 0.75 l"


@given(st.sampled_from(sorted(_DIGITS)), st.integers(0, 9), st.lists(st.integers(0, 9), min_size=1, max_size=3))
def test_a_decimal_said_digit_by_digit_is_read_back(lang: str, whole: int, digits: list[int]) -> None:
    words = _DIGITS[lang].split()
    said = f"{words[whole]} {_POINT[lang]} {' '.join(words[digit] for digit in digits)}"
    assert decimals_in_digits(fold(said), lang) == f"{whole}.{''.join(map(str, digits))}"

"""Which segments are asked for, and which replies are no translation."""

from __future__ import annotations

import pytest

from ragaliq.build.translation.wording import is_source_wording, is_translatable


@pytest.mark.parametrize(
    ("segment", "asked"),
    [("45 %", False), ("https://velmora.example/a?b=c", False),
     ("office@velmora.example", False), ("`rm -rf x`", False), ("Velmora 7", False),
     ("09:15–10:30", False), ("Velmora opens", True), ("40 kg", True), ("图书馆", True),
     ("RADIO", True)],
)  # fmt: skip
def test_only_what_has_letters_of_its_own_is_asked(segment: str, asked: bool) -> None:
    assert is_translatable(segment, {"Velmora"}) is asked


@pytest.mark.parametrize(
    ("segment", "lang", "left"),
    [("The shop opens at 8.", "de", True), ("Keeping bees", "fr", True), ("Information", "fr", False),
     ("information", "fr", False), ("information", "ru", True), ("laundry", "zh", True), ("40 minutes", "fr", False),
     ("Rue de la Paix", "en", False), ("GPS", "ru", False), ("Henrike Aldoveen", "zh", False),
     ("图书馆开门。", "de", True), ("Магазин открыт", "en", True), ("A-3", "zh", False),
     ("Заказы", "en", True), ("Пекарня «Василёк»", "en", True), ("ГОСТ", "de", True), ("Заказы", "zh", True),
     ("Velmora Дом", "fr", True), ("Заказы", "ru", False), ("Ω", "de", False), ("5 µm", "ru", False),
     ("kΩ", "zh", False), ("Αθήνα", "en", True), ("館", "es", True), ("Bread", "ru", False)],
)  # fmt: skip
def test_a_segment_that_stays_is_untranslated_if_it_has_words(segment: str, lang: str, left: bool) -> None:
    assert is_source_wording(segment, lang, ()) is left

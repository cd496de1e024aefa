from __future__ import annotations

import pytest

from ragaliq.build.documents.language import check_declared, document_language, main_language
from ragaliq.errors import ConfigError

TEXTS = {
    "de": "Die Bibliothek im ersten Stock ist an allen Werktagen geöffnet.",
    "en": "The library on the first floor is open on all working days.",
    "es": "La biblioteca de la primera planta abre todos los días laborables.",
    "fr": "La bibliothèque du premier étage est ouverte tous les jours ouvrables.",
    "ru": "Библиотека на втором этаже открыта по всем рабочим дням.",
    "zh": "二楼的图书馆在所有工作日都开放，欢迎大家前来阅读。",
    "ar": "المكتبة في الطابق الأول مفتوحة في جميع أيام العمل للجميع.",
    "hi": "पहली मंज़िल पर पुस्तकालय सभी कार्य दिवसों पर खुला रहता है।",
    "th": "ห้องสมุดบนชั้นสองเปิดให้บริการทุกวันทำการสำหรับทุกคน",
    "pl": "Biblioteka na pierwszym piętrze jest otwarta we wszystkie dni robocze.",
}


def test_the_language_of_a_document_is_recognised() -> None:
    for lang, text in TEXTS.items():
        assert document_language(text, ()) == lang
        assert document_language(text, (lang, "en")) == lang


def test_of_declared_languages_it_is_the_likeliest_and_keeps_its_code() -> None:
    assert document_language("Guten Tag!", ("de-AT", "fr")) == "de-AT"
    assert document_language(TEXTS["es"], ("en", "fr")) in ("en", "fr")


def test_what_is_too_short_to_tell_has_none() -> None:
    for text in ("Hallo", "42", "https://velmora.example/library/opening-hours"):
        assert document_language(text, ()) is None, text


def test_several_languages_must_be_known_and_one_need_not() -> None:
    check_declared(("tlh",), "x")
    check_declared(("de-AT", "zh"), "x")
    with pytest.raises(ConfigError, match=r"^b.yaml: documents in 'tlh' cannot be recognised among others"):
        check_declared(("de", "tlh"), "b.yaml")


def test_the_main_language_is_the_most_frequent_of_the_first_that_are_known() -> None:
    beside = "as the documents beside it"
    assert main_language(["fr", "de", "fr"], ["en"]) == ("fr", beside)
    assert main_language(["fr", "de"], ["en"]) == ("de", beside)
    assert main_language([], ["ru"]) == ("ru", beside)
    assert main_language([], []) == ("en", "default")

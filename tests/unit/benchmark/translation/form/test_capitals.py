"""Words in capitals keep them."""

from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.form.capitals import capitals_findings
from ragaliq.types.translation import RecordKind, TranslationPair


def found(source: str, target: str, lang: str = "de", source_lang: str = "en") -> list[str]:
    """Return severity and message of each finding."""
    pair = TranslationPair(RecordKind.QUERY, "q1", source_lang, lang, source, target)
    findings = list(capitals_findings([pair]))
    assert {finding.kind for finding in findings} <= {"name"}
    return [f"{finding.severity}: {finding.message}" for finding in findings]


@pytest.mark.parametrize(
    ("lang", "target"),
    [
        ("de", "Das LAN ist aus."), ("fr", "Le LAN est éteint."), ("es", "La «LAN» está apagada."),
        ("ru", "Сеть LAN выключена."), ("zh", "LAN已关闭。"),
    ],
)  # fmt: skip
def test_small_letters_are_a_warning_in_every_language(lang: str, target: str) -> None:
    assert found("The LAN is off.", target, lang) == []
    expected = ["warning: 'LAN' not in capitals in the translation"]
    assert found("The LAN is off.", target.replace("LAN", "Lan"), lang) == expected
    assert found("The LAN is off.", target.replace("LAN", "lan"), lang) == expected


def test_what_is_translated_is_a_warning() -> None:
    assert found("The EU and NATO met.", "Die UE und die НАТО trafen sich.") == [
        "warning: 'EU', 'NATO' not in the translation"
    ]
    assert found("Сеть ЛВС отключена.", "Das LAN ist aus.", "de", "ru") == ["warning: 'ЛВС' not in the translation"]
    assert found("Сеть ЛВС отключена.", "Мережа Лвс вимкнена.", "uk", "ru") == [
        "warning: 'ЛВС' not in capitals in the translation"
    ]


def test_words_of_two_letters_may_be_other_words() -> None:
    assert found("It opens at 8 AM.", "Es öffnet am Morgen um 8.") == ["warning: 'AM' not in the translation"]


def test_what_is_no_word_in_capitals_does_not_count() -> None:
    for source in ("# SAFETY RULES\n\nWait.", "Room A", "Plan B2B and IPv6", "The iOS app", "GmbH", "开门"):
        assert found(source, "Regeln zur Sicherheit: warten.") == [], source
    assert found("The LAN is off.", "") == [], "that is another finding"


def test_a_part_of_a_word_is_not_the_word() -> None:
    assert found("The LAN is off.", "Der PLAN ist aus; die LANs auch.") == ["warning: 'LAN' not in the translation"]


def test_a_currency_beside_a_number_may_be_a_sign() -> None:
    assert found("Bring EUR 40 or 30 USD.", "Bringen Sie 40 € oder 30 $ mit.") == []
    assert found("Pay in EUR.", "Zahlen Sie in Euro.") == ["warning: 'EUR' not in the translation"]


@pytest.mark.parametrize(
    ("source", "target", "lang"),
    [
        ("The LED lamp needs a SIM.", "La lámpara led necesita una sim.", "es"),
        ("He works for UNICEF and NATO.", "Il travaille pour l'Unicef et la Nato.", "fr"),
        ("He works for NATO.", "Er arbeitet für die Nato.", "de"),
    ],
)
def test_what_other_languages_spell_in_small_letters_is_no_error(source: str, target: str, lang: str) -> None:
    [finding] = found(source, target, lang)
    assert finding.startswith("warning: ")


@pytest.mark.parametrize(
    ("lang", "source"),
    [("zh", "请打开GPS设备。"), ("ja", "GPSをつけてください。"), ("th", "เปิดGPSก่อน"), ("ar", "شغّل GPS أولا.")],
)
def test_a_line_in_letters_without_case_is_read(lang: str, source: str) -> None:
    assert found(source, "Switch on the GPS device.", "en", lang) == []
    expected = ["warning: 'GPS' not in the translation"]
    assert found(source, "Switch on the compass device.", "en", lang) == expected
    assert found("Switch on the GPS device.", source.replace("GPS", "Compass"), lang) == expected


def test_a_currency_in_a_chinese_line_may_be_a_sign() -> None:
    assert found("请带40USD的现金或EUR 30。", "Bring $40 in cash or €30.", "en", "zh") == []


def test_a_word_beside_letters_of_any_alphabet_is_part_of_another() -> None:
    assert found("Πλοία NATOϊκά.", "Ships of the alliance.", "en", "el") == []

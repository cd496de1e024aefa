from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.language.untranslated import untranslated_findings
from unit.benchmark.translation.pair import pair, told

SOURCE = "The station is closed in winter. Please bring warm gloves and a torch."
LEFT = {
    "de": "Die Station ist im Winter geschlossen. Please bring warm gloves and a torch.",
    "fr": "La station est fermée en hiver. Please bring warm gloves and a torch.",
    "es": "La estación cierra en invierno. Please bring warm gloves and a torch.",
    "ru": "Зимой станция закрыта. Please bring warm gloves and a torch.",
    "zh": "车站冬季关闭。Please bring warm gloves and a torch.",
}


@pytest.mark.parametrize("lang", LEFT)
def test_a_sentence_left_as_it_was_is_an_error(lang: str) -> None:
    assert told(untranslated_findings([pair(SOURCE, LEFT[lang], f"en>{lang}")])) == [
        "untranslated error: still in 'en': 'Please bring warm gloves and a torch.'"
    ]


def test_nearly_all_of_it_is_an_error_and_a_quotation_a_warning() -> None:
    most = "Bitte: bring warm gloves and a torch."
    assert told(untranslated_findings([pair(SOURCE, most)])) == [f"untranslated error: still in 'en': '{most}'"]
    quoted = "Auf dem Schild stand, wie wir alle es damals gelesen haben, nur noch warm gloves and a."
    assert told(untranslated_findings([pair(SOURCE, quoted)])) == [
        f"untranslated warning: has words of the source: '{quoted}'"
    ]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Fog on the Tyne was written in 1971.", "„Fog on the Tyne“ entstand 1971."),
        ("Room C-214, https://a.example/and-more", "Room C-214, https://a.example/and-more"),
        ("Sauna: 75 minutes", "Sauna: 75 minutes"),
        ("Da Yuan Tong Zhi (大元通制) was issued.", "Das Da Yuan Tong Zhi (大元通制) erschien."),
    ],
)
def test_titles_names_codes_and_quoted_scripts_are_fine(source: str, target: str) -> None:
    assert told(untranslated_findings([pair(source, target)])) == []


def test_a_chinese_sentence_left_is_found_and_a_regional_variety_is_no_other_language() -> None:
    left = pair("车站冬季关闭，请携带手套。", "车站冬季关闭，请携带手套。", "zh>de")
    assert told(untranslated_findings([left])) == ["untranslated error: still in 'zh': '车站冬季关闭，请携带手套。'"]
    assert told(untranslated_findings([pair(SOURCE, SOURCE, "en-GB>en-US")])) == []

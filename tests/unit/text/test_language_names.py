"""Languages by their codes, tags and names."""

from __future__ import annotations

import pytest

from ragaliq.text.language_names import english_name, language_code, writes_from_right


@pytest.mark.parametrize(
    ("names", "code"),
    [
        ("en EN en-US en_GB eng English english Englisch anglais inglés английский 英语", "en"),
        ("de ger deu German Deutsch allemand alemán немецкий 德语", "de"),
        ("fr fre fra fr-CA French français Französisch", "fr"),
        ("es spa es-419 Spanish español Spanisch", "es"),
        ("ru rus Russian русский Russisch", "ru"),
        ("zh zho chi zh-Hans zh_TW Chinese 中文 chinois", "zh"),
        ("ar Arabic العربية", "ar"),
        ("tr Türkçe turc", "tr"),
    ],
)
def test_codes_tags_and_names(names: str, code: str) -> None:
    assert {name: language_code(name) for name in names.split()} == dict.fromkeys(names.split(), code)


def test_regions_and_scripts_are_left_out_of_names_too() -> None:
    names = ("Simplified Chinese", "Chinese (Simplified)", "Mandarin", "汉语", "chinois traditionnel")
    assert [language_code(name) for name in names] == ["zh"] * 5
    assert [language_code(name) for name in ("Brazilian Portuguese", "English (US)", "castellano")] == [
        "pt",
        "en",
        "es",
    ]


def test_what_is_no_language_is_none_and_an_unknown_one_is_empty() -> None:
    wrong = ("Gelbisch", "e", "12", "en/de", "foo", "jp", "cn", "xx", "non-English")
    assert {name: language_code(name) for name in wrong} == dict.fromkeys(wrong)
    unknown = ("", "  ", "und", "UNK", "n/a", "Unknown")
    assert {name: language_code(name) for name in unknown} == dict.fromkeys(unknown, "")


def test_a_code_has_an_english_name_and_a_direction() -> None:
    codes = ("de", "zh", "pt-BR", "ar", "he", "fa", "x", "")
    names = ["German", "Chinese", "Brazilian Portuguese", "Arabic", "Hebrew", "Persian", "x", ""]
    assert [english_name(code) for code in codes] == names
    assert [code for code in codes if writes_from_right(code)] == ["ar", "he", "fa"]

"""Languages by their codes, tags and names."""

from __future__ import annotations

import pytest

from ragaliq.text.language_names import language_code


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


def test_an_unknown_code_stays_and_an_unknown_name_is_none() -> None:
    assert language_code(" XX ") == "xx"
    assert [language_code(name) for name in ("", "Gelbisch", "e", "12", "en/de")] == [None] * 5

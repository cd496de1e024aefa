"""Languages by their codes, tags and names."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from string import ascii_lowercase

import pytest
from babel.core import get_global

from ragaliq.text import language_names
from ragaliq.text.language import SUPPORTED
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


def test_a_code_is_the_one_that_the_names_of_all_languages_have() -> None:
    # The short ways must not change what the whole tables say.
    known, aliases = set(language_names._codes().values()), get_global("language_aliases")
    pairs = {"".join(letters) for letters in product(ascii_lowercase, repeat=2)}
    for code in filter(str.islower, pairs | known | SUPPORTED | {alias for alias in aliases if len(alias) <= 3}):
        base = aliases.get(code, code).partition("_")[0]
        expected = base if base in known else None
        assert language_code(code) == ("" if code in language_names._UNKNOWN else expected), code
        assert language_code(f"{code.upper()}-Latn") == expected, code


def test_a_code_needs_neither_the_detector_nor_other_languages() -> None:
    code = """
import sys
from ragaliq.text import language, language_names
codes = "en de zh fr-CA pt-BR ja ger deu iw th"
print(*map(language_names.language_code, codes.split()))
print("py3langid" in sys.modules, language_names._codes.cache_info().currsize)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["en de zh fr pt ja de de he th", "False 0"]

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.terms import WORD, char_ngrams, fold, is_wide, reading_length, terms, words

# Every assigned character of any script; surrogates and private use are not text.
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cn", "Co")))
LETTERS = st.text("abc xyz äßé Ёжик 你好 ไทย हि 12 ,.-")


def test_words_are_folded_runs_of_letters_marks_and_digits() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("Don't re-open box 7B!", ["don", "t", "re", "open", "box", "7b"]),
        ("Die STRASSE, die Straße.", ["die", "strasse", "die", "strasse"]),
        ("L’été où naît Œdipe", ["l", "été", "où", "naît", "œdipe"]),
        ("¿Dónde está la señal?", ["dónde", "está", "la", "señal"]),
        ("Ёлка и елка", ["елка", "и", "елка"]),
        ("今天，天气很好。", ["今天", "天气很好"]),
        ("हिन्दी में लिखो", ["हिन्दी", "में", "लिखो"]),
        ("ผู้ใหญ่ ที่นี่", ["ผู้ใหญ่", "ที่นี่"]),
        ("Ｆｕｌｌ ﬁt １２", ["full", "fit", "12"]),
        ("  …—  ", []),
    ]
    for text, expected in cases:
        assert words(text) == expected, text


@given(TEXTS)
def test_words_lose_no_letter_and_add_none(text: str) -> None:
    assert "".join(words(text)) == "".join(c for c in fold(text) if unicodedata.category(c)[0] in "LMN")
    assert all(words(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_of_ascii_gives_the_same_words(text: str) -> None:
    assert words(text) == WORD.findall(fold(text))
    assert words(f"{text} é") == [*words(text), "é"]


@given(TEXTS)
def test_words_do_not_depend_on_the_unicode_form(text: str) -> None:
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


@given(LETTERS, LETTERS)
def test_a_blank_parts_words_terms_and_ngrams(left: str, right: str) -> None:
    assert words(f"{left} {right}") == words(left) + words(right)
    assert terms(f"{left} {right}", "de") == terms(left, "de") + terms(right, "de")
    assert char_ngrams(f"{left} {right}", 2, 4) == char_ngrams(left, 2, 4) + char_ngrams(right, 2, 4)


def test_forms_of_a_word_are_one_term() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "connection connected CONNECTING"),
        ("de", "Haus Hauses Hause"),
        ("fr", "continuer continuait continuation"),
        ("es", "trabajar trabajaron trabajando"),
        ("ru", "книга книги книгами"),
    ]
    for lang, forms in cases:
        assert len(set(terms(forms, lang))) == 1, lang
        assert len(terms(forms, lang)) == len(forms.split()), lang


def test_terms() -> None:
    cases: list[tuple[str, str, list[str]]] = [
        ("天气好", "zh", ["天", "气", "好", "天气", "气好"]),
        ("好", "zh", ["好"]),
        ("ไป", "th", ["ไ", "ป", "ไป"]),
        ("すし、すし", "ja", ["す", "し", "すし", "す", "し", "すし"]),
        ("GPT4模型v2", "zh", ["gpt4", "模", "型", "模型", "v2"]),
        ("हिन्दी", "xx", ["हिन्दी"]),
        ("connections", "xx", ["connections"]),
        ("connections", "en-GB", ["connect"]),
        ("", "en", []),
    ]
    for text, lang, expected in cases:
        assert terms(text, lang) == expected, (text, lang)


def test_character_ngrams_mark_the_ends_of_a_word() -> None:
    assert char_ngrams("ab C", 2, 3) == [" a", "ab", "b ", " ab", "ab ", " c", "c ", " c "]


def test_character_ngrams_of_each_unspaced_script() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("天气x", ["天", "气", "天气", " x "]),
        ("すし", ["す", "し", "すし"]),
        # Letters without spaces: the lengths that are asked for; a shorter run is its own n-gram.
        ("ไปเรือ", ["ไปเ", "ปเร", "เรื", "รือ", "ไปเร", "ปเรื", "เรือ"]),
        ("ไป", ["ไป"]),
        ("ໄປເຮ", ["ໄປເ", "ປເຮ", "ໄປເຮ"]),
        ("ទៅណា", ["ទៅ", "ៅណ", "ណា", "ទៅណ", "ៅណា"]),
        ("သွား", ["သွ", "ွာ", "ား", "သွာ", "ွား"]),
    ]
    for text, grams in cases:
        lengths = (2, 3) if text[0] in "ទသ" else (3, 4)
        assert char_ngrams(text, *lengths) == grams, text


@given(st.text("abcdé жз-,"), st.integers(1, 4), st.integers(0, 3))
def test_a_word_has_all_its_ngrams_and_no_other(text: str, shortest: int, more: int) -> None:
    lengths = range(shortest, shortest + more + 1)
    padded = [f" {word} " for word in words(text)]
    expected = [word[i : i + n] for word in padded for n in lengths for i in range(len(word)) if i + n <= len(word)]
    assert char_ngrams(text, shortest, shortest + more) == expected


def test_text_is_wide_if_it_is_mainly_written_in_wide_scripts() -> None:
    cases: list[tuple[str, bool]] = [
        ("今天天气很好。", True),
        ("こんにちは", True),
        ("한국어 문장", True),
        ("Guten Morgen", False),
        ("Доброе утро", False),
        ("ภาษาไทย", False),
        ("", False),
        ("今ab", True),  # 3 · 1 > 2
        ("今abc", False),  # 3 · 1 = 3
    ]
    for text, wide in cases:
        assert is_wide(text) is wide, text


def test_a_wide_character_reads_like_three_letters() -> None:
    assert reading_length("今天 ok한") == 3 + 3 + 1 + 1 + 1 + 3


@given(TEXTS, TEXTS)
def test_reading_lengths_add_up(left: str, right: str) -> None:
    assert reading_length(left + right) == reading_length(left) + reading_length(right)
    assert len(left) <= reading_length(left) <= 3 * len(left)

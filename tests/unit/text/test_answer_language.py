from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.text.answer_language import AnswerLanguage, answer_language, scripts_of
from unit.text.test_language import TEXTS as SENTENCES


def test_a_sentence_is_right_in_its_own_language_alone() -> None:
    for asked in SENTENCES:
        for written in SENTENCES:
            found = answer_language(SENTENCES[written], asked)
            assert (found.answer, found.lines) == (asked == written, asked == written), (asked, written)


def test_short_texts_numbers_and_addresses() -> None:
    cases: list[tuple[str, str, bool | None]] = [
        ("Да", "ru", True),  # no other candidate is written in Cyrillic
        ("九点", "zh", True),
        ("हाँ", "hi", True),
        ("هاك", "ary", True),
        ("我哋聽日去邊度食飯？佢話嗰間餐廳好好食。", "yue", True),
        ("Китапханә дүшәмбе көнне иртәнге тугыздан ачыла.", "tt", True),
        ("Ja", "de", None),  # a Latin word of two letters may be anything
        ("MCC Consulting", "ru", None),  # a name
        ("42 %", "fr", None),
        ("office@velmora.example", "en", None),
        ("https://velmora.example/the/long/way/to/the/harbour", "zh", None),
        ("", "es", None),
        (SENTENCES["en"], "xx", None),  # a language that the detector does not know
    ]
    for text, lang, told in cases:
        assert answer_language(text, lang).answer is told, (text, lang)


def test_a_neighbour_in_the_same_script_is_known_by_its_letters() -> None:
    cases: list[tuple[str, str]] = [
        ("図書館は月曜日に開館します。", "zh"),
        ("Бібліотека відкрита щодня з дев'ятої.", "ru"),
        ("کتابخانه هر روز گشوده می‌شود", "ar"),
    ]
    for text, lang in cases:
        assert answer_language(text, lang).answer is False, (text, lang)


def test_a_quoted_name_of_a_neighbour_is_no_other_language() -> None:
    assert answer_language("名为さくら的补给船每周二早上从港口出发前往北方的岛屿。", "zh").answer is True


def test_a_reference_that_is_taken_for_another_language_tells_that_nothing_can_be_told() -> None:
    name = "International Students and Alumni Office of the Island"
    assert answer_language(SENTENCES["en"], "ru", reference=name) == AnswerLanguage(None, None, None)
    assert answer_language(SENTENCES["en"], "ru", reference=SENTENCES["ru"]).answer is False


def test_one_line_in_another_language_is_seen_where_the_whole_is_right() -> None:
    long = " ".join([SENTENCES["ru"]] * 4)
    found = answer_language(f"{long}\n{SENTENCES['en']}", "ru")
    assert found.answer is True and found.lines is False
    assert answer_language(f"{long}\n\n42\nMCC", "ru").lines is True


def test_words_in_a_foreign_script() -> None:
    cases: list[tuple[str, str, bool]] = [
        ("Судно выходит в every вторник", "ru", False),
        ("Судно Velmora выходит из порта NVC во вторник", "ru", True),  # names and initials
        ("补给船每周二 usually 从港口出发", "zh", False),
        ("The boat leaves каждый Tuesday morning", "en", False),
        ("Le bateau 船 quitte le port chaque mardi matin", "fr", False),  # a script without capitals
        ("Длина равна 5 km или 3 mi", "ru", True),  # units
    ]
    for text, lang, words in cases:
        assert answer_language(text, lang).words is words, (text, lang)


def test_words_of_the_question_and_the_context_may_be_quoted() -> None:
    answer = "Используйте команду checkout, затем commit"
    assert answer_language(answer, "ru").words is False
    assert answer_language(answer, "ru", material=["Что делает checkout?", "git COMMIT пишет"]).words is True


def test_a_language_that_is_not_listed_is_written_in_latin_letters() -> None:
    assert scripts_of("it") == ("Latin",)
    assert scripts_of("zh-Hant") == ("Han",)


@given(st.text(), st.sampled_from([*SENTENCES, "xx"]))
def test_any_text_has_marks(text: str, lang: str) -> None:
    found = answer_language(text, lang, material=[text])
    # Words of the material are never foreign.
    assert found.words in (True, None)


def test_no_reference_of_the_sample_is_wrong_and_no_foreign_one_is_right(sample: Path) -> None:
    texts = {}
    for lang in ("en", "de", "fr", "es", "ru", "zh"):
        lines = (sample / "queries" / f"{lang}.jsonl").read_text(encoding="utf-8").splitlines()
        # Every fourth.
        texts[lang] = [json.loads(line)["reference"] for line in lines[::4]]
    for lang, other in {"en": "de", "de": "fr", "fr": "es", "es": "en", "ru": "zh", "zh": "ru"}.items():
        assert [text for text in texts[lang] if answer_language(text, lang).answer is False] == [], lang
        assert [text for text in texts[other] if answer_language(text, lang).answer is True] == [], lang

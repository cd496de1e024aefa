from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.text.language import COMMON, identify, in_language, likeliest

TEXTS = {
    "en": "The supply boat leaves the harbour every Tuesday morning.",
    "de": "Das Versorgungsschiff verlässt den Hafen jeden Dienstagmorgen.",
    "fr": "Le bateau de ravitaillement quitte le port chaque mardi matin.",
    "es": "El barco de suministros sale del puerto todos los martes por la mañana.",
    "ru": "Судно снабжения выходит из порта каждый вторник утром.",
    "zh": "补给船每周二早上从港口出发。",
    "hi": "आपूर्ति नाव हर मंगलवार सुबह बंदरगाह से निकलती है।",
    "th": "เรือขนส่งเสบียงออกจากท่าเรือทุกเช้าวันอังคาร",
}


@pytest.mark.parametrize("lang", TEXTS)
def test_the_language_of_a_sentence(lang: str) -> None:
    assert identify(TEXTS[lang], [lang]) == lang
    assert in_language(TEXTS[lang], lang) is True


@pytest.mark.parametrize("text_lang", COMMON)
@pytest.mark.parametrize("lang", COMMON)
def test_a_sentence_is_in_one_language_alone(text_lang: str, lang: str) -> None:
    assert in_language(TEXTS[text_lang], lang) is (text_lang == lang)


@pytest.mark.parametrize(
    ("text", "decided"),
    [
        ("the boat is at the harbour"[:-1], True),  # 20 letters
        ("the boat is at the harbour"[:-2], False),  # 19 letters
        ("今天船不会来了", True),  # 7 · 3 = 21
        ("今天船不来了", False),  # 6 · 3 = 18
        ("", False),
        ("1,250.00 € (09:15–17:30) 2024/25 §§ 12–15 100 % 42", False),
        ("office@velmora.example https://velmora.example/the/long/way www.velmora.example/and/on", False),
        ("see office@velmora.example, it is there that they all answer", True),
    ],
)
def test_only_letters_of_prose_count_towards_the_least_length(text: str, decided: bool) -> None:
    assert (identify(text, ["en", "zh"]) is not None) is decided
    assert (in_language(text, "zh") is not None) is decided


def test_a_language_that_the_detector_does_not_know_is_undecided() -> None:
    assert in_language(TEXTS["en"], "xx") is None


@pytest.mark.parametrize(("text", "lang"), [("где это?", "ru"), ("where is it?", "en")])
def test_the_likeliest_of_few_candidates_needs_no_length(text: str, lang: str) -> None:
    assert likeliest(text, ["ru", "en"]) == lang


@settings(deadline=None)
@given(st.text(min_size=10))
def test_the_answer_is_a_candidate_or_none(text: str) -> None:
    assert identify(text, ["it"]) in {None, "it", *COMMON}

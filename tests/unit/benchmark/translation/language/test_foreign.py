from __future__ import annotations

import pytest

from ragaliq.benchmark.translation.language.foreign import language_findings
from unit.benchmark.translation.pair import pair, told

SENTENCES = {
    "de": "Die Werkstatt ist nur am Vormittag geöffnet.",
    "fr": "L'atelier est ouvert uniquement le matin.",
    "es": "El taller abre únicamente por la mañana.",
    "ru": "Мастерская открыта только по утрам.",
    "zh": "车间只在上午开放，下午不对外开放。",
}
SOURCE = "It is winter. The workshop opens in the morning only."


@pytest.mark.parametrize("third", SENTENCES)
@pytest.mark.parametrize("lang", SENTENCES)
def test_a_sentence_in_a_third_language_is_an_error(lang: str, third: str) -> None:
    findings = told(language_findings([pair(SOURCE, f"{SENTENCES[lang]} {SENTENCES[third]}", f"en>{lang}")]))
    assert findings == ([] if lang == third else [f"language error: not in '{lang}': '{SENTENCES[third]}'"])


def test_function_words_tell_a_sentence_that_is_too_short_for_the_detector() -> None:
    target = "Das geht so. Introduzca `vm --room` en el terminal."
    assert told(language_findings([pair("It goes so. Type `vm --room` on the terminal.", target)])) == [
        "language error: not in 'de': 'Introduzca en el terminal.'"
    ]


@pytest.mark.parametrize(
    ("lang", "target"),
    [
        ("de", "Theory of the Earth"),
        ("zh", "他写了《Theory of the Earth》。"),
        ("ru", "Введите `vm-forms --room H-19 --days 11` на терминале."),
        ("zh", "Super Bowl 50"),
        ("fr", ""),
    ],
)
def test_titles_code_and_names_are_fine(lang: str, target: str) -> None:
    assert told(language_findings([pair("He wrote Theory of the Earth. Super Bowl 50", target, f"en>{lang}")])) == []

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


OTHERS = {
    "ja": "作業場は午前中だけ開いています。",
    "ko": "작업장은 오전에만 문을 엽니다.",
    "el": "Το εργαστήριο ανοίγει μόνο το πρωί.",
    "th": "โรงงานเปิดเฉพาะตอนเช้า",
    "it": "L'officina apre solo al mattino e gli ospiti devono aspettare alla porta.",
    "nl": "De werkplaats is alleen 's ochtends open en gasten moeten bij de deur wachten.",
    "uk": "Майстерня працює лише вранці, тому гості повинні чекати біля дверей.",
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("lang", SENTENCES)
def test_a_sentence_in_a_further_language_is_an_error(lang: str, other: str) -> None:
    findings = told(language_findings([pair(SOURCE, f"{SENTENCES[lang]} {OTHERS[other]}", f"en>{lang}")]))
    assert findings == [f"language error: not in '{lang}': '{OTHERS[other]}'"]


def test_korean_is_not_japanese() -> None:
    target = f"{OTHERS['ja']} {OTHERS['ko']}"
    assert told(language_findings([pair(SOURCE, target, "en>ja")])) == [
        f"language error: not in 'ja': '{OTHERS['ko']}'"
    ]


@pytest.mark.parametrize(
    ("lang", "target"),
    [
        ("de", "Der Winkel α ist größer als β, das heißt αβγδ steht in Αθήνα."),
        ("zh", "他喜欢看《となりのトトロ》这部一九八八年上映、由宫崎骏导演、深受几代观众喜爱的动画电影。"),
        ("fr", "Αθήνα"),
    ],
)
def test_single_words_of_another_script_are_fine(lang: str, target: str) -> None:
    assert told(language_findings([pair(SOURCE, target, f"en>{lang}")])) == []


KEY = "nrudfuxjdxkxwqnqvgjjspqmsbphxzmnvflrwyvxlcovqdyfqmlpxapbjwts"


@pytest.mark.parametrize(
    ("lang", "target"), [("de", "Schlüssel:"), ("fr", "Clé :"), ("es", "Clave:"), ("ru", "Ключ:"), ("zh", "密钥：")]
)
def test_a_line_of_letters_that_the_source_has_too_is_fine(lang: str, target: str) -> None:
    assert told(language_findings([pair(f"Key:\n{KEY}", f"{target}\n{KEY}", f"en>{lang}")])) == []


LEFT = "torch gloves rope compass passport blanket whistle lighter"


@pytest.mark.parametrize(
    ("lang", "head"), [("fr", "Apportez :"), ("es", "Traiga:"), ("ru", "Возьмите:"), ("zh", "请携带：")]
)
def test_short_lines_that_are_left_in_the_source_language_tell_together(lang: str, head: str) -> None:
    items = "\n- ".join(LEFT.split())
    findings = told(language_findings([pair(f"Bring:\n- {items}", f"{head}\n- {items}", f"en>{lang}")]))
    assert findings == [f"language error: not in '{lang}': '{head} {LEFT}'"]

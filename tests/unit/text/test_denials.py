"""What a text denies, in six languages."""

from __future__ import annotations

import pytest

from ragaliq.text.denials import denied

# Language: a denial behind, a denial in front, a negated clause, and a contrast that denies the other value alone.
CASES = {
    "en": (
        "The market is on Monday, but that is not true.",
        "It is wrong that the market is on Monday.",
        "The market is not on Monday.",
        "The market is on Monday, not on Tuesday.",
        "monday",
    ),
    "de": (
        "Der Markt ist am Montag, aber das stimmt nicht.",
        "Es trifft nicht zu, dass der Markt am Montag ist.",
        "Der Markt ist nicht am Montag.",
        "Der Markt ist am Montag, nicht am Dienstag.",
        "montag",
    ),
    "fr": (
        "Le marché a lieu le lundi, mais ce n'est pas vrai.",
        "Il est faux que le marché ait lieu le lundi.",
        "Le marché n'a pas lieu le lundi.",
        "Le marché a lieu le lundi, pas le mardi.",
        "lundi",
    ),
    "es": (
        "El mercado es el lunes, pero eso no es cierto.",
        "No es cierto que el mercado sea el lunes.",
        "El mercado no es el lunes.",
        "El mercado es el lunes, no el martes.",
        "lunes",
    ),
    "ru": (
        "Рынок проходит в понедельник, но это неправда.",
        "Неверно, что рынок проходит в понедельник.",
        "Рынок проходит не в понедельник.",
        "Рынок проходит в понедельник, а не во вторник.",
        "понедельник",
    ),
    "zh": (
        "集市在星期一，但这不是真的。",
        "说集市在星期一是错误的。",
        "集市不在星期一。",
        "集市在星期一，不是星期二。",
        "星期一",
    ),
}

MISTAKEN = {
    "en": (
        "Some say that the market is on Monday. They are mistaken.",
        "It is said to be on Monday, but that is a myth.",
    ),
    "de": ("Manche sagen, der Markt sei am Montag. Sie irren sich.", "Am Montag, heißt es; das ist nur ein Gerücht."),
    "fr": ("Certains disent que c'est le lundi. Ils se trompent.", "Le lundi, dit-on, mais c'est une idée reçue."),
    "es": ("Algunos dicen que es el lunes. Se equivocan.", "Se dice que es el lunes, pero es un error."),
    "ru": ("Говорят, что рынок в понедельник. Они ошибаются.", "Рынок в понедельник: это миф."),
    "zh": ("有人说集市在星期一。他们搞错了。", "据说集市在星期一，这是误传。"),
}


@pytest.mark.parametrize("lang", MISTAKEN)
def test_what_others_say_by_mistake_is_denied(lang: str) -> None:
    for text in MISTAKEN[lang]:
        parts = denied(text, lang)
        assert CASES[lang][4] in parts.claims
        assert CASES[lang][4] not in parts.rest


# A claim with a number that holds a mark, and that number; then a claim that one word denies.
NUMBERS = {
    "en": ("The train leaves at 9:15 and that is wrong.", "9:15", "Some say on Monday. Wrong."),
    "de": ("Man braucht 0,75 Liter und das ist falsch.", "0,75", "Manche sagen am Montag. Falsch."),
    "fr": ("Il faut 0,75 litre et c'est faux.", "0,75", "Certains disent le lundi. Faux."),
    "es": ("Se necesitan 0,75 litros y eso es falso.", "0,75", "Algunos dicen que el lunes. Falso."),
    "ru": ("Нужно 0,75 литра и это неправда.", "0,75", "Говорят, что в понедельник. Неправда."),
    "zh": ("火车9:15开这不是真的。", "9:15", "有人说集市在星期一。错。"),
}


@pytest.mark.parametrize("lang", NUMBERS)
def test_a_mark_in_a_number_ends_no_claim_and_a_word_denies_one(lang: str) -> None:
    text, number, one_word = NUMBERS[lang]
    parts = denied(text, lang)
    assert number in parts.claims and not any(char.isdigit() for char in parts.rest)
    assert CASES[lang][4] in denied(one_word, lang).claims


# Right answers with a word on an error that does not touch "monday".
BESIDE = {
    "en": (
        "On Monday; they were wrong to print Tuesday.",
        "On Monday. Don't believe that it is on Tuesday.",
        "The market is on Monday. It is a myth that it is on Tuesday. They are mistaken.",
        "The market is on Monday. It is not on Tuesday; they are mistaken.",
    ),
    "de": (
        "Am Montag; beim alten Plan war es genau umgekehrt.",
        "Am Montag. Sie irren sich, wenn Sie Dienstag sagen.",
        "Der Markt ist am Montag. Manche sagen Dienstag. Das ist ein Irrtum. Sie irren sich.",
    ),
    "fr": (
        "Le lundi ; croire que c'est le mardi est une erreur.",
        "Le lundi, tout le contraire de l'ancien plan.",
        "Le marché a lieu le lundi. Il est faux que c'est le mardi. Ils se trompent.",
    ),
    "es": (
        "El lunes; decir el martes es un error.",
        "El lunes. No le crea a quien diga el martes.",
        "El mercado es el lunes. Es falso que sea el martes. Se equivocan.",
    ),
    "ru": (
        "В понедельник; думать, что во вторник, — это ошибка.",
        "В понедельник. Не верьте, что он во вторник.",
        "Рынок в понедельник. Неправда, что он во вторник. Они ошибаются.",
    ),
    "zh": (
        "集市在星期一，网上说星期二是误传。",
        "集市在星期一，与旧的安排正好相反。",
        "集市在星期一。有人说星期二。这是误传。他们搞错了。",
    ),
}


@pytest.mark.parametrize("lang", BESIDE)
def test_a_word_on_another_error_denies_nothing_else(lang: str) -> None:
    for text in BESIDE[lang]:
        parts = denied(text, lang)
        assert CASES[lang][4] in parts.rest, text
        assert CASES[lang][4] not in parts.claims


@pytest.mark.parametrize("lang", CASES)
def test_a_denial_behind_or_in_front_denies_the_whole_claim(lang: str) -> None:
    behind, before, _, _, value = CASES[lang]
    for text in (behind, before):
        parts = denied(text, lang)
        assert value in parts.claims and value not in parts.rest, text


@pytest.mark.parametrize("lang", CASES)
def test_a_not_denies_its_own_clause(lang: str) -> None:
    _, _, negated, contrast, value = CASES[lang]
    assert value in denied(negated, lang).negated and value not in denied(negated, lang).rest
    assert value in denied(contrast, lang).rest and value not in denied(contrast, lang).negated


def test_a_denial_in_a_sentence_of_its_own_denies_the_one_before() -> None:
    parts = denied("The hostel has a garden. It has 7 beds. That is wrong.", "en")
    assert parts.claims.strip(" .") == "it has 7 beds"
    assert "garden" in parts.rest


def test_what_is_put_in_its_place_is_affirmed() -> None:
    cases: list[tuple[str, str, str]] = [
        ("en", "It is not true that the market is on Monday; it is on Tuesday.", "tuesday"),
        ("de", "Es ist falsch, dass der Markt am Montag ist, er ist am Dienstag.", "dienstag"),
        ("en", "The market is not on Monday but on Tuesday.", "tuesday"),
    ]
    for lang, text, value in cases:
        assert value in denied(text, lang).rest, text


def test_limits_are_no_denials() -> None:
    cases: list[tuple[str, str]] = [
        ("en", "It takes not more than 5 days."),
        ("de", "Es dauert nicht länger als 5 Tage."),
        ("ru", "Это занимает не более 5 дней."),
        ("zh", "不超过5天。"),
        ("en", "The price is 2.5 percent, that is true."),
    ]
    for lang, text in cases:
        parts = denied(text, lang)
        assert (parts.claims, parts.negated) == ("", ""), text


def test_a_language_that_is_not_known_denies_nothing() -> None:
    assert denied("Oja ko si ni Monday", "yo").rest == "oja ko si ni monday"

"""What no grade exceeds: denials, open choices, answers that share nothing."""

from __future__ import annotations

import pytest

from ragaliq.judge.offline.caps import cap, is_wrong
from ragaliq.judge.offline.text_features import read

# Language: question, reference, denied, negated, right in spite of a "not", without a shared word.
MARKET = {
    "en": (
        "On which day is the market?",
        "The market is on Monday.",
        "The market is on Monday, but that is not true.",
        "The market does not take place on Monday.",
        "The market is on Monday, not on Tuesday.",
        "Green curtains hang in the hall.",
    ),
    "de": (
        "An welchem Tag ist der Markt?",
        "Der Markt ist am Montag.",
        "Der Markt ist am Montag. Das ist falsch.",
        "Der Markt findet nicht am Montag statt.",
        "Der Markt ist am Montag, nicht am Dienstag.",
        "Grüne Vorhänge hängen in der Halle.",
    ),
    "fr": (
        "Quel jour a lieu le marché ?",
        "Le marché a lieu le lundi.",
        "Il est faux que le marché ait lieu le lundi.",
        "Le marché n'a pas lieu le lundi.",
        "Le marché a lieu le lundi, pas le mardi.",
        "Des rideaux verts pendent dans la salle.",
    ),
    "es": (
        "¿Qué día es el mercado?",
        "El mercado es el lunes.",
        "No es cierto que el mercado sea el lunes.",
        "El mercado no es el lunes.",
        "El mercado es el lunes, no el martes.",
        "Unas cortinas verdes cuelgan en el salón.",
    ),
    "ru": (
        "В какой день рынок?",
        "Рынок проходит в понедельник.",
        "Неверно, что рынок проходит в понедельник.",
        "Рынок проходит не в понедельник.",
        "Рынок проходит в понедельник, а не во вторник.",
        "В зале висят зелёные шторы.",
    ),
    "zh": (
        "集市在哪一天？",
        "集市在星期一。",
        "集市在星期一，但这不是真的。",
        "集市不在星期一。",
        "集市在星期一，不是星期二。",
        "大厅里挂着绿色窗帘。",
    ),
}


def capped(question: str, reference: str, answer: str, lang: str) -> int | None:
    limit = cap(read(question, lang), read(reference, lang), read(answer, lang), lang)
    return limit.grade if limit else None


def wrong(question: str, reference: str, answer: str, lang: str) -> bool:
    return is_wrong(read(question, lang), read(reference, lang), read(answer, lang), lang)


@pytest.mark.parametrize("lang", MARKET)
def test_a_denial_of_the_reference_leaves_2(lang: str) -> None:
    question, reference, denied, negated, fine, _ = MARKET[lang]
    assert capped(question, reference, denied, lang) == 2
    assert capped(question, reference, negated, lang) == 2
    assert capped(question, reference, fine, lang) is None
    assert capped(question, reference, reference, lang) is None


@pytest.mark.parametrize("lang", MARKET)
def test_what_shares_neither_word_nor_meaning_is_wrong(lang: str) -> None:
    question, reference, _, _, fine, strange = MARKET[lang]
    assert wrong(question, reference, strange, lang)
    assert not wrong(question, reference, fine, lang)


def test_a_near_meaning_in_other_words_is_not_wrong() -> None:
    assert not wrong("What is the purpose of the trip?", "Education", "It is for study.", "en")
    assert not wrong("Nibo?", "Eko", "Ilu", "yo")


def test_a_negated_word_of_its_own_may_mean_the_same() -> None:
    assert capped("When is the museum closed?", "On Monday.", "It is not open on Monday.", "en") is None


def test_a_denial_of_a_negative_reference() -> None:
    question, reference = "Are dogs allowed?", "No, dogs are not allowed."
    assert capped(question, reference, "It is not true that dogs are allowed.", "en") is None
    assert capped(question, reference, "Dogs are not allowed, but that is wrong.", "en") == 2

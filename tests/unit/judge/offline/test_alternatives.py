"""Several values where one is wanted."""

from __future__ import annotations

import pytest

from ragaliq.judge.offline.alternatives import leaves_open
from ragaliq.judge.offline.text_features import read

# Language: question, reference, and answers that leave the choice open.
BEDS = {
    "en": ("How many beds are there?", "There are 7 beds.", "There are 5, 7 or 9 beds."),
    "de": ("Wie viele Betten gibt es?", "Es gibt 7 Betten.", "Es gibt 5, 7 oder 9 Betten."),
    "fr": ("Combien de lits y a-t-il ?", "Il y a 7 lits.", "Il y a 5, 7 ou 9 lits."),
    "es": ("¿Cuántas camas hay?", "Hay 7 camas.", "Hay 5, 7 o 9 camas."),
    "ru": ("Сколько кроватей?", "В хостеле 7 кроватей.", "В хостеле 5, 7 или 9 кроватей."),
    "zh": ("有多少张床？", "有7张床。", "有5张、7张或9张床。"),
}
DAYS = {
    "en": ("On which day?", "On Monday.", "Either on Monday or on Tuesday, perhaps on Friday."),
    "de": ("An welchem Tag?", "Am Montag.", "Entweder am Montag oder am Dienstag, vielleicht am Freitag."),
    "fr": ("Quel jour ?", "Le lundi.", "Soit le lundi, soit le mardi, peut-être le vendredi."),
    "es": ("¿Qué día?", "El lunes.", "O el lunes o el martes, quizá el viernes."),
    "ru": ("В какой день?", "В понедельник.", "Либо в понедельник, либо во вторник, может быть, в пятницу."),
    "zh": ("哪一天？", "星期一。", "星期一或者星期二，也许星期五。"),
}
NAMES = {
    "en": ("Who founded it?", "Anna Berg founded it.", "Anna Berg, Paul Klein or Eva Stern founded it."),
    "de": ("Wer gründete ihn?", "Er wurde von Anna Berg gegründet.",
           "Er wurde von Anna Berg, Paul Klein oder Eva Stern gegründet."),
    "fr": ("Qui l'a fondé ?", "Anna Berg l'a fondé.", "Anna Berg, Paul Klein ou Eva Stern l'a fondé."),
    "es": ("¿Quién lo fundó?", "Lo fundó Anna Berg.", "Lo fundó Anna Berg, Pablo Klein o Eva Stern."),
    "ru": ("Кто его основал?", "Его основала Анна Берг.", "Его основала Анна Берг, Павел Кляйн или Ева Штерн."),
    "zh": ("谁创立的？", "安娜·贝格创立的。", "安娜·贝格、保罗·克莱因或伊娃·斯特恩。"),
}  # fmt: skip


# Language: question, reference, a choice left open, one with "perhaps", and a right answer with "one of" elsewhere.
ONE_OF = {
    "en": (
        "On which day?",
        "On Monday.",
        "Monday, Tuesday, Friday: one of these days.",
        "Perhaps on Monday, perhaps on Friday.",
        "On Monday, Tuesday's eve, when one of them opens at 9.",
    ),
    "de": (
        "Wie viele Zimmer hat es?",
        "5 Zimmer.",
        "3, 5, 7: eine dieser Zahlen.",
        "Vielleicht 5, vielleicht 7.",
        "Es hat 5 Zimmer, eines davon mit 2 Betten.",
    ),
    "fr": (
        "Combien de chambres y a-t-il ?",
        "5 chambres.",
        "3, 5, 7 : l'un de ces nombres.",
        "Peut-être 5, peut-être 7.",
        "Il y a 5 chambres, l'une d'elles avec 2 lits.",
    ),
    "es": (
        "¿Cuántas habitaciones hay?",
        "5 habitaciones.",
        "3, 5, 7: uno de estos números.",
        "Quizá 5, quizá 7.",
        "Hay 5 habitaciones, una de ellas con 2 camas.",
    ),
    "ru": (
        "Сколько в доме комнат?",
        "5 комнат.",
        "3, 5, 7: одно из этих чисел.",
        "Может быть, 5, а может быть, 7.",
        "В доме 5 комнат, в одной из них 2 кровати.",
    ),
    "zh": (
        "哪一天？",
        "星期一。",
        "星期一、星期二、星期五，这三天里有一天。",
        "也许星期一，也许星期五。",
        "星期一，其中一家星期二也开。",
    ),
}


# The comma pieces before a "one of these" that takes up something else.
ELSEWHERE = {
    "en": "There are 5 rooms, 3 upstairs, and breakfast is in one of these rooms.",
    "de": "Es gibt 5 Zimmer, 3 davon oben, und das Frühstück ist in einem dieser Zimmer.",
    "fr": "Il y a 5 chambres, 3 en haut, et on déjeune dans l'une de ces chambres.",
    "es": "Hay 5 habitaciones, 3 arriba, y se desayuna en una de estas habitaciones.",
    "ru": "В доме 5 комнат, 3 наверху, завтрак подают в одной из этих комнат.",
}


@pytest.mark.parametrize("lang", ELSEWHERE)
def test_one_of_these_behind_a_clause_takes_up_no_list(lang: str) -> None:
    question, reference = ("How many rooms?", "5 rooms.") if lang == "en" else ONE_OF[lang][:2]
    assert not is_open(question, reference, ELSEWHERE[lang], lang)


def is_open(question: str, reference: str, answer: str, lang: str) -> bool:
    return leaves_open(read(question, lang), read(reference, lang), read(answer, lang), lang)


@pytest.mark.parametrize("lang", BEDS)
def test_numbers_days_and_names_are_left_open(lang: str) -> None:
    for cases in (BEDS, DAYS, NAMES):
        question, reference, answer = cases[lang]
        assert is_open(question, reference, answer, lang), answer
        assert not is_open(question, reference, reference, lang), reference
        assert not is_open(question, answer, answer, lang), answer


@pytest.mark.parametrize("lang", ONE_OF)
def test_one_of_these_and_a_repeated_perhaps_leave_open_which(lang: str) -> None:
    question, reference, one_of, perhaps, right = ONE_OF[lang]
    assert is_open(question, reference, one_of, lang)
    assert is_open(question, reference, perhaps, lang)
    assert not is_open(question, reference, right, lang)


def test_a_french_soit_alone_is_no_choice() -> None:
    asked = ("Combien d'élèves y a-t-il ?", "24 élèves.")
    assert not is_open(*asked, "24 élèves, soit 12 filles et 12 garçons.", "fr")
    assert is_open(*asked, "Soit 24 élèves, soit 12.", "fr")


def test_an_or_beside_the_value_leaves_nothing_open() -> None:
    cases: list[tuple[str, str, str]] = [
        ("How many dives must be logged?", "90 dives.", "A log of 90 or more dives."),
        (
            "When are the clouds estimated?",
            "At 06:10.",
            "At 06:10. A second one, at 23:40, in storms of level two or three.",
        ),
        ("Tea or coffee?", "Tea.", "Tea or coffee, perhaps milk."),
        ("What may I bring?", "A towel.", "Bring a towel or a blanket."),
    ]
    for question, reference, answer in cases:
        assert not is_open(question, reference, answer, "en"), answer

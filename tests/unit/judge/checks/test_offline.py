from __future__ import annotations

from fakes import hits, item
from ragaliq.judge.checks.offline import OfflineChecker
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.types import Answer, AnswerOutcome


def offline(answer: str, *passages: str, lang: str = "en") -> Check:
    asked = item("When does the canteen open?", "At 7:30.", lang)
    return OfflineChecker().check(asked, Answer(asked.query, answer, AnswerOutcome.ANSWERED, tuple(hits(*passages))))


def test_support_by_words_and_numbers() -> None:
    cases: list[tuple[str, str, str, str, str]] = [
        (
            "en",
            "The North Canteen opens at 7:30 on weekdays.",
            "The North Canteen opens at 7:30.",
            "The North Canteen opens at 8:30.",
            "Bicycles may be kept behind the harbour office.",
        ),
        (
            "de",
            "Die Nordkantine öffnet werktags um 7:30 Uhr.",
            "Die Nordkantine öffnet um 7:30 Uhr.",
            "Die Nordkantine öffnet um 8:30 Uhr.",
            "Fahrräder stehen hinter dem Hafenamt.",
        ),
        (
            "fr",
            "La cantine du Nord ouvre à 7:30 en semaine.",
            "La cantine du Nord ouvre à 7:30.",
            "La cantine du Nord ouvre à 8:30.",
            "Les vélos se garent derrière la capitainerie.",
        ),
        (
            "es",
            "El comedor norte abre a las 7:30 entre semana.",
            "El comedor norte abre a las 7:30.",
            "El comedor norte abre a las 8:30.",
            "Las bicicletas se guardan detrás del puerto.",
        ),
        (
            "ru",
            "Северная столовая открывается по будням в 7:30.",
            "Северная столовая открывается в 7:30.",
            "Северная столовая открывается в 8:30.",
            "Велосипеды стоят за управлением порта.",
        ),
        ("zh", "北食堂工作日七点半开门，即7:30。", "北食堂7:30开门。", "北食堂8:30开门。", "自行车停放在港务局后面。"),
    ]
    for lang, passage, same, wrong, foreign in cases:
        found = offline(f"{same}\n{wrong}\n{foreign}", "7", passage, lang=lang).sentences
        assert [(s.support, s.doc_id) for s in found] == [
            (Support.SUPPORTED, "d2"),
            (Support.PARTLY, "d2"),
            (Support.NOT, None),
        ], lang


def test_support_counts_the_weights_of_terms() -> None:
    # alpha, beta and gamma weigh 1, a number 2: 3 of 5 without the number, 4 of 5 with it.
    assert offline("alpha beta gamma 12", "alpha beta gamma").sentences[0].support is Support.PARTLY
    assert offline("alpha beta gamma 12", "alpha beta 12").sentences[0].support is Support.SUPPORTED
    # 1 of 3 is below .4, 2 of 3 below .75, 3 of 4 is enough.
    assert offline("alpha beta gamma", "alpha").sentences[0].support is Support.NOT
    assert offline("alpha beta gamma", "alpha beta").sentences[0].support is Support.PARTLY
    assert offline("alpha beta gamma delta", "alpha beta gamma").sentences[0].support is Support.SUPPORTED


def test_of_two_passages_the_one_that_holds_more_is_named_else_the_first() -> None:
    assert offline("alpha beta gamma", "alpha beta", "alpha beta gamma").sentences[0].doc_id == "d2"
    assert offline("alpha beta gamma", "gamma beta alpha", "alpha beta gamma").sentences[0].doc_id == "d1"
    assert offline("alpha beta gamma").sentences == (SentenceCheck("alpha beta gamma", Support.NOT),)


def test_an_abstention_and_a_line_of_signs_have_no_support_to_look_for() -> None:
    found = offline("The answer was not found in the documents.", "The answer was not found.")
    assert (found.abstains, found.in_language) == (True, True)
    assert [s.support for s in found.sentences] == [None]
    assert [s.support for s in offline("…?!", "x").sentences] == [None]


def test_a_wrong_language_is_told_from_one_that_cannot_be() -> None:
    assert offline("Die Kantine öffnet morgens um halb acht Uhr.").in_language is False
    assert offline("7:30").in_language is None

from __future__ import annotations

import pytest

from fakes import hits, item
from ragaliq.judge.checks.offline import OfflineChecker
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.types import Answer, AnswerOutcome


def offline(answer: str, *passages: str, lang: str = "en") -> Check:
    asked = item("When does the canteen open?", "At 7:30.", lang)
    context = tuple(hits(*passages, lang=lang))
    return OfflineChecker().check(asked, Answer(asked.query, answer, AnswerOutcome.ANSWERED, context))


@pytest.mark.slow
def test_the_four_labels_in_six_languages() -> None:
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
        checked = offline(f"{same}\n{wrong}\n{foreign}", "7", passage, lang=lang).sentences
        assert [(s.support, s.doc_id) for s in checked] == [
            (Support.SUPPORTED, "d2"),
            (Support.CONTRADICTED, "d2"),
            (Support.NOT, None),
        ], lang


def test_a_part_that_no_passage_holds_makes_a_sentence_partly_supported() -> None:
    passage = "The tower was built in 1874 on a granite rock."
    checked = offline("The tower was built in 1874, and it was designed by a baker's daughter.", passage).sentences
    assert [(s.support, s.doc_id) for s in checked] == [(Support.PARTLY, "d1")]


def test_a_name_that_no_passage_holds_is_no_support() -> None:
    # The same words otherwise, and nothing in the passage that it could mean.
    (checked,) = offline("In Oslo the canteen opens at 7:30.", "The canteen opens at 7:30.").sentences
    assert checked.support is Support.PARTLY


def test_two_passages_may_support_a_sentence_together() -> None:
    both = "The canteen opens at 7:30 every day, and bicycles are kept behind the harbour office."
    passages = ("The canteen opens at 7:30 every day.", "Bicycles are kept behind the harbour office.")
    assert offline(both, *passages).sentences[0].support is Support.SUPPORTED
    assert offline(both, passages[0]).sentences[0].support is not Support.SUPPORTED


def test_passages_may_be_in_another_language() -> None:
    asked = item("When does the canteen open?", "At 7:30.", "en")
    context = tuple(hits("Die Kantine öffnet jeden Tag um 7:30 Uhr.", lang="de"))
    said = "The canteen opens at 7:30 every day.\nThe canteen opens at 8:30 every day.\nBicycles cost nothing."
    checks = OfflineChecker().check(asked, Answer(asked.query, said, AnswerOutcome.ANSWERED, context)).sentences
    assert [s.support for s in checks] == [Support.SUPPORTED, Support.CONTRADICTED, Support.NOT]


def test_a_language_that_the_encoder_does_not_know_has_its_words_compared() -> None:
    passage = "Ravintola avataan joka arkipäivä kello seitsemän."
    checked = offline(f"{passage}\nPolkupyörät säilytetään sataman takana.", passage, lang="fi").sentences
    assert [s.support for s in checked] == [Support.SUPPORTED, Support.NOT]


def test_without_passages_nothing_is_supported() -> None:
    assert offline("alpha beta gamma").sentences == (SentenceCheck("alpha beta gamma", Support.NOT),)


def test_an_abstention_and_a_line_of_signs_have_no_support_to_look_for() -> None:
    checked = offline("The answer was not found in the documents.", "The answer was not found.")
    assert (checked.abstains, checked.in_language) == (True, True)
    assert [s.support for s in checked.sentences] == [None]
    assert [s.support for s in offline("…?!", "x").sentences] == [None]


def test_a_wrong_language_is_told_from_one_that_cannot_be() -> None:
    assert offline("Die Kantine öffnet morgens um halb acht Uhr.").in_language is False
    assert offline("7:30").in_language is None

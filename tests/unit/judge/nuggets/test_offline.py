"""The offline matcher on facts of its own: paraphrases, short replies, other numbers, denials, abstentions."""

from __future__ import annotations

import pytest

from fakes import item
from ragaliq.judge.nuggets.offline import OfflineMatcher
from ragaliq.types import Answer, AnswerOutcome, Importance, Nugget, VerdictOutcome

MATCHER = OfflineMatcher()
# Language → question, nugget.
FACTS = {
    "en": ("When does the swimming hall open?", "The swimming hall opens at 06:45."),
    "de": ("Wann öffnet die Schwimmhalle?", "Die Schwimmhalle öffnet um 06:45 Uhr."),
    "fr": ("Quand ouvre la piscine ?", "La piscine ouvre à 6 h 45."),
    "es": ("¿Cuándo abre la piscina?", "La piscina abre a las 6:45."),
    "ru": ("Когда открывается бассейн?", "Бассейн открывается в 6:45."),
    "zh": ("游泳馆几点开门？", "游泳馆6:45开门。"),
}
OTHERS = {
    "en": "at 08:15.",
    "de": "um 08:15 Uhr.",
    "fr": "à 8 h 15.",
    "es": "a las 8:15.",
    "ru": "в 8:15.",
    "zh": "8:15",
}
ASKED = {
    "en": ("Is smoking allowed on the pier?", "Smoking is not allowed on the pier.", "No.", "Yes."),
    "de": ("Darf man auf dem Steg rauchen?", "Auf dem Steg darf man nicht rauchen.", "Nein.", "Ja."),
    "es": ("¿Se puede fumar en el muelle?", "No se puede fumar en el muelle.", "No.", "Sí."),
    "ru": ("Можно ли курить на причале?", "Курить на причале нельзя.", "Нет.", "Да."),
}


def labels(lang: str, question: str, nuggets: tuple[str, ...], answer: str, abstained: bool = False) -> list[str]:
    query = item(question, "", lang)
    known = [Nugget(f"n{i}", "q1", lang, text, Importance.VITAL, ()) for i, text in enumerate(nuggets)]
    outcome = AnswerOutcome.ABSTAINED if abstained else AnswerOutcome.ANSWERED
    found = MATCHER.match(query, Answer(query.query, answer, outcome, ()), known)
    assert (found.outcome, found.judge, len(found.assignments)) == (VerdictOutcome.SCORED, "offline", len(nuggets))
    return [str(match.label) for match in found.assignments]


@pytest.mark.parametrize("lang", FACTS)
def test_the_nugget_itself_is_supported_another_number_and_an_abstention_are_not(lang: str) -> None:
    question, nugget = FACTS[lang]
    assert labels(lang, question, (nugget,), nugget) == ["support"]
    assert labels(lang, question, (nugget,), OTHERS[lang]) == ["not_support"]
    assert labels(lang, question, (nugget,), nugget, abstained=True) == ["not_support"]


@pytest.mark.parametrize("lang", ASKED)
def test_yes_and_no_answer_a_nugget_that_the_question_spells_out(lang: str) -> None:
    question, nugget, no, yes = ASKED[lang]
    assert labels(lang, question, (nugget,), no) == ["support"]
    assert labels(lang, question, (nugget,), yes) == ["not_support"]


def test_a_short_reply_counts_with_its_question_and_a_long_one_by_its_best_sentences() -> None:
    question, nugget = FACTS["en"]
    assert labels("en", question, (nugget,), "At 6:45 a.m.") == ["support"]
    long = "Tickets cost 4 euros. The hall lies by the river. It opens at 06:45. Towels are for hire."
    assert labels("en", question, (nugget,), long) == ["support"]


def test_one_of_two_numbers_is_a_part() -> None:
    nugget = "The ferry to Orsk sails at 21:05 from quay 4."
    assert labels("en", "When and where does the ferry to Orsk sail?", (nugget,), "At 21:05.") == ["partial_support"]


def test_a_denial_supports_nothing() -> None:
    question, nugget = "Who looks after the garden?", "The school looks after the garden."
    assert labels("en", question, (nugget,), "The school.") == ["support"]
    assert labels("en", question, (nugget,), "The school does not look after the garden.") == ["not_support"]


def test_in_a_language_that_the_encoder_does_not_know_words_decide() -> None:
    nugget = "Knihovna se zavírá v 18:30."
    answers = {"Knihovna zavírá v 18:30.": "support", "Lístek stojí 9 eur.": "not_support"}
    for answer, label in answers.items():
        assert labels("cs", "Kdy se zavírá knihovna?", (nugget,), answer) == [label]

from __future__ import annotations

from math import log

import pytest
from pytest import approx

from fakes import hits
from ragaliq.read import evidence as constants
from ragaliq.read.evidence import AnswerEvidence
from ragaliq.types import Query

# Figures of the encoder are rounded to four digits, and so are the sums.
DIGITS = 2e-4


def query(text: str, lang: str = "en") -> Query:
    return Query("q1", lang, text)


def test_rare_words_of_the_question_are_evidence() -> None:
    # Greek: without the encoder the usual cosine takes its place. Of twelve statements a fifth are 2.4.
    others = [f"αβγ{n}." for n in range(9)]
    two = ["πλοίο λιμάνι.", "πλοίο."]
    context = hits(*two, *others, "τρένο.", lang="el", scores=[1.0] * 12)
    found = AnswerEvidence(query("πλοίο λιμάνι βάρκα;", "el"), context)
    words = 1 + log(2.4 / 2) / log(2.4)
    margin = found.values[0] - max(found.values[1:])
    expected = constants.WORDS * words + constants.COSINE * constants.USUAL_COSINE + constants.MARGIN * margin
    assert found.best == 0
    assert found.weight() == approx(expected, abs=DIGITS)


def test_the_value_is_the_sum_of_cosine_words_and_relevance() -> None:
    question = "Where does the boat sail?"
    near, far = AnswerEvidence(query(question), hits("The boat sails here.", "x y.", scores=[1.0, 0.5])).values
    assert near > far
    low, high = (
        AnswerEvidence(query(question), hits("z.", "The boat sails here.", scores=[1.0, s])).values[1]
        for s in (0.5, 1.0)
    )
    assert high - low == approx(0.5 * constants.RELEVANCE, abs=DIGITS)


@pytest.mark.parametrize(
    ("lang", "question", "right", "wrong"),
    [
        ("en", "How many litres does the tank hold?", "The tank holds 40 litres.", "The tank holds many fish."),
        ("de", "Wie viele Liter fasst der Tank?", "Der Tank fasst 40 Liter.", "Der Tank fasst viele Fische."),
        (
            "fr",
            "Combien de litres contient le bassin ?",
            "Le bassin contient 40 litres.",
            "Le bassin contient des poissons.",
        ),
        ("es", "¿Cuántos litros tiene el tanque?", "El tanque tiene 40 litros.", "El tanque tiene peces."),
        ("ru", "Сколько литров в баке?", "В баке 40 литров.", "В баке рыба."),
        ("zh", "水箱能装多少升水？", "水箱能装40升水。", "水箱能装鱼和水。"),
    ],
)
def test_a_missing_value_of_the_kind_that_is_asked_for_speaks_against_an_answer(
    lang: str, question: str, right: str, wrong: str
) -> None:
    other = "x."
    assert AnswerEvidence(query(question, lang), hits(wrong, right, lang=lang, scores=[1, 1])).best == 1
    with_value = AnswerEvidence(query(question, lang), hits(right, other, lang=lang))
    without = AnswerEvidence(query(question, lang), hits(wrong, other, lang=lang))
    assert with_value.weight() > without.weight() + 1


def test_no_context_no_evidence() -> None:
    found = AnswerEvidence(query("Where?"), [])
    assert (found.best, found.weight(), found.values) == (-1, 0.0, [])
    assert AnswerEvidence(query("Where?"), hits(" ")).best == -1

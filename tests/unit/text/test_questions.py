from __future__ import annotations

import pytest

from ragaliq.text.questions import asked, fits

KINDS = {
    "time": {
        "en": "When does it open?", "de": "Wann öffnet es?", "fr": "Quand est-ce ouvert ?",
        "es": "¿Cuándo abre?", "ru": "Когда открывается?", "zh": "什么时候开门？",
    },
    "money": {
        "en": "What does it cost?", "de": "Was kostet das?", "fr": "Combien ça coûte ?",
        "es": "¿Cuánto cuesta?", "ru": "Сколько это стоит?", "zh": "这要多少钱？",
    },
    "person": {
        "en": "Who runs it?", "de": "Wer leitet es?", "fr": "Qui dirige la station ?",
        "es": "¿Quién lo dirige?", "ru": "Кто руководит?", "zh": "谁负责？",
    },
    "duration": {
        "en": "How long may I stay?", "de": "Wie lange darf ich bleiben?", "fr": "Combien de temps puis-je rester ?",
        "es": "¿Cuánto tiempo puedo quedarme?", "ru": "Как долго можно остаться?", "zh": "可以住多久？",
    },
}  # fmt: skip
SEVERAL = {
    "en": ["Which documents do I need?", "Which is longer, the Auk or the Tern?"],
    "de": ["Welche Unterlagen brauche ich?", "Was ist der Unterschied zwischen beiden?"],
    "fr": ["Quels documents faut-il ?", "Laquelle est la plus longue ?"],
    "es": ["¿Qué documentos necesito?", "¿Cuál de los dos es más largo que el otro?"],
    "ru": ["Какие документы нужны?", "Какая лодка больше, чем другая?"],
    "zh": ["需要哪些文件？", "两者有什么区别？"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_of_value_that_a_question_asks_for(kind: str) -> None:
    for lang, question in KINDS[kind].items():
        assert kind in asked(question, lang).kinds, lang
        assert not asked(question, lang).several, lang


def test_lists_and_comparisons_ask_for_several_statements() -> None:
    for lang, questions in SEVERAL.items():
        for question in questions:
            assert asked(question, lang).several, (lang, question)


def test_two_kinds_of_value_ask_for_several_statements() -> None:
    assert asked("Who is that, and when does the office open?", "en").several


def test_a_counted_unit_is_what_is_asked_for() -> None:
    assert asked("How many litres does it hold?", "en").units == {"l", "ml"}
    assert "min" in asked("Wie viele Stunden dauert es?", "de").units
    assert asked("How many people fit in?", "en").kinds == {"number"}


def test_a_statement_fits_by_a_value_that_the_question_lacks() -> None:
    question = "When does the ferry of 9:00 come back?"
    assert fits("It comes back at 17:30.", "en", question, "en")
    assert not fits("The ferry of 9:00 comes back.", "en", question, "en")
    assert not fits("It carries 40 people.", "en", question, "en")
    assert fits("Sie kommt um 17:30 Uhr zurück.", "de", question, "en")


def test_a_person_is_two_capitalised_words() -> None:
    assert fits("It is run by Pavel Dunarik.", "en", "Who runs it?", "en")
    assert fits("负责人是帕维尔·杜纳里克。", "zh", "谁负责？", "zh")
    assert not fits("It is run by a steward.", "en", "Who runs it?", "en")


def test_a_question_in_a_language_without_patterns_asks_for_nothing() -> None:
    assert not asked("Πότε ανοίγει;", "el").kinds
    assert not fits("Στις 9:00.", "el", "Πότε ανοίγει;", "el")

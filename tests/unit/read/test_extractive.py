from __future__ import annotations

from dataclasses import replace
from math import log

from fakes import hits
from ragaliq.read.extractive import ExtractiveReader
from ragaliq.text.refusals import not_found
from ragaliq.types import AnswerOutcome, Query, Reading

CASES = {
    "en": (
        "When does the supply boat leave the harbour?",
        "The supply boat leaves the harbour at nine.",
        ["The kitchen is closed on Sunday.", "Dogs must be kept on a lead."],
    ),
    "de": (
        "Wann verlässt das Versorgungsschiff den Hafen?",
        "Das Versorgungsschiff verlässt den Hafen um neun.",
        ["Die Küche ist sonntags geschlossen.", "Hunde sind anzuleinen."],
    ),
    "fr": (
        "Quand le bateau de ravitaillement quitte-t-il le port ?",
        "Le bateau de ravitaillement quitte le port à neuf heures.",
        ["La cuisine est fermée dimanche.", "Les chiens sont tenus en laisse."],
    ),
    "es": (
        "¿Cuándo sale el barco de suministros del puerto?",
        "El barco de suministros sale del puerto a las nueve.",
        ["La cocina cierra el domingo.", "Los perros van con correa."],
    ),
    "ru": (
        "Когда судно снабжения выходит из порта?",
        "Судно снабжения выходит из порта в девять.",
        ["Кухня закрыта в воскресенье.", "Собак держат на поводке."],
    ),
    "zh": ("补给船几点离开港口？", "补给船九点离开港口。", ["厨房周日关门。", "狗必须拴绳。"]),
}


def query(text: str, lang: str = "en") -> Query:
    return Query("q1", lang, text)


def abstained(lang: str) -> Reading:
    return Reading(not_found(lang), AnswerOutcome.ABSTAINED)


def test_the_sentence_that_answers_is_found_wherever_it_stands() -> None:
    for lang in CASES:
        question, answer, others = CASES[lang]
        for context in ([answer, *others], [*others, answer], ["\n".join([others[0], answer]), others[1]]):
            found = ExtractiveReader().read(query(question, lang), hits(*context, lang=lang))
            assert found == Reading(answer, AnswerOutcome.ANSWERED), lang


def test_without_evidence_it_abstains_in_the_language_of_the_question() -> None:
    for lang in CASES:
        question, _, others = CASES[lang]
        assert ExtractiveReader().read(query(question, lang), hits(*others, lang=lang)) == abstained(lang), lang
        assert ExtractiveReader().read(query(question, lang), []) == abstained(lang), lang


def test_evidence_is_the_weight_of_the_shared_words_of_one_chunk() -> None:
    reader, context = ExtractiveReader(min_evidence=2.0), hits("Red boats sail.", "Green trains roll.")
    # A word that one of the two sentences holds weighs 1; the words of two chunks are not added.
    assert reader.read(query("boat, sail?"), context).text == "Red boats sail."
    assert reader.read(query("boat, rolling?"), context) == abstained("en")
    # `df = 2` of 2 sentences: ln(1 + 2 / 2.5) / ln(1 + 2 / 1.5) each, and three of them are enough, two are not.
    once, twice = log(1 + 2 / 1.5), log(1 + 2 / 2.5)
    assert 2 * twice / once < 2 < 3 * twice / once
    context = hits("Red boats sail.", "Red boats sail fast.")
    assert reader.read(query("boat, sail?"), context) == abstained("en")
    assert reader.read(query("red boat, sail?"), context).text == "Red boats sail."


def test_the_least_evidence_can_be_set() -> None:
    context = hits("Red boats sail.", "Green trains roll.")
    assert ExtractiveReader(min_evidence=1.0).read(query("boat?"), context).text == "Red boats sail."
    assert ExtractiveReader(min_evidence=1.01).read(query("boat?"), context) == abstained("en")


def test_a_second_sentence_of_the_chunk_adds_what_the_first_one_lacks() -> None:
    context = hits("Filler text is here. The boat has a radio. The captain sleeps below.", "Trains roll.")
    # Of four sentences one holds each of six terms, two hold `the`, and none holds `who` and `where`.
    one, two, none = log(1 + 4 / 1.5), log(1 + 4 / 2.5), log(1 + 4 / 0.5)
    assert 2 * one / (6 * one + two) > 0.2 > 2 * one / (6 * one + two + 2 * none)
    first, second = "The boat has a radio.", "The captain sleeps below."
    question = query("The boat has a radio, the captain sleeps?")
    assert ExtractiveReader().read(question, context).text == f"{first} {second}"
    assert ExtractiveReader(max_sentences=1).read(question, context).text == first
    question = query("Who has a radio, the boat where the captain sleeps?")
    assert ExtractiveReader().read(question, context).text == first


def test_the_better_ranked_of_equal_sentences_answers() -> None:
    context = hits("The boat sails at nine, x.", "The boat sails at nine, y.", scores=[1.0, 0.9])
    assert ExtractiveReader(min_evidence=0).read(query("When does the boat sail?"), context).text.endswith("x.")
    level = hits("The boat sails at nine, y.", "The boat sails at nine, x.", scores=[1.0, 1.0])
    assert ExtractiveReader(min_evidence=0).read(query("When does the boat sail?"), level).text.endswith("y.")


def test_the_score_of_a_chunk_counts_beside_its_words() -> None:
    context = hits("The boat sails at nine, x.", "The boat sails at nine, y.", scores=[0.5, 1.0])
    assert ExtractiveReader(min_evidence=0).read(query("When does the boat sail?"), context).text.endswith("y.")


def test_two_sentences_keep_their_order() -> None:
    context = hits("The captain sleeps. The boat has a loud radio.", "Trains roll.")
    found = ExtractiveReader().read(query("The boat has a loud radio, the captain sleeps?"), context)
    assert found.text == "The captain sleeps. The boat has a loud radio."


def test_a_word_of_an_unspaced_script_is_no_more_evidence_than_another() -> None:
    context = hits("厨房关门了。", "狗必须拴绳。", lang="zh")
    # One shared word gives three terms, 厨 房 厨房, of weight .4; the whole clause gives seven.
    assert 3 * 0.4 < 2 < 7 * 0.4
    assert ExtractiveReader().read(query("厨房在哪里？", "zh"), context) == abstained("zh")
    assert ExtractiveReader().read(query("厨房关门？", "zh"), context).text == "厨房关门了。"


def test_a_title_is_evidence() -> None:
    titled = [replace(hit, chunk=replace(hit.chunk, title="Red boats")) for hit in hits("They sail.")]
    assert ExtractiveReader().read(query("Red boats?"), titled).text == "They sail."
    assert ExtractiveReader().read(query("Red boats?"), hits("They sail.")) == abstained("en")


def test_a_context_without_scores_is_read() -> None:
    context = hits("Green trains roll.", "Red boats sail.", scores=[0.0, 0.0])
    assert ExtractiveReader().read(query("boats sail?"), context).text == "Red boats sail."


def test_a_row_of_a_table_answers_with_its_heads() -> None:
    table = "| Day | Boat |\n|---|---|\n| Monday | red |\n| Friday | blue |"
    found = ExtractiveReader().read(query("Which boat sails on Friday, the blue one?"), hits(table))
    assert found.text == "Day: Friday; Boat: blue"

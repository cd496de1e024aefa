"""The rules' translation: the sample's parallel texts, and nothing else."""

from __future__ import annotations

import pytest

from ragaliq.build.model.phrase_book import clause_pairs, split_known
from ragaliq.build.model.scripted_translation import translate_by_rules

SHIP = "The supply ship Tarnholt is the usual way to reach Velmora Station."
LANGS = ("de", "es", "fr", "ru", "zh")


def one(text: str, lang: str, source_lang: str = "en") -> str:
    return translate_by_rules([text], source_lang, lang)[0]


def test_a_sentence_of_the_sample_has_its_counterpart() -> None:
    assert one(SHIP, "de") == "Das Versorgungsschiff Tarnholt ist der übliche Weg zur Station Velmora."


def test_so_it_has_in_a_script_without_blanks_and_back() -> None:
    assert one(SHIP, "zh") == "补给船塔恩霍尔特号是前往韦尔莫拉站最常用的交通工具。"
    assert one(one(SHIP, "zh"), "en", "zh") == SHIP


@pytest.mark.parametrize("lang", LANGS)
def test_any_other_text_stays(lang: str) -> None:
    for text in ("Bees fly.", "What is missing in this sentence: “Bees ____ far.”?", f"{SHIP} Bees fly."):
        assert one(text, lang) == text


def test_sentences_that_are_joined_are_translated_together() -> None:
    joined = f"{SHIP} {SHIP}"
    assert one(joined, "de") == " ".join([one(SHIP, "de")] * 2)
    assert one(joined, "zh") == one(SHIP, "zh") * 2


def test_a_line_that_is_cut_otherwise_in_the_other_language_is_matched_by_its_facts() -> None:
    # English has no boundary behind "09:15.", German has one.
    source = ("In the summer season (1 May to 30 September) it leaves Brannick Harbour every Monday and Thursday at "
              "07:40; in the winter season (1 October to 30 April) it sails only on Tuesdays, at 09:15. The crossing "
              "of Sorrel Fjord takes 3 hours 20 minutes in calm weather.")  # fmt: skip
    said = one(source, "de")
    assert said.startswith("In der Sommersaison (1. Mai bis 30. September)")
    assert said.endswith("dauert bei ruhigem Wetter 3 Stunden 20 Minuten.")


def test_the_gap_of_a_question_is_where_the_translation_says_the_same() -> None:
    question = f"What is missing in this sentence: “{SHIP.replace('Tarnholt', '____')}”?"
    assert one(question, "de") == (
        "Was fehlt in diesem Satz: „Das Versorgungsschiff ____ ist der übliche Weg zur Station Velmora.“?"
    )


def test_clauses_are_paired_if_they_state_the_same() -> None:
    langs = ("en", "de")
    pairs = clause_pairs("At 8 we eat, at 9 we sleep.", "Um 8 essen wir, um 9 schlafen wir.", langs)
    assert pairs == [("At 8 we eat", "Um 8 essen wir"), ("at 9 we sleep.", "um 9 schlafen wir.")]
    assert clause_pairs("At 8 we eat, at 9 we sleep.", "Um 9 schlafen wir, um 8 essen wir.", langs) == []
    assert clause_pairs("At 8 we eat.", "Um 8 essen wir.", langs) == []


def test_a_text_is_made_of_phrases_or_it_is_not() -> None:
    book = {"A b.": "x", "C.": "y"}
    assert split_known("A b. C. A b.", book) == ["A b.", "C.", "A b."]
    assert list(split_known("A b. D.", book)) == []

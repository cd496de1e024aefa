"""Sentences with a gap, in six languages."""

from __future__ import annotations

import pytest

from ragaliq.build.model.cloze import cloze, gap_in, longest_word, read_clozes

LANGS = ("de", "en", "es", "fr", "ru", "zh")


@pytest.mark.parametrize("lang", LANGS)
def test_a_question_gives_back_what_stands_around_its_gap(lang: str) -> None:
    one, two = cloze("The ship sails at 09:15.", "09:15", lang), cloze("码头在北面。", "北面", lang)
    assert list(read_clozes(one, lang)) == [("The ship sails at ", ".")]
    assert list(read_clozes(f"{one} {two}", lang)) == [("The ship sails at ", "."), ("码头在", "。")]


@pytest.mark.parametrize("lang", LANGS)
def test_any_other_text_has_no_gap(lang: str) -> None:
    assert not list(read_clozes(f"Wann? {cloze('a 1 b', '1', lang)}", lang))
    assert not list(read_clozes("Wann ____?", lang))


def test_the_gap_fits_the_kind_of_question() -> None:
    sentence = "The shop opens at 08:30 with apples, pears, plums for 3 guests."
    kinds = ("temporal", "numeric", "list", "single")
    assert [gap_in(kind, sentence) for kind in kinds] == ["08:30", "08:30", "apples, pears, plums", "08:30"]
    assert longest_word("图书馆每天早上开门") == "图书馆每"
    assert gap_in("numeric", "| a | 3 |") == ""

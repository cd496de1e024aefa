"""Documents are found by quotes, slips and all, and by answers as whole words."""

from __future__ import annotations

from ragaliq.build.validity.locate import DocumentFinder
from ragaliq.types import Chunk

TEXTS = {
    "a-01": "The gate opens at 07:00. A night costs 14 euros for each adult.",
    "a-02": "Dogs must be kept on a lead. A night costs 14 euros for each adult.",
    "a-03": "Boats cost 140 euros a week; the jetty is made of wood.",
}
EN = DocumentFinder([Chunk(doc_id, "en", text, doc_id, 0, len(text)) for doc_id, text in TEXTS.items()])
ZH = DocumentFinder([Chunk("z-01", "zh", "奥尔维拉营地的大门早上07:00开放。", "z", 0, 18)])


def test_a_quote_is_found_in_every_document_that_holds_it() -> None:
    assert EN.holding_quote("A night costs 14 euros") == ("a-01", "a-02")
    assert EN.holding_quote("  Dogs must be kept on a lead. ") == ("a-02",)
    # Case, line ends and one letter in twenty do not count; another fact does.
    assert EN.holding_quote("the jetty\nis made of WOOD.") == ("a-03",)
    assert EN.holding_quote("Boats cost 140 euros a week; the jetti is made of wood.") == ("a-03",)
    assert EN.holding_quote("Boats are free for children under six, ask at the jetty.") == ()
    assert EN.holding_quote("  ") == ()


def test_an_answer_is_found_as_whole_words() -> None:
    assert EN.holding_answer("14 Euros") == ("a-01", "a-02")
    assert EN.holding_answer("140") == ("a-03",)
    assert EN.holding_answer("4 euros") == ()
    assert EN.holding_answer(" ") == ()


def test_scripts_without_spaces_have_no_word_ends() -> None:
    assert ZH.holding_answer("大门") == ("z-01",)
    assert ZH.holding_quote("营地的大门早上") == ("z-01",)
    assert ZH.holding_answer("小门") == ()

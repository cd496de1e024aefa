"""Texts once; long ones cut with a note."""

from __future__ import annotations

from ragaliq.report.html.texts import MOST_CHARACTERS, Chunks, Texts, shortened
from unit.report.html.reading import unpacked


def test_equal_texts_have_one_number() -> None:
    texts = Texts()
    assert [texts.number(text) for text in ("b", "a", "b", "__proto__", "")] == [0, 1, 0, 2, 3]
    assert texts.all() == ["b", "a", "__proto__", ""]


def test_a_long_text_is_cut_and_says_so() -> None:
    exact = "字" * MOST_CHARACTERS
    assert shortened(exact, "x") == exact
    cut = shortened(exact + "!", "answers.jsonl of r")
    assert (
        cut
        == exact + "\n[cut for this page: the first 20,000 of 20,001 characters; the whole is in answers.jsonl of r]"
    )


def test_chunks_are_one_where_id_language_and_text_are() -> None:
    chunks = Chunks()
    rows = [
        ("d1", "en", "x"),
        ("d1", "de", "x"),
        ("d1", "en", "y"),
        ("d2", "en", "x"),
        ("d1", "en", "x"),
        ("d", "1en", "x"),
    ]
    assert [chunks.number(*row) for row in rows] == [0, 1, 2, 3, 0, 4]
    (block,) = chunks.blocks.packed().values()
    assert unpacked(block)["chunks"][1] == {"doc_id": "d1", "lang": "de", "text": "x"}

"""Documents of translated chunks: the text stands where the chunk says."""

from __future__ import annotations

from dataclasses import replace

from ragaliq.build.translation.documents import translated_document
from ragaliq.types import Chunk

TEXT = "\n# Eins\n\nErster. Zweiter.\nKurz\n\nDritter.\n"


def chunk(text: str) -> Chunk:
    start = TEXT.index(text)
    return Chunk(f"d:{start}-{start + len(text)}", "de", text, "d", start, start + len(text), "Eins")


CHUNKS = [chunk("# Eins\n\nErster."), chunk("Zweiter."), chunk("Dritter.")]


def said(lang: str, *texts: str) -> dict[str, Chunk]:
    return {one.doc_id: replace(one, lang=lang, text=text) for one, text in zip(CHUNKS, texts, strict=True) if text}


def test_places_follow_the_translation_and_text_of_no_chunk_leaves_only_its_lines() -> None:
    document, chunks = translated_document(TEXT, CHUNKS, said("en", "# One\n\nThe first.", "Second.", "Third."), "en")
    assert document == "\n# One\n\nThe first. Second.\n\n\nThird.\n"
    assert [document[one.start : one.end] for one in chunks] == ["# One\n\nThe first.", "Second.", "Third."]
    assert {one.lang for one in chunks} == {"en"} and [one.doc_id for one in chunks] == [one.doc_id for one in CHUNKS]


def test_a_chunk_that_is_not_shipped_is_not_there() -> None:
    document, chunks = translated_document(TEXT, CHUNKS, said("zh", "# 一\n\n第一。", "", "第三。"), "zh")
    assert document == "\n# 一\n\n第一。\n\n\n第三。\n"
    assert [document[one.start : one.end] for one in chunks] == ["# 一\n\n第一。", "第三。"]


def test_scripts_without_blanks_have_none_between_chunks() -> None:
    document, chunks = translated_document(TEXT, CHUNKS, said("zh", "# 一\n\n第一。", "第二。", "第三。"), "zh")
    assert document.startswith("\n# 一\n\n第一。第二。\n")
    assert document[chunks[1].start : chunks[1].end] == "第二。"

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.stage_row import StageRow
from ragaliq.build.update.chunk_ids import ChunkIds
from ragaliq.types import Chunk

SOURCE = "docs/порядок.md"


def cut(*texts: str, source: str = SOURCE, lang: str = "ru") -> list[Chunk]:
    """The chunks of a document that has these texts, one space between them."""
    chunks, start = [], 0
    for text in texts:
        chunks.append(Chunk(f"{source}:{start}-{start + len(text)}", lang, text, source, start, start + len(text)))
        start += len(text) + 1
    return chunks


def version(rows: list[StageRow], chunks: list[Chunk], number: int = 1) -> list[StageRow]:
    """The rows of the next version."""
    ids = ChunkIds(rows)
    kept = []
    for chunk in map(ids.of, chunks):
        value = {"source_id": chunk.source_id, "start": chunk.start, "text": chunk.text}
        kept.append(StageRow(chunk.doc_id, chunk.lang, value))
    return [*kept, *ids.retired([(row.lang, row.item_id) for row in kept], f"1.{number}")]


def ids_of(rows: list[StageRow]) -> dict[str, str]:
    return {row.value["text"]: row.item_id for row in rows if row.kept}


def test_a_text_keeps_its_id_wherever_it_goes_in_its_document() -> None:
    first = version([], cut("а", "бб", "ввв"))
    second = version(first, cut("ввв", "г", "а", "бб"))
    assert {text: ids_of(second)[text] for text in ("а", "бб", "ввв")} == ids_of(first)
    assert ids_of(second)["г"] == f"{SOURCE}:4-5"
    elsewhere = version(first, cut("а", source="docs/别.md"))
    assert ids_of(elsewhere)["а"] == "docs/别.md:0-1"


def test_an_id_never_stands_for_another_text() -> None:
    first = version([], cut("да", "нет"))
    second = version(first, cut("ад", "нет"))
    assert ids_of(second) == {"ад": f"{SOURCE}:0-2~2", "нет": f"{SOURCE}:3-6"}
    gone = [row for row in second if not row.kept]
    assert [(row.item_id, row.reason, row.detail) for row in gone] == [(f"{SOURCE}:0-2", "retired", "in version 1.1")]
    # The old text comes back under a new id: the old one is retired for good.
    third = version(second, cut("да", "нет"), 2)
    assert ids_of(third)["да"] == f"{SOURCE}:0-2~3"
    assert [row.detail for row in third if not row.kept] == ["in version 1.1", "in version 1.2"]


def test_of_equal_texts_the_first_takes_the_first_id() -> None:
    first = version([], cut("一", "二", "一"))
    second = version(first, cut("零", "一", "一", "一"))
    assert [row.item_id for row in second[1:3]] == [f"{SOURCE}:0-1", f"{SOURCE}:4-5"]
    assert second[3].item_id == f"{SOURCE}:6-7"


@given(st.lists(st.lists(st.sampled_from(["a", "é", "中文", "дом"]), max_size=6), max_size=5))
def test_over_versions_ids_are_unique_and_stand_for_one_text(versions: list[list[str]]) -> None:
    rows: list[StageRow] = []
    texts: dict[str, str] = {}
    for number, listed in enumerate(versions):
        known = {row.item_id for row in rows}
        rows = version(rows, cut(*listed), number)
        assert known <= {row.item_id for row in rows}
        assert len({row.item_id for row in rows}) == len(rows)
        for row in rows:
            if row.kept:
                assert texts.setdefault(row.item_id, row.value["text"]) == row.value["text"]

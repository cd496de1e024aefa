"""Collections in the layout of the RAGaliq sources."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.convert.upstream_writer import write_upstream
from ragaliq.errors import InputError
from ragaliq.formats.reading.collection import document
from ragaliq.storage.files import read_json
from ragaliq.types import Chunk, Query
from unit.benchmark.small_collection import CHUNKS, FULL, PLAIN
from unit.formats.sets import items_for


def test_questions_and_answers_come_back_parallel(tmp_path: Path) -> None:
    english = replace(
        FULL, lang="en",
        items=items_for((Query(q.query_id, "en", f"{q.query_id}?") for q in FULL.queries),
                        {"q1": "Red.", "q2": "Under the mat."}),
    )  # fmt: skip
    notes = write_upstream({"de": FULL, "en": english}, tmp_path)
    # q3 has no reference in English.
    assert notes == ["left out: 1 queries without a reference answer, or asked twice"]
    assert read_json(tmp_path / "questions_de.json")[0] == {
        "question": "Welche Farbe hat die Tür?", "answer": "Rot.", "source_q": "q1?", "source_a": "Red.",
    }  # fmt: skip
    back = load_collections(tmp_path)
    by_id = {q.query_id: q.text for q in back["en"].queries}
    assert {by_id[q.query_id]: q.text for q in back["de"].queries} == {
        "q1?": FULL.queries[0].text, "q2?": FULL.queries[1].text,
    }  # fmt: skip
    assert set(back["de"].references.values()) == {"Rot.", FULL.references["q2"]}


def test_the_first_language_is_the_pivot_without_english(tmp_path: Path) -> None:
    write_upstream({"de": FULL}, tmp_path)
    assert read_json(tmp_path / "questions_de.json")[0] == {"question": "Welche Farbe hat die Tür?", "answer": "Rot."}


def test_chunks_that_overlap_give_the_source_once(tmp_path: Path) -> None:
    source = "Eins.\nZwei.\nDrei.\nVier.\n"
    spans = [(0, 11), (6, 17), (12, 23)]
    chunks = [Chunk(f"c{i}", "de", source[a:b], "s.md", a, b, "Zahlen") for i, (a, b) in enumerate(spans)]
    collection = replace(FULL, chunks=lambda: iter([*chunks, document("fünf", "de", "Fünf.")]))
    write_upstream({"de": collection}, tmp_path)
    text = (tmp_path / "orientation_de.md").read_text(encoding="utf-8")
    assert text.split() == ["#", "Zahlen", "Eins.", "Zwei.", "Drei.", "Vier.", "Fünf."]


def test_all_of_the_corpus_is_there(tmp_path: Path) -> None:
    write_upstream({"de": FULL}, tmp_path)
    text = (tmp_path / "orientation_de.md").read_text(encoding="utf-8")
    assert all(chunk.text in text for chunk in CHUNKS)


def test_without_references_there_is_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="haus: no query has a reference answer"):
        write_upstream({"de": PLAIN}, tmp_path)

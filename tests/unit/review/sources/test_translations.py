"""Segments of a text, and edits that become new versions of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.review.labels import label_file, read_labels
from ragaliq.review.sampling import Place
from ragaliq.review.session import Session
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.sources.segments import SegmentMemory
from ragaliq.review.values import ReviewTask, TranslationMark
from ragaliq.storage.files import read_jsonl, write_jsonl
from unit.review.benches import AT, TWO, bench_session, translate_here, write_bench

CHUNK = Place("", "de", "stay-02", "chunk stay-02")


def parts(memory: dict[str, str], text: str, translation: str) -> list[tuple[str, str]]:
    versions = {source: [target] for source, target in memory.items()}
    return [(part.name, part.text) for part in SegmentMemory(versions).parts(text, translation)]


def test_segments_come_in_their_order_the_longest_first() -> None:
    memory = {
        "Opening hours": "Öffnungszeiten",
        "At nine.": "Um neun.",
        "At nine. Every day.": "Täglich um neun.",
        "nine": "neun",
    }
    text = "# Opening hours\n\n- At nine. Every day.\n- At nine.\n"
    assert parts(memory, text, "# Öffnungszeiten\n\n- Täglich um neun.\n- Um neun.\n") == [
        ("Opening hours", "Öffnungszeiten"), ("At nine. Every day.", "Täglich um neun."), ("At nine.", "Um neun."),
    ]  # fmt: skip


def test_a_segment_stands_between_words_and_its_target_in_the_translation() -> None:
    assert parts({"art": "Kunst"}, "A part of art", "Ein Teil der Kunst") == [("art", "Kunst")]
    assert parts({"art": "Kunst"}, "A part", "Ein Teil der Kunst") == []
    assert parts({"art": "Gemälde"}, "art", "Kunst") == []
    # A sentence may follow another one without a blank.
    chinese = {"大门22:30关闭。": "The gate closes at 22:30.", "狗须拴绳。": "Dogs on a lead."}
    assert parts(chinese, "大门22:30关闭。狗须拴绳。", "The gate closes at 22:30. Dogs on a lead.") == list(
        chinese.items()
    )
    # A line that was not translated as a whole has its sentences.
    whole = {"One. Two.": "Eins, zwei.", "One.": "Eins.", "Two.": "Zwei."}
    assert parts(whole, "One. Two.", "Eins. Zwei.") == [("One.", "Eins."), ("Two.", "Zwei.")]
    # The same letter, composed and not.
    assert parts({"Caf\u00e9": "Kaffee\u0308"}, "Cafe\u0301", "Kaffe\u00eb") == [("Caf\u00e9", "Kaffee\u0308")]


@given(st.lists(st.sampled_from(["Ein Satz.", "大门关闭。", "Один.", "x", "a b"]), min_size=1, max_size=6))
def test_all_segments_of_a_text_are_found(sources: list[str]) -> None:
    memory = {source: f"<{source}>" for source in sources}
    text = "\n".join(sources)
    assert parts(memory, text, "".join(memory.values())) == [
        (source, memory[source]) for source in dict.fromkeys(sources)
    ]


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return write_bench(tmp_path / "bench")


def judge(own: Session, label: str, edits: dict[str, str], place: Place = CHUNK, note: str = "") -> None:
    sheet = next(sheet for sheet in own.sheets if place in sheet.places)
    own.judge(sheet.sheet_id, {"label": label, "edits": [{"source": s, "after": a} for s, a in edits.items()]}, note)


def rows(bench: Path) -> list[dict[str, Any]]:
    path = bench / "build" / "edits.jsonl"
    return [row for _, row in read_jsonl(path)] if path.exists() else []


def test_an_edit_is_a_new_version_of_its_segment_with_who_and_when(bench: Path) -> None:
    translate_here(bench)
    sheet = BenchmarkSource(bench).sheet(ReviewTask.TRANSLATION, CHUNK)
    assert sheet
    assert [(part.name, part.text) for part in sheet.parts] == list(zip(TWO["en"], TWO["de"], strict=True))
    first, second = TWO["en"][1], "Kinder unter sechs Jahren übernachten kostenlos."
    with bench_session(bench, ReviewTask.TRANSLATION) as own:
        judge(own, "minor", {first: second})
        # A note, and the same judgement again, change no translation.
        judge(own, "minor", {first: second}, note="frei = free as a bird?")
    ada = {"source_lang": "en", "lang": "de", "source": first, "before": TWO["de"][1], "after": second, "by": "ada",
           "at": AT, "form": "review"}  # fmt: skip
    assert rows(bench) == [ada]
    later, third = "2026-03-02T10:00:00+00:00", "Für Kinder unter sechs ist es kostenlos."
    with bench_session(bench, ReviewTask.TRANSLATION, rater="bo", at=later) as own:
        judge(own, "wrong", {first: third})
    bo = {**ada, "before": second, "after": third, "by": "bo", "at": later}
    assert rows(bench) == [ada, bo]
    # Taking an edit back is a version, too.
    with bench_session(bench, ReviewTask.TRANSLATION, rater="bo", at=later) as own:
        judge(own, "good", {})
    assert rows(bench) == [ada, bo, {**bo, "before": third, "after": TWO["de"][1]}]


def test_a_segment_is_found_before_and_after_its_edit_is_built_in(bench: Path) -> None:
    translate_here(bench)
    source, before, after = TWO["en"][1], TWO["de"][1], "Kinder zahlen nichts."
    with bench_session(bench, ReviewTask.TRANSLATION) as own:
        judge(own, "minor", {source: after})
    corpus = bench / "corpus" / "de.jsonl"
    for built in (before, after):
        text = corpus.read_text(encoding="utf-8").replace(before, built)
        rows_now = [json.loads(line) for line in text.splitlines()]
        write_jsonl(corpus, [{**row, "end": row["start"] + len(row["text"])} for row in rows_now])
        sheet = BenchmarkSource(bench).sheet(ReviewTask.TRANSLATION, CHUNK)
        assert sheet
        assert [(part.name, part.text) for part in sheet.parts][1] == (source, built)


def test_on_a_benchmark_from_elsewhere_the_edit_stays_in_the_label(bench: Path) -> None:
    place = Place("", "zh", "q1", "query q1")
    with bench_session(bench, ReviewTask.TRANSLATION) as own:
        source = next(sheet.reference for sheet in own.sheets if place in sheet.places)
        judge(own, "wrong", {source: "几点关门？"}, place)
    assert rows(bench) == []
    assert not (bench / "build").exists()
    (label,) = read_labels(label_file(bench, "ada"))
    assert isinstance(label.value, TranslationMark)
    assert [(edit.source, edit.after) for edit in label.value.edits] == [(source, "几点关门？")]


def test_references_that_the_build_wrote_are_no_translations(bench: Path) -> None:
    place = Place("", "de", "q8", "reference q8")
    assert place in set(BenchmarkSource(bench).places(ReviewTask.TRANSLATION, 0))
    places = set(BenchmarkSource(translate_here(bench)).places(ReviewTask.TRANSLATION, 0))
    assert place not in places
    assert {Place("", "de", "q8", "query q8"), Place("", "de", "q7", "reference q7")} <= places


def test_an_edit_of_what_is_not_there_is_refused(bench: Path) -> None:
    translate_here(bench)
    with (
        bench_session(bench, ReviewTask.TRANSLATION) as own,
        pytest.raises(InputError, match="is no part of this item"),
    ):
        judge(own, "good", {"Another sentence.": "Ein anderer Satz."})
    assert rows(bench) == []
    assert list(read_labels(label_file(bench, "ada"))) == []


def test_a_broken_row_of_segments_is_named(bench: Path) -> None:
    path = translate_here(bench) / "build" / "translate.jsonl"
    path.write_text('{"id": "all", "lang": "de", "decision": "kept", "segments": [{"source": 1}], "inputs": ""}\n')
    with pytest.raises(InputError, match=r"translate\.jsonl: row 'all'.*segments"):
        BenchmarkSource(bench).sheet(ReviewTask.TRANSLATION, CHUNK)

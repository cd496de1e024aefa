"""Segments of a text, and edits that become new versions of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragaliq.build.translation.memory import Translated
from ragaliq.build.translation.rendering import render
from ragaliq.build.translation.segment import SegmentStatus
from ragaliq.build.translation.spans import sentence_spans
from ragaliq.build.workspace import Workspace
from ragaliq.errors import InputError
from ragaliq.review.labels import label_file, read_labels
from ragaliq.review.sampling import Place
from ragaliq.review.session import Session
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.values import ReviewTask, TranslationMark
from ragaliq.storage.files import read_jsonl, write_jsonl
from small import QUERIES
from unit.review.benches import AT, TWO, bench_session, translate_here, write_bench, write_texts

CHUNK = Place("", "de", "stay-02", "chunk stay-02")


def parts(bench: Path, lang: str = "de", place: Place = CHUNK) -> list[tuple[str, str]]:
    sheet = BenchmarkSource(bench).sheet(ReviewTask.TRANSLATION, replace(place, lang=lang))
    assert sheet
    return [(part.name, part.text) for part in sheet.parts]


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    return write_bench(tmp_path / "bench")


def judge(own: Session, label: str, edits: dict[str, str], place: Place = CHUNK, note: str = "") -> None:
    sheet = next(sheet for sheet in own.sheets if place in sheet.places)
    own.judge(sheet.sheet_id, {"label": label, "edits": [{"source": s, "after": a} for s, a in edits.items()]}, note)


def rows(bench: Path) -> list[dict[str, Any]]:
    path = bench / "build" / "edits.jsonl"
    return [row for _, row in read_jsonl(path)] if path.exists() else []


# Two sentences, the line of both as a nugget might have it, and what they are in English.
LINES = {
    "de": ("Um neun.", "Jeden Tag.", "Täglich um neun."),
    "fr": ("À neuf heures.", "Tous les jours.", "Chaque jour à neuf heures."),
    "es": ("A las nueve.", "Todos los días.", "Cada día a las nueve."),
    "ru": ("В девять.", "Каждый день.", "Ежедневно в девять."),
    "zh": ("九点。", "每天。", "每天九点。"),
}
SENTENCES = ("They open at nine.", "It is so every day.")


@pytest.mark.parametrize("lang", LINES)
def test_an_edit_goes_to_the_segment_that_the_next_build_uses(bench: Path, lang: str) -> None:
    """A line of two sentences may be a segment too, of a nugget: the chunk still has the sentences."""
    first, second, whole = LINES[lang]
    line = " ".join(SENTENCES)
    own = [(SENTENCES[0], first), (SENTENCES[1], second), (line, whole)]
    translate_here(bench, lang, own)
    between = "" if lang == "zh" else " "
    # The line's translation stands in the chunk as well, so nothing but the cut tells them apart.
    texts = {row["doc_id"]: (row["text"], row["text"]) for _, row in read_jsonl(bench / "corpus" / "en.jsonl")}
    texts["stay-02"] = f"# {line}\n\n{line}", f"# {whole}\n\n{first}{between}{second}"
    write_texts(bench, lang, texts)
    assert parts(bench, lang) == own[:2]
    memory = {source: Translated(target, SegmentStatus.TRANSLATED) for source, target in own}
    edited = {**memory, SENTENCES[0]: Translated("Neu.", SegmentStatus.EDITED)}
    text = texts["stay-02"][0]
    assert render(text, sentence_spans(text), edited, lang).text == f"# Neu.{between}{second}\n\nNeu.{between}{second}"


def test_the_line_is_the_segment_where_a_sentence_has_no_translation(bench: Path) -> None:
    line, whole = " ".join(SENTENCES), "Ежедневно в девять."
    translate_here(bench, "ru", [(SENTENCES[0], "В девять."), (line, whole)])
    texts = {row["doc_id"]: (row["text"], row["text"]) for _, row in read_jsonl(bench / "corpus" / "en.jsonl")}
    write_texts(bench, "ru", {**texts, "stay-02": (line, whole)})
    assert parts(bench, "ru") == [(line, whole)]


def test_queries_references_and_nuggets_have_their_segments(bench: Path) -> None:
    translate_here(bench)
    for item, n in (("query q7", 0), ("reference q7", 1), ("nugget q7-2", 3)):
        rows = QUERIES["q7"][2]
        assert parts(bench, "de", Place("", "de", "q7", item)) == [(rows[0][n], rows[1][n])]


def test_while_a_build_is_at_it_a_text_is_judged_without_segments(bench: Path) -> None:
    """The documents may be others by then, and cut anew."""
    translate_here(bench)
    workspace = Workspace(bench)
    workspace.write_rows("ingest", [])
    assert parts(bench) == []
    with bench_session(bench, ReviewTask.TRANSLATION) as own:
        judge(own, "good", {})
    translate_here(bench)
    workspace.begin("translate", "")
    assert parts(bench) == []


def test_a_text_that_was_cut_anew_since_it_was_exported_has_no_segments(bench: Path) -> None:
    translate_here(bench)
    assert len(parts(bench)) == 2
    path = bench / "corpus" / "en.jsonl"
    rows_now = [row | {"text": f"{row['text']} More."} for _, row in read_jsonl(path)]
    write_jsonl(path, [{**row, "end": row["start"] + len(row["text"])} for row in rows_now])
    assert parts(bench) == []


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

"""The page as a file, and the labels that come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.review.labels import LabelFile, label_file, read_labels
from ragaliq.review.offline import import_labels, page_rater, write_page
from ragaliq.review.session import NOTE_CHARS
from ragaliq.review.sheets import Choice
from ragaliq.review.sources.benchmark import BenchmarkSource
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import ReviewTask, Value
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import read_json, read_jsonl, write_jsonl
from unit.review.benches import bench_session, translate_here, write_bench
from unit.review.small import ALPHA, BETA, SAME, answered, session, write_runs

AT = "2026-03-01T10:00:00+00:00"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path / "runs")


def made(runs: Path) -> tuple[str, dict[str, str]]:
    """The id of a page of the Russian answers, and its answers by the id of their sheet."""
    with session(runs, choice=Choice(("ru",))) as own:
        write_page(own, runs.parent / "page.html")
        answers = {sheet.sheet_id: sheet.answer for sheet in own.sheets}
    (file,) = (runs / "review").glob("page.*.json")
    return file.name.split(".")[1], answers


def bring(runs: Path, *rows: dict[str, Any]) -> int:
    path = runs.parent / "back.jsonl"
    write_jsonl(path, rows)
    with LabelFile(label_file(runs, "bo")) as labels:
        return import_labels(Runs(runs), path, "bo", labels)


def values(runs: Path) -> list[tuple[str, Value | None, str]]:
    return [(label.place.run, label.value, label.at) for label in read_labels(label_file(runs, "bo"))]


def test_labels_come_back_to_each_run_and_twice_is_once(runs: Path) -> None:
    page, answers = made(runs)
    shared = next(sheet_id for sheet_id, answer in answers.items() if answer == SAME)
    row = {"page": page, "sheet": shared, "value": 4, "note": "x" * NOTE_CHARS, "at": AT}
    assert bring(runs, row) == 1
    assert values(runs) == [(ALPHA, 4, AT), (BETA, 4, AT)]
    assert bring(runs, row) == 0
    later = "2026-03-01T10:00:01+00:00"
    assert bring(runs, row, {**row, "value": 2, "at": later}) == 1
    assert values(runs)[2:] == [(ALPHA, 2, later), (BETA, 2, later)]


def test_the_latest_judgement_counts_whatever_the_order_of_the_lines(runs: Path) -> None:
    page, answers = made(runs)
    row = {"page": page, "sheet": next(iter(answers)), "value": 4, "note": "", "at": "2026-03-01T10:00:05+00:00"}
    assert bring(runs, row, {**row, "value": 1, "at": AT}, row) == 2
    assert [value for _, value, _ in values(runs)] == [1, 4]


def test_the_page_is_not_written_over(runs: Path) -> None:
    made(runs)
    with session(runs) as own, pytest.raises(InputError, match=r"page\.html: exists"):
        write_page(own, runs.parent / "page.html")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"page": None}, "not a label of a review page"),
        ({"page": "../x"}, "not a label of a review page"),
        ({"page": "0a0a"}, r"page\.0a0a\.json is missing"),
        ({"sheet": "ff"}, "no longer there"),
        ({"value": 7}, r"grade: 7 is no judgement; 0 to 5"),
        ({"at": "yesterday"}, "'at' is no time"),
        ({"at": "2026-03-01T10:00:00"}, "'at' is no time"),
        ({"at": "2026-03-01T10:00:00+02:00"}, "'at' is no time"),
        ({"at": 5}, "'at' is no time"),
        ({"note": "x" * 2001}, "'note' must be"),
    ],
)
def test_what_is_no_label_of_the_page_is_refused_whole(runs: Path, change: dict[str, Any], said: str) -> None:
    page, answers = made(runs)
    good = {"page": page, "sheet": next(iter(answers)), "value": 4, "note": "", "at": AT}
    with pytest.raises(InputError, match=rf"back\.jsonl:2: .*{said}"):
        bring(runs, good, {**good, **change})
    assert not label_file(runs, "bo").exists()


def test_labels_of_answers_that_have_changed_are_refused(runs: Path) -> None:
    page, answers = made(runs)
    changed = [answered("ru", "q2", "В десять.")]
    for name in (ALPHA, BETA):
        write_jsonl(runs / name / "answers.jsonl", map(run_answer_to_row, changed))
    with pytest.raises(InputError, match=r"back\.jsonl:1: judges texts that are no longer there"):
        bring(runs, {"page": page, "sheet": next(iter(answers)), "value": 4, "note": "", "at": AT})


def test_a_broken_map_is_named(runs: Path) -> None:
    page, answers = made(runs)
    file = runs / "review" / f"page.{page}.json"
    file.write_text(json.dumps({"task": "grade", "sheets": {"ff": [["only", "two"]]}}))
    with pytest.raises(InputError, match=rf"page\.{page}\.json: not what"):
        bring(runs, {"page": page, "sheet": next(iter(answers)), "value": 4, "note": "", "at": AT})


def test_pairs_and_edits_of_a_benchmark_come_back(tmp_path: Path) -> None:
    bench = translate_here(write_bench(tmp_path / "bench"))
    source = BenchmarkSource(bench)
    with bench_session(bench, ReviewTask.SUPPORT, Choice(("zh",))) as own:
        write_page(own, tmp_path / "support.html")
        pair = own.sheets[0]
    with bench_session(bench, ReviewTask.TRANSLATION, Choice(("de",))) as own:
        write_page(own, tmp_path / "translation.html")
        text = own.sheets[0]
    assert pair.places[0].item not in (tmp_path / "support.html").read_text(encoding="utf-8")
    pages = {json.loads(path.read_text())["task"]: path.name.split(".")[1] for path in bench.glob("review/page.*.json")}
    edit = {"source": text.parts[0].name, "after": "Anders."}
    rows: list[dict[str, Any]] = [
        {"page": pages["support"], "sheet": pair.sheet_id, "value": "partial", "note": "", "at": AT},
        {"page": pages["translation"], "sheet": text.sheet_id, "value": {"label": "wrong", "edits": [edit]}, "at": AT},
    ]
    write_jsonl(tmp_path / "back.jsonl", rows)
    for _ in range(2):
        with LabelFile(label_file(bench, "bo")) as labels:
            import_labels(source, tmp_path / "back.jsonl", "bo", labels)
    assert sorted(label.place for label in read_labels(label_file(bench, "bo"))) == sorted(pair.places + text.places)
    assert [(row["after"], row["by"], row["at"]) for _, row in read_jsonl(bench / "build" / "edits.jsonl")] == [
        ("Anders.", "bo", AT)
    ]


def test_marks_of_what_an_item_does_not_have_are_refused_by_line(tmp_path: Path) -> None:
    bench = write_bench(tmp_path / "bench")
    with bench_session(bench, ReviewTask.NUGGETS, Choice(("zh",))) as own:
        write_page(own, tmp_path / "nuggets.html")
        sheet = own.sheets[0]
        with pytest.raises(InputError, match=r"^'nope' is no part of this item; load the page again$"):
            own.judge(sheet.sheet_id, {"hallucinated": ["nope"], "redundant": [], "missing": 0})
    (known,) = bench.glob("review/page.*.json")
    value = {"hallucinated": [], "redundant": ["nope"], "missing": 0}
    row = {"page": known.name.split(".")[1], "sheet": sheet.sheet_id, "value": value, "note": "", "at": AT}
    back = tmp_path / "back.jsonl"
    write_jsonl(back, [{**row, "value": {**value, "redundant": []}}, row])
    said = r"back\.jsonl:2: 'nope' is no part of this item; take the line out$"
    with LabelFile(label_file(bench, "bo")) as labels, pytest.raises(InputError, match=said):
        import_labels(BenchmarkSource(bench), back, "bo", labels)


def test_a_page_knows_for_whom_it_was_made(runs: Path) -> None:
    pages = {}
    for rater in ("bob", "प्रिया"):
        with session(runs, choice=Choice(("ru",))) as own:
            write_page(own, runs.parent / f"{rater}.html", rater)
            pages[rater] = next(file.name.split(".")[1] for file in (runs / "review").glob("page.*.json")
                                if read_json(file)["rater"] == rater)  # fmt: skip
    path = runs.parent / "back.jsonl"
    for rater, page in pages.items():
        write_jsonl(path, [{"page": page}])
        assert page_rater(Runs(runs), path) == rater
    write_jsonl(path, [{"page": page} for page in pages.values()])
    with pytest.raises(InputError, match="several people"):
        page_rater(Runs(runs), path)
    write_jsonl(path, [{"page": None}])
    assert page_rater(Runs(runs), path) == ""

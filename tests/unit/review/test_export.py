"""Labels for other commands, and LGTM@10."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.metrics.answers.lgtm import lgtm_share
from ragaliq.review.export import LgtmRow, export_labels, lgtm_rows
from ragaliq.review.labels import Label, LabelFile, label_file
from ragaliq.review.sampling import Place
from ragaliq.review.sources.runs import Runs
from ragaliq.review.values import ReviewTask
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import write_jsonl
from unit.review.small import ALPHA, BETA, QUESTIONS, answered, session, write_runs


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def grade_all(folder: Path, value: int, rater: str = "ada") -> None:
    with session(folder, rater=rater) as own:
        for sheet in own.sheets:
            own.judge(sheet.sheet_id, value)


def test_one_file_for_each_run_sorted_with_the_last_label(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    grade_all(runs, 1)
    with session(runs) as own:
        first = own.sheets[0]
        own.judge(first.sheet_id, 5)
    exported = export_labels(Runs(runs), tmp_path / "out")
    assert [(path.name, count) for path, count in exported.files] == [
        (f"labels.{ALPHA}.jsonl", 18), (f"labels.{BETA}.jsonl", 18), ("labels.jsonl", 36),
    ]  # fmt: skip
    own_rows = rows(tmp_path / "out" / f"labels.{ALPHA}.jsonl")
    keys = [(row["lang"], row["query_id"]) for row in own_rows]
    assert keys == sorted(set(keys))
    assert {row["run"] for row in own_rows} == {ALPHA}
    fives = {
        (row["run"], row["lang"], row["query_id"])
        for row in rows(tmp_path / "out" / "labels.jsonl")
        if row["grade"] == 5
    }
    assert fives == {(place.run, place.lang, place.query_id) for place in first.places}
    assert exported.lgtm == ()
    assert not (tmp_path / "out" / "lgtm.json").exists()


def test_the_same_labels_are_the_same_bytes(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs")
    grade_all(runs, 2)
    for out in ("a", "b", "a"):
        export_labels(Runs(runs), tmp_path / out)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in files)


def test_several_raters_stand_side_by_side_or_one_is_chosen(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", queries=1)
    grade_all(runs, 2, "ada")
    grade_all(runs, 4, "李雷")
    export_labels(Runs(runs), tmp_path / "all")
    both = [(row["lang"], row["query_id"], row["rater"]) for row in rows(tmp_path / "all" / f"labels.{ALPHA}.jsonl")]
    assert both == sorted((lang, "q1", rater) for lang in QUESTIONS for rater in ("ada", "李雷"))
    export_labels(Runs(runs), tmp_path / "one", "李雷")
    assert {row["grade"] for row in rows(tmp_path / "one" / f"labels.{ALPHA}.jsonl")} == {4}
    with pytest.raises(InputError, match=r"--rater bo: no labels of that rater .* known: ada, 李雷"):
        export_labels(Runs(runs), tmp_path / "none", "bo")


def test_a_rater_where_nobody_has_judged_is_told_that_there_are_no_labels(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", queries=1)
    with pytest.raises(InputError, match=r"review: no labels here yet; `ragaliq review .*` first"):
        export_labels(Runs(runs), tmp_path / "none", "bo")


def test_a_run_keeps_its_labels_when_its_folder_is_renamed(tmp_path: Path) -> None:
    write_runs(tmp_path, queries=1)
    grade_all(tmp_path / ALPHA, 4)
    (tmp_path / ALPHA).rename(tmp_path / "renamed")
    with session(tmp_path / "renamed") as own:
        assert all(own.value(sheet) == 4 for sheet in own.sheets)
    exported = export_labels(Runs(tmp_path / "renamed"), tmp_path / "out")
    assert [(path.name, count) for path, count in exported.files] == [("labels.jsonl", 6), ("labels.renamed.jsonl", 6)]
    assert {row["run"] for row in rows(tmp_path / "out" / "labels.jsonl")} == {"renamed"}


def test_labels_of_other_texts_and_open_notes_are_left_out(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", queries=2)
    with pytest.raises(InputError, match="no labels here yet"):
        export_labels(Runs(runs), tmp_path / "out")
    with session(runs) as own:
        for sheet in own.sheets:
            own.judge(sheet.sheet_id, None if sheet.lang == "zh" else 3, "?")
    changed = [answered("ru", "q1", "В десять."), answered("de", "q2", "Um 09:15 Uhr. a2")]
    write_jsonl(runs / ALPHA / "answers.jsonl", map(run_answer_to_row, changed))
    exported = export_labels(Runs(runs), tmp_path / "out")
    left = rows(tmp_path / "out" / f"labels.{ALPHA}.jsonl")
    assert [(row["lang"], row["query_id"]) for row in left] == [("de", "q2")]
    # 5 languages with two labels each were judged in this run; one still holds.
    assert exported.n_stale == 9


def test_lgtm_is_a_share_with_who_and_when(tmp_path: Path) -> None:
    runs = Runs(write_runs(tmp_path))
    at = ["2026-03-01T10:00:00+00:00", "2026-03-02T10:00:00+00:00", "2026-03-03T10:00:00+00:00"]
    judged = [("ru", "q1", True, 1), ("ru", "q2", False, 0), ("zh", "q1", True, 2)]
    labels = [
        Label(Place(BETA, lang, query_id), ReviewTask.LGTM, value, "ada", at[day], "ff", "?", "")
        for lang, query_id, value, day in judged
    ]
    two, one, three = (lgtm_share(labels).interval for labels in ([True, False], [True], [True, True, False]))
    assert two
    assert one
    assert three
    assert lgtm_rows(runs, labels) == (
        LgtmRow(BETA, "all", "ada", 3, 6, 2, 2 / 3, (three.low, three.high), at[0], at[2]),
        LgtmRow(BETA, "ru", "ada", 2, 3, 1, 1 / 2, (two.low, two.high), at[0], at[1]),
        LgtmRow(BETA, "zh", "ada", 1, 3, 1, 1.0, (one.low, one.high), at[2], at[2]),
    )


def test_lgtm_is_written_beside_the_labels(tmp_path: Path, small: Path, small_run: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(small_run, folder)
    runs = Runs(folder, small)
    place = Place("run", "zh", "q1")
    sheet = runs.sheet(ReviewTask.LGTM, place)
    assert sheet
    with LabelFile(label_file(folder, "ada")) as file:
        file.append([Label(place, ReviewTask.LGTM, True, "ada", "2026-03-01T10:00:00+00:00", sheet.sheet_id, "?", "")])
    exported = export_labels(runs, tmp_path / "out")
    assert [path.name for path, _ in exported.files] == ["lgtm.jsonl"]
    assert json.loads((tmp_path / "out" / "lgtm.json").read_text()) == [
        {
            "run": "run", "lang": "zh", "rater": "ada", "n": 1, "n_queries": 7, "n_lgtm": 1, "lgtm_at_10": 1.0,
            "ci": [pytest.approx(1 / (1 + 1.959963984540054**2)), 1.0],
            "first": "2026-03-01T10:00:00+00:00", "last": "2026-03-01T10:00:00+00:00",
        }
    ]  # fmt: skip


def test_one_raters_export_leaves_no_rows_of_an_earlier_one(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", queries=2)
    grade_all(runs, 2, "ada")
    with session(runs, rater="李雷") as own:
        sheet = next(one for one in own.sheets if {place.run for place in one.places} == {ALPHA})
        own.judge(sheet.sheet_id, 4)
    out = tmp_path / "out"
    export_labels(Runs(runs), out)
    (out / "support.jsonl").write_text("not ours\n")
    export_labels(Runs(runs), out, "李雷")
    assert sorted(path.name for path in out.iterdir()) == [f"labels.{ALPHA}.jsonl", "labels.jsonl", "support.jsonl"]
    assert (out / "support.jsonl").read_text() == "not ours\n"


def test_labels_of_a_run_that_is_gone_do_not_stay(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", queries=2)
    grade_all(runs, 2)
    out = tmp_path / "out"
    export_labels(Runs(runs), out)
    (out / "labels.mine.jsonl").write_text("not ours\n")
    assert (out / f"labels.{BETA}.jsonl").exists()
    shutil.rmtree(runs / BETA)
    exported = export_labels(Runs(runs), out)
    assert exported.n_stale == 12
    assert {path.name for path in out.iterdir()} == {"labels.jsonl", f"labels.{ALPHA}.jsonl", "labels.mine.jsonl"}


def test_a_name_of_a_run_leads_nowhere_else(tmp_path: Path) -> None:
    """Whatever a label on file says of its run: nothing outside the folder of the export is removed."""
    runs = write_runs(tmp_path / "runs", queries=1)
    grade_all(runs, 2)
    path = label_file(runs, "ada")
    (last, *_) = rows(path)
    out = tmp_path / "out"
    (out / "labels.").mkdir(parents=True)
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(path.read_bytes())
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**last, "run": "/../../kept"}) + "\n")
    export_labels(Runs(runs), out)
    assert kept.exists()

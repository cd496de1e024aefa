"""Aggregates of run folders, verdict files and reference logs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from fakes import verdict, write_run_folder
from ragaliq.aggregate.files import render, summarise_file
from ragaliq.errors import InputError
from ragaliq.runs.rows import verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl

KEYS = [
    "lang", "judge", "n", "n_expected", "n_scored", "coverage", "weighted_score", "mean_with_zeros", "mean_nonzero",
    "median_nonzero", "percentage", "percentage_with_zero", "counts", "mean_weight", "weighted_score_ci",
    "weighted_score_bounds", "language_consistency", "abstention",
]  # fmt: skip


def test_a_run_knows_how_many_queries_it_has(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, None])
    for path in (folder.path, folder.verdicts_file):
        (summary,) = summarise_file(path)
        row = summary.to_json()
        assert list(row) == KEYS
        assert (row["n"], row["n_expected"], row["n_scored"]) == (3, 3, 2)
        assert row["coverage"] == 2 / 3
        assert row["weighted_score"] == pytest.approx(((1 + 0.8) / 2) ** 2)
        assert row["weighted_score_bounds"] == pytest.approx([(1.8 / 3) ** 2, (2.8 / 3) ** 2])
        assert row["counts"] == {"5": 1, "4": 1, "3": 0, "2": 0, "1": 0, "0": 0}
    with pytest.raises(InputError, match="a run knows how many queries it has; leave out --n-expected"):
        summarise_file(folder.path, 3)


def test_a_verdict_file_alone_is_split_by_language_and_the_last_row_counts(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    rows = [verdict("q1", 1, "ru"), verdict("q1", 5, "en"), verdict("q2", None, "en", "b"), verdict("q1", 4, "ru")]
    write_jsonl(path, map(verdict_to_row, rows))
    english, russian = summarise_file(path, 4)
    assert (english.lang, english.judge, english.aggregates.n, english.aggregates.n_scored) == (
        "en",
        "b + offline",
        2,
        1,
    )
    assert english.aggregates.coverage == 1 / 4
    assert (russian.lang, russian.judge, russian.aggregates.counts[4], russian.aggregates.n) == ("ru", "offline", 1, 1)
    assert summarise_file(path)[0].aggregates.coverage is None


def test_rows_with_a_score_and_no_id_all_count(tmp_path: Path) -> None:
    path = tmp_path / "graded.jsonl"
    path.write_text('{"score": 5}\n{"score": 5}\n{"grade": null, "score": 3}\n{"score": 0}\n{"sco')
    (summary,) = summarise_file(path)
    assert (summary.lang, summary.judge, summary.aggregates.n) == ("", None, 4)
    assert (summary.aggregates.counts[5], summary.aggregates.counts[0], summary.aggregates.n_scored) == (2, 1, 3)


def test_a_reference_log_is_summarised(tmp_path: Path) -> None:
    path = tmp_path / "eval_res_questions_fr_a_b_c_fr.json"
    write_json(path, [{"score": 5, "language_consistency_score": 1.0}, {"score": 0, "language_consistency_score": 0.5}])
    (summary,) = summarise_file(path, 2)
    values = summary.aggregates
    assert (summary.lang, summary.language_consistency, summary.abstention) == ("fr", 0.75, None)
    assert (values.coverage, values.mean_with_zeros, values.mean_nonzero) == (1.0, 2.5, 5.0)
    assert values.weighted_score == pytest.approx(((1 + 0.4) / 2) ** 2)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json"])
def test_more_rows_than_expected_are_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"grade": 5}\n{"grade": 4}\n' if name.endswith("l") else '[{"score": 5}, {"score": 4}]')
    with pytest.raises(InputError, match="2 rows are more than the 1 expected; check --n-expected"):
        summarise_file(path, 1)


@pytest.mark.parametrize("grade", ["6", "-1", "4.5", '"5"', "true"])
def test_a_grade_off_the_scale_is_named(tmp_path: Path, grade: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(f'{{"grade": 5}}\n{{"grade": {grade}}}\n')
    with pytest.raises(InputError, match=r"rows\.jsonl:2: 'grade' must be a whole number from 0 to 5 or null"):
        summarise_file(path)


def test_what_holds_no_grades_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        summarise_file(tmp_path / "none")
    with pytest.raises(InputError, match=r"no run here \(config.json is missing\)"):
        summarise_file(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"notes\.txt: not valid JSON"):
        summarise_file(tmp_path / "notes.txt")


def test_the_three_forms_say_the_same(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, None])
    named = [("run", summary) for summary in summarise_file(folder.path)]
    (as_json,) = json.loads(render(named, "json"))
    assert list(as_json) == ["file", *KEYS, "rank_ci"]
    assert as_json["rank_ci"] is None
    assert as_json["abstention"] is None
    (as_csv,) = csv.DictReader(io.StringIO(render(named, "csv")))
    assert (as_csv["file"], as_csv["n"], as_csv["n_expected"], as_csv["5"], as_csv["0"]) == ("run", "3", "3", "1", "0")
    assert float(as_csv["weighted_score"]) == as_json["weighted_score"]
    assert float(as_csv["weighted_score_bounds_low"]) == as_json["weighted_score_bounds"][0]
    assert as_csv["abstention_f1"] == ""
    header, _, row = render(named, "md").splitlines()
    cells = dict(zip(*([c.strip() for c in line.strip("|").split("|")] for line in (header, row)), strict=True))
    assert (cells["weighted_score"], cells["coverage"], cells["abstention_f1"]) == ("0.81", "0.666667", "—")
    # Rows without a grade show up for people, too.
    assert (cells["n"], cells["n_scored"]) == ("3", "2")


def test_a_bar_in_a_name_does_not_break_the_table(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4])
    (summary,) = summarise_file(folder.path)
    assert render([("a|b", summary)], "md").splitlines()[2].startswith(r"| a\|b ")


def test_what_is_not_defined_is_null(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [None, None])
    (row,) = json.loads(render([("run", summary) for summary in summarise_file(folder.path)], "json"))
    undefined = {key for key, value in row.items() if value is None}
    assert undefined == {
        "weighted_score", "mean_with_zeros", "mean_nonzero", "median_nonzero", "percentage", "percentage_with_zero",
        "mean_weight", "weighted_score_ci", "language_consistency", "abstention", "rank_ci",
    }  # fmt: skip
    assert (row["coverage"], row["weighted_score_bounds"]) == (0.0, [0.0, 1.0])

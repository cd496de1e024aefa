"""Aggregates of run folders, verdict files and reference logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import verdict, write_run_folder
from ragaliq.aggregate.summary import summarise_path
from ragaliq.errors import InputError
from ragaliq.runs.rows import verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl

KEYS = [
    "lang", "judge", "n", "n_expected", "n_scored", "coverage", "weighted_score", "mean_with_zeros", "mean_nonzero",
    "median_nonzero", "percentage", "percentage_with_zero", "counts", "mean_weight", "weighted_score_ci",
    "weighted_score_bounds", "weighted_score_bounds_ci", "language_consistency", "language_consistency_n",
    "language_consistency_ci", "abstention",
]  # fmt: skip


def test_a_run_knows_how_many_queries_it_has(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, None])
    for path in (folder.path, folder.verdicts_file):
        (summary,) = summarise_path(path)
        row = summary.to_json()
        assert list(row) == KEYS
        assert (row["n"], row["n_expected"], row["n_scored"]) == (3, 3, 2)
        assert row["coverage"] == 2 / 3
        assert summary.covered(2 / 3) and not summary.covered(0.67)
        assert row["weighted_score"] == pytest.approx(((1 + 0.8) / 2) ** 2)
        assert row["weighted_score_bounds"] == pytest.approx([(1.8 / 3) ** 2, (2.8 / 3) ** 2])
        assert row["counts"] == {"5": 1, "4": 1, "3": 0, "2": 0, "1": 0, "0": 0}
    with pytest.raises(InputError, match="a run knows how many queries it has; leave out --n-expected"):
        summarise_path(folder.path, 3)


def test_a_verdict_file_alone_is_split_by_language_and_the_last_row_counts(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    rows = [verdict("q1", 1, "ru"), verdict("q1", 5, "en"), verdict("q2", None, "en", "b"), verdict("q1", 4, "ru")]
    write_jsonl(path, map(verdict_to_row, rows))
    english, russian = summarise_path(path, 4)
    assert (english.lang, english.judge, english.aggregates.n, english.aggregates.n_scored) == (
        "en",
        "b + offline",
        2,
        1,
    )
    assert english.aggregates.coverage == 1 / 4
    assert (russian.lang, russian.judge, russian.aggregates.counts[4], russian.aggregates.n) == ("ru", "offline", 1, 1)
    assert summarise_path(path)[0].aggregates.coverage is None


def test_rows_with_a_score_and_no_id_all_count(tmp_path: Path) -> None:
    path = tmp_path / "graded.jsonl"
    path.write_text('{"score": 5}\n{"score": 5}\n{"grade": null, "score": 3}\n{"score": 0}\n{"sco')
    (summary,) = summarise_path(path)
    assert (summary.lang, summary.judge, summary.aggregates.n) == ("", None, 4)
    assert (summary.aggregates.counts[5], summary.aggregates.counts[0], summary.aggregates.n_scored) == (2, 1, 3)


def test_a_reference_log_is_summarised(tmp_path: Path) -> None:
    path = tmp_path / "eval_res_questions_fr_a_b_c_fr.json"
    write_json(path, [{"score": 5, "language_consistency_score": 1.0}, {"score": 0, "language_consistency_score": 0.5}])
    (summary,) = summarise_path(path, 2)
    values = summary.aggregates
    assert (summary.lang, summary.language_consistency, summary.abstention) == ("fr", 0.75, None)
    assert (values.coverage, values.mean_with_zeros, values.mean_nonzero) == (1.0, 2.5, 5.0)
    assert values.weighted_score == pytest.approx(((1 + 0.4) / 2) ** 2)


def test_more_rows_than_expected_are_an_error(tmp_path: Path) -> None:
    for name, text in (
        ("rows.jsonl", '{"grade": 5}\n{"grade": 4}\n'),
        ("rows.json", '[{"score": 5}, {"score": 4}]'),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match="2 rows are more than the 1 expected; check --n-expected"):
            summarise_path(tmp_path / name, 1)


def test_a_run_with_more_grades_than_it_expects_is_named(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4])
    config = folder.config()
    write_json(folder.config_file, {**config, "expected": {"en": {"answerable": 1, "unanswerable": 0}}})
    with pytest.raises(InputError, match=r"run: en: 2 graded answers are more than the 1 of config\.json"):
        summarise_path(folder.path)


def test_what_holds_no_grades_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        summarise_path(tmp_path / "none")
    with pytest.raises(InputError, match=r"no run here \(config.json is missing\)"):
        summarise_path(tmp_path)
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(InputError, match=r"notes\.txt: what form is this\?"):
        summarise_path(tmp_path / "notes.txt")

"""Cuts refitted on labels of one's own, and measured on others."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import write_run_folder
from ragaliq.aggregate.grades.graded import Graded
from ragaliq.compare.agreement.recalibration import LEAST_LABELS, MOST_LABELS, recalibrate
from ragaliq.errors import InputError
from ragaliq.formats.grades.rows import GradedRow
from ragaliq.judge.offline.judge import OfflineJudge


def labels(grades: list[int]) -> Graded:
    rows = (GradedRow("l", grade, f"q{number}", "en") for number, grade in enumerate(grades, start=1))
    return Graded("labels.csv", tuple(rows), "00")


def test_the_figures_are_of_labels_that_were_not_fitted_on(tmp_path: Path) -> None:
    run = write_run_folder(tmp_path / "run", [1] * 80).path
    content = recalibrate(run, labels([1] * 80)).content
    assert content["labels"]["n_fitted"] == MOST_LABELS and content["labels"]["n_left_out"] == 30
    assert content["before"]["n"] == content["after"]["n"] == 30
    assert content["measured"] == "on the labels that were not fitted on"
    assert content["judge"] == OfflineJudge.prompt_hash and len(content["cuts"]) == 4


def test_few_labels_are_cross_validated(tmp_path: Path) -> None:
    run = write_run_folder(tmp_path / "run", [1] * 30).path
    result = recalibrate(run, labels([3] * 30))
    assert (result.content["labels"]["n_fitted"], result.content["labels"]["n_left_out"]) == (30, 0)
    assert (
        result.content["measured"] == "by 5-fold cross-validation over queries" and result.content["after"]["n"] == 30
    )
    assert result.gained is (result.content["after"]["mae"] < result.content["before"]["mae"])


def test_the_same_labels_give_the_same_cuts(tmp_path: Path) -> None:
    run = write_run_folder(tmp_path / "run", [1] * 40).path
    assert recalibrate(run, labels([1, 2] * 20)).content == recalibrate(run, labels([1, 2] * 20)).content


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    run = write_run_folder(tmp_path / "run", [1] * 30).path
    with pytest.raises(InputError, match=f"10 labelled answers are too few; label {LEAST_LABELS} or more"):
        recalibrate(run, labels([1] * 10))
    (tmp_path / "rows.csv").write_text("query_id,lang,grade\nq1,en,1\n")
    with pytest.raises(InputError, match="is no run folder"):
        recalibrate(tmp_path / "rows.csv", labels([1] * 30))

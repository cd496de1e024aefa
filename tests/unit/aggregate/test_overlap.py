"""Overlap with the reference and answer language, and what results.md says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fakes import answered, verdict, write_run_folder
from ragaliq.aggregate.answer_language import language_rates
from ragaliq.aggregate.overlap import overlap_by_language
from ragaliq.aggregate.run_figures import compute_figures, read_figures
from ragaliq.aggregate.run_rows import read_run_rows
from ragaliq.metrics.statistics.intervals import share_interval
from ragaliq.report.markdown.tables.beside import overlap_section
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import RunAnswer, run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_jsonl
from ragaliq.text.answer_language import AnswerLanguage


def run_of(path: Path, rows: list[tuple[RunAnswer, int | None]]) -> RunFolder:
    folder = write_run_folder(path, [5] * len(rows))
    write_jsonl(folder.answers_file, [run_answer_to_row(row) for row, _ in rows])
    verdicts = [verdict(row.item.query.query_id, grade, row.item.query.lang) for row, grade in rows]
    write_jsonl(folder.verdicts_file, [verdict_to_row(one) for one in verdicts])
    return folder


def test_means_and_correlations_by_hand(tmp_path: Path) -> None:
    # The fake references are "reference q1", "reference q2", …
    folder = run_of(
        tmp_path / "run",
        [
            (answered("q1", "reference q1"), 5),
            (answered("q2", "a reference"), 3),
            (answered("q3", "wrong"), 1),
            (answered("q4", "reference"), None),  # not graded: in the means, not in the correlations
            (answered("q5", ""), None),  # the reader failed
            (answered("q6", "reference q6", answerable=False), None),
        ],
    )
    own = overlap_by_language(read_run_rows(folder, with_overlap=True))["en"]
    assert (own["n"], own["n_graded"]) == (4, 3)
    assert own["measures"]["exact_match"]["mean"] == 1 / 4
    # F1: 1, 1/2, 0, 2/3.
    assert own["measures"]["token_f1"]["mean"] == pytest.approx((1 + 1 / 2 + 0 + 2 / 3) / 4)
    assert own["measures"]["token_f1"]["rho"] == 1
    # Exact match 1, 0, 0 beside 5, 3, 1: ranks 3, 1.5, 1.5 beside 3, 2, 1.
    assert own["measures"]["exact_match"]["rho"] == pytest.approx(1.5 / (1.5 * 2) ** 0.5)


def test_languages_are_kept_apart_and_undefined_is_none(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", [(answered("q1", "船", "zh"), 5), (answered("q1", "boat", "en"), 5)])
    found = overlap_by_language(read_run_rows(folder, with_overlap=True))
    assert list(found) == ["en", "zh"]
    assert found["zh"]["measures"]["chrf"]["rho"] is None


def test_pass_rates_come_from_the_marks_of_the_answers(tmp_path: Path) -> None:
    rows = [
        replace(answered("q1", "x", "ru"), language=AnswerLanguage(True, True, False)),
        replace(answered("q2", "x", "ru"), language=AnswerLanguage(True, True, True)),
        replace(answered("q3", "x", "ru"), language=AnswerLanguage(False, False, True)),
        replace(answered("q4", "x", "ru"), language=AnswerLanguage()),
        replace(answered("q5", "", "ru"), language=AnswerLanguage(False, False, False)),  # the reader failed
    ]
    own = language_rates(read_run_rows(run_of(tmp_path / "run", [(row, 3) for row in rows])))["ru"]
    assert own["answers"] == {
        "value": 2 / 3, "n_decided": 3, "n_undecided": 1, "ci": list(share_interval(2, 3))
    }  # fmt: skip
    assert own["words"] == {"value": 1 / 2, "n_decided": 2, "n_undecided": 0, "ci": list(share_interval(1, 2))}


def test_the_section_shows_every_measure_with_its_correlation(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", [(answered("q1", "reference q1"), 5), (answered("q2", "wrong"), 1)])
    # The other run was measured before there was such a table.
    run, older = compute_figures(folder), read_figures(write_run_folder(tmp_path / "older", [5]))
    _, table = overlap_section([run, older], ["en"])
    header, _, row = table.splitlines()
    cells = dict(
        zip(map(str.strip, header.strip("|").split("|")), map(str.strip, row.strip("|").split("|")), strict=True)
    )
    assert cells["run"] == "run" and cells["n"] == "2"
    assert cells["token_f1"] == "0.500 (+1.00)"
    assert cells["language: answers"] == "—"
    assert overlap_section([older], ["en"]) == []
    assert overlap_section([run], ["de"]) == []

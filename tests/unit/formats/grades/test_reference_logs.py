"""Judged logs of the RAGaliq sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.grades.labels import read_graded
from ragaliq.formats.grades.reference_logs import LogFacts, log_facts
from ragaliq.formats.grades.rows import GradedRow

NAME = "questions_zh_Some_Reader-7B_bge-m3_none_zh"


def written(folder: Path, name: str, rows: Any) -> Path:
    path = folder / "eval" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows))
    return path


def test_language_and_judge_come_from_beside_the_rows(tmp_path: Path) -> None:
    rows = [
        {"question": "谁?", "generated_answer": "我。", "score": 5, "language_consistency_score": 1},
        {"score": 0, "language_consistency_score": 0.5},
        {"question": "lost"},
        {"score": None, "language_consistency_score": None},
    ]
    path = written(tmp_path, f"eval_res_{NAME}", rows)
    shared: dict[str, Any] = {"lang": "zh", "run": f"eval_res_{NAME}"}
    assert read_graded(path) == (
        GradedRow(f"{path}: row 1", 5, question="谁?", answer="我。", consistency=1.0, **shared),
        GradedRow(f"{path}: row 2", 0, consistency=0.5, **shared),
        GradedRow(f"{path}: row 3", None, question="lost", **shared),
        GradedRow(f"{path}: row 4", None, **shared),
    )
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / f"results_{NAME}.txt").write_text("Reader: x\nJudge model: org/judge-1 (v2)\n")
    assert {row.judge for row in read_graded(path)} == {"org/judge-1"}
    (tmp_path / "res" / f"results_{NAME}.txt").write_text("Judge model: \nReader: x\n")
    assert {row.judge for row in read_graded(path)} == {""}


def test_a_file_of_another_name_has_no_language(tmp_path: Path) -> None:
    cases = [
        ("eval_res_questions_en_a_b_c_en", "en"),
        ("eval_ans_questions_ru_a_b_c_ru", "ru"),
        ("eval_res_questions_en_a_b_c_de", ""),
        ("grades", ""),
    ]
    for name, lang in cases:
        (row,) = read_graded(written(tmp_path, name, [{"score": 3, "generated_answer": ""}]))
        assert (row.lang, row.grade, row.run, row.judge) == (lang, 3, name, ""), name


def test_what_is_no_judged_log_is_refused(tmp_path: Path) -> None:
    off_the_scale = ": row {}: 'score' must be a whole number from 0 to 5 or null, not "
    cases: list[tuple[Any, str]] = [
        ({"score": 5}, ": a JSON list of objects is expected"),
        ([5], ": a JSON list of objects is expected"),
        ([{"answer": "a"}, {"answer": "b"}], ": no row has a 'score'; give a judged log"),
        ([{"score": 5}, {"score": 6}], off_the_scale.format(2) + "6"),
        ([{"score": -1}], off_the_scale.format(1) + "-1"),
        ([{"score": 4.0}], off_the_scale.format(1) + "4.0"),
        ([{"score": True}], off_the_scale.format(1) + "True"),
        ([{"score": "5"}], off_the_scale.format(1) + "'5'"),
    ]
    for rows, message in cases:
        path = written(tmp_path, f"eval_res_{NAME}", rows)
        with pytest.raises(InputError) as caught:
            read_graded(path)
        assert str(caught.value).startswith(f"{path}{message}"), rows


def test_what_lies_beside_a_log_is_known(tmp_path: Path) -> None:
    path = written(tmp_path, f"eval_res_{NAME}", [{"score": 5}])
    assert log_facts(path) == LogFacts(("Some_Reader-7B_bge-m3_none",), None, None)
    path = written(tmp_path, "eval_res_questions_zh_Reader-7B_bge-m3_none_zh", [{"score": 5}])
    written(tmp_path, "eval_ans_questions_zh_Reader-7B_bge-m3_none_zh", [{}, {}])
    (tmp_path / "res").mkdir()
    summary = tmp_path / "res" / "results_questions_zh_Reader-7B_bge-m3_none_zh.txt"
    for text, seconds in {"Generation time: \n7.25\n\n": 7.25, "Generation time: \nnan\n\n": None, "x": None}.items():
        summary.write_text(text)
        assert log_facts(path) == LogFacts(("Reader-7B", "bge-m3", "none"), seconds, 2)
    assert log_facts(tmp_path / "graded.csv") == LogFacts(("graded",), None, None)

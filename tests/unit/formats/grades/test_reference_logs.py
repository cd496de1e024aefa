"""Judged logs of the RAGaliq sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.grades.reference_logs import LogRow, ReferenceLog, read_reference_log

NAME = "questions_zh_Some_Reader-7B_bge-m3_none_zh"


def written(folder: Path, name: str, rows: Any) -> Path:
    path = folder / "eval" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(rows))
    return path


def test_language_and_judge_come_from_beside_the_rows(tmp_path: Path) -> None:
    rows = [
        {"question": " 谁? \n", "score": 5, "language_consistency_score": 1},
        {"score": 0, "language_consistency_score": 0.5},
        {"question": "lost"},
        {"score": None, "language_consistency_score": None},
    ]
    path = written(tmp_path, f"eval_res_{NAME}", rows)
    log = read_reference_log(path)
    assert log == ReferenceLog(
        "zh", None, (LogRow("谁?", 5, 1.0), LogRow("", 0, 0.5), LogRow("lost", None, None), LogRow("", None, None))
    )
    assert (log.grades, log.consistency) == ((5, 0, None, None), (1.0, 0.5))
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / f"results_{NAME}.txt").write_text("Reader: x\nJudge model: org/judge-1 (v2)\n")
    assert read_reference_log(path).judge == "org/judge-1"
    (tmp_path / "res" / f"results_{NAME}.txt").write_text("Reader: x\n")
    assert read_reference_log(path).judge is None


def test_a_file_of_another_name_has_no_language(tmp_path: Path) -> None:
    cases = [
        ("eval_res_questions_en_a_b_c_en", "en"),
        ("eval_ans_questions_ru_a_b_c_ru", "ru"),
        ("eval_res_questions_en_a_b_c_de", ""),
        ("grades", ""),
    ]
    for number, (name, lang) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert read_reference_log(written(folder, name, [{"score": 3}])) == ReferenceLog(
            lang, None, (LogRow("", 3, None),)
        ), name


def test_what_is_no_judged_log_is_refused(tmp_path: Path) -> None:
    cases = [
        ({"score": 5}, ": a JSON list of objects is expected"),
        ([5], ": a JSON list of objects is expected"),
        ([{"answer": "a"}, {"answer": "b"}], ": no row has a 'score'; give a judged log"),
        ([{"score": 5}, {"score": 6}], ": row 2: 'score' must be a whole number from 0 to 5, not 6"),
        ([{"score": -1}], ": row 1: 'score' must be a whole number from 0 to 5, not -1"),
        ([{"score": 4.0}], ": row 1: 'score' must be a whole number from 0 to 5, not 4.0"),
        ([{"score": True}], ": row 1: 'score' must be a whole number from 0 to 5, not True"),
        ([{"score": "5"}], ": row 1: 'score' must be a whole number from 0 to 5, not '5'"),
    ]
    for number, (rows, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = written(folder, "log", rows)
        with pytest.raises(InputError) as caught:
            read_reference_log(path)
        assert str(caught.value).startswith(f"{path}{message}"), rows

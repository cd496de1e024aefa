"""Grades by query from run folders, graded rows and reference logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import answered, verdict
from graded_runs import write_graded_run
from ragaliq.aggregate.grades.graded_metrics import METRICS
from ragaliq.aggregate.grades.query_grades import (
    GradedAnswer,
    JudgeId,
    QueryGrades,
    QueryKey,
    judge_names,
    judges_of,
    read_query_grades,
)
from ragaliq.errors import InputError
from ragaliq.runs.rows import run_answer_to_row, verdict_to_row
from ragaliq.storage.files import write_json, write_jsonl


def grades(found: QueryGrades) -> dict[QueryKey, int | None]:
    return {asked: answer.grade for asked, answer in found.answers.items()}


def test_a_run_gives_its_answerable_queries(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", {"ru": [5, 4, 3]}, data="d1")
    said = [("q1", "Да.", True), ("q2", "none", True), ("q3", "", True), ("q4", "none", False)]
    write_jsonl(folder.answers_file, [run_answer_to_row(answered(name, text, "ru", can)) for name, text, can in said])
    write_jsonl(
        folder.verdicts_file, [verdict_to_row(verdict(*row, "ru")) for row in (("q1", 4), ("q2", 0), ("q4", 5))]
    )
    (found,) = read_query_grades(folder.path)
    assert (found.name, found.lang, found.data, found.n_expected, found.by_id) == ("run", "ru", "d1", 3, True)
    assert found.judges == (JudgeId("offline", "hash"),)
    # A reader that failed neither abstained nor answered.
    assert found.answers == {
        QueryKey("q1"): GradedAnswer(4, False, question="question q1"),
        QueryKey("q2"): GradedAnswer(0, True, question="question q2"),
        QueryKey("q3"): GradedAnswer(None, None, question="question q3", failure="not graded"),
    }
    assert (found.scored, found.n_scored, found.coverage) == ({QueryKey("q1"), QueryKey("q2")}, 2, 2 / 3)
    assert read_query_grades(folder.verdicts_file) == [found]
    by_text = found.by_text()
    assert grades(by_text) == {QueryKey(f"question q{n}"): grade for n, grade in ((1, 4), (2, 0), (3, None))}
    assert not by_text.by_id and by_text.by_text() is by_text


def test_graded_rows_go_by_id_and_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows: list[dict[str, Any]] = [
        {"query_id": "q1", "lang": "zh", "grade": 1, "judge": "old"},
        {"query_id": 7, "lang": "zh", "score": 3, "judge": "j", "prompt_hash": "h"},
        {"query_id": "q1", "lang": "zh", "grade": 5, "judge": "j", "prompt_hash": "h"},
        {"query_id": "q2", "lang": "zh", "grade": 5, "answerable": False, "judge": "another"},
        {"query_id": "q1", "lang": "de", "grade": None},
    ]
    write_jsonl(path, rows)
    german, chinese = read_query_grades(path)
    assert (german.lang, german.judges, grades(german)) == ("de", (), {QueryKey("q1"): None})
    assert (chinese.judges, grades(chinese)) == ((JudgeId("j", "h"),), {QueryKey("q1"): 5, QueryKey("7"): 3})
    assert (chinese.name, chinese.n_expected, chinese.coverage) == ("rows", None, None)


def test_rows_without_ids_go_by_question_and_a_repeated_question_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows: list[dict[str, Any]] = [
        {"question": " Où ?\n", "grade": 5},
        {"question": "Où ?", "grade": 3},
        {"question": "", "grade": 1},
        {"query_id": "q1", "question": "Qui ?", "grade": 2},
    ]
    write_jsonl(path, rows)
    (found,) = read_query_grades(path)
    assert grades(found) == {QueryKey("Où ?"): 5, QueryKey("Où ?", 2): 3, QueryKey("", 3): 1, QueryKey("Qui ?"): 2}
    assert not found.by_id
    # A row that names no query can be joined with none, but it is graded.
    assert (QueryKey("", 3) in found.scored, found.n_scored) == (False, 4)


def test_an_empty_id_is_none(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for empty in (None, ""):
        write_jsonl(path, [{"query_id": empty, "question": text, "grade": 3} for text in ("कहाँ?", "कब?", "为什么？")])
        (found,) = read_query_grades(path)
        assert (found.by_id, list(found.answers)) == (False, [QueryKey("कहाँ?"), QueryKey("कब?"), QueryKey("为什么？")])


def test_rows_of_several_systems_or_people_are_not_one_system(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for key, told in (("run", "for several runs"), ("rater", "by several raters")):
        write_jsonl(path, [{"query_id": "q1", "lang": "ar", key: name, "grade": 3} for name in ("b", "a")])
        with pytest.raises(InputError, match=rf"rows\.jsonl:2: query 'q1' is graded {told} \('b', 'a'\); give a file"):
            read_query_grades(path)


def test_a_table_and_a_list_of_rows_are_read_as_lines_are(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("query_id,lang,grade\nq1,hi,4\nq2,hi,\n")
    write_json(
        tmp_path / "rows.json",
        [{"query_id": "q1", "lang": "hi", "grade": 4}, {"query_id": "q2", "lang": "hi", "grade": None}],
    )
    (table,), (listed,) = (read_query_grades(tmp_path / name) for name in ("rows.csv", "rows.json"))
    assert table == listed and grades(table) == {QueryKey("q1"): 4, QueryKey("q2"): None} and table.by_id


def test_a_reference_log_goes_by_question(tmp_path: Path) -> None:
    name = "questions_es_Reader-1_bge-m3_none_es"
    path = tmp_path / "eval" / f"eval_res_{name}.json"
    rows = [
        {"question": "¿Qué? ", "score": 5, "language_consistency_score": 0.25},
        {"question": "¿Qué?", "score": 0},
        {"score": 4},
    ]
    write_json(path, rows)
    (found,) = read_query_grades(path)
    assert (found.name, found.lang, found.judges, found.by_id) == ("Reader-1_bge-m3_none", "es", (), False)
    assert found.answers == {
        QueryKey("¿Qué?"): GradedAnswer(5, None, 0.25),
        QueryKey("¿Qué?", 2): GradedAnswer(0),
        QueryKey("", 3): GradedAnswer(4),
    }
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / f"results_{name}.txt").write_text("Judge model: org/j\n")
    assert read_query_grades(path)[0].judges == (JudgeId("org/j"),)


def test_what_holds_no_grade_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    off_the_scale = "'grade' must be a whole number from 0 to 5 or null, not"
    for row, says in (
        ({"query_id": "q"}, "no 'grade' and no 'score'"),
        ({"grade": 6}, f"{off_the_scale} 6"),
        ({"grade": -1}, f"{off_the_scale} -1"),
        ({"grade": 4.5}, f"{off_the_scale} 4.5"),
        ({"grade": True}, f"{off_the_scale} True"),
        ({"grade": "5"}, f"{off_the_scale} '5'"),
    ):
        path.write_text(f'{{"grade": 5}}\n{json.dumps(row)}\n')
        with pytest.raises(InputError) as caught:
            read_query_grades(path)
        assert f"rows.jsonl:2: {says}" in str(caught.value)
    with pytest.raises(InputError, match="no such file or folder"):
        read_query_grades(tmp_path / "none.json")


def test_judges_are_told_apart_by_their_hash_only_where_names_do_not() -> None:
    assert judge_names([JudgeId("a", "1234567890"), JudgeId("b", "x")]) == ["a", "b"]
    assert judge_names([JudgeId("a", "1234567890"), JudgeId("a", "x"), JudgeId("")]) == ["—", "a 12345678", "a x"]
    graded = QueryGrades("s", "en", {QueryKey("q"): GradedAnswer(5)}, ())
    nothing = QueryGrades("n", "en", {QueryKey("q"): GradedAnswer(None)}, (JudgeId("j"),))
    # Who graded nothing does not count; grades of nobody known do.
    assert judges_of([graded, nothing]) == [JudgeId("")]


def test_the_value_of_an_answer() -> None:
    answers = [
        GradedAnswer(5, False, 1.0), GradedAnswer(0, True, None), GradedAnswer(2, None, 0.0), GradedAnswer(None),
    ]  # fmt: skip
    system = QueryGrades("s", "en", {QueryKey(f"q{place}"): own for place, own in enumerate(answers)}, ())
    for metric, values in {
        "mean_weight": [1.0, 0.4, 0.2, None],
        "grade": [5.0, 0.0, 2.0, None],
        "fives": [1.0, 0.0, 0.0, None],
        "zeros": [0.0, 1.0, 0.0, None],
        "abstained": [0.0, 1.0, None, None],
        "language": [1.0, None, 0.0, None],
    }.items():
        expected = {QueryKey(f"q{place}"): value for place, value in enumerate(values) if value is not None}
        assert METRICS[metric].values(system) == expected, metric

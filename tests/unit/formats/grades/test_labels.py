"""Files of grades in every form that is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.grades.labels import read_graded
from ragaliq.formats.grades.rows import GradedRow, written_grade

TASK_DATA = {"query_id": "q1", "lang": "ru", "question": "Где?", "answer": "Здесь.", "run": "A"}


def written(path: Path, rows: Any) -> Path:
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n" if path.suffix == ".jsonl" else json.dumps(rows), encoding="utf-8")
    return path


def control(name: str, value: Any, kind: str = "choices") -> dict[str, Any]:
    held = [value] if kind == "choices" else value
    return {"id": "r1", "from_name": name, "to_name": "answer", "type": kind, "value": {kind: held}}


def task(*annotations: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {"id": 7, "data": {**TASK_DATA, **data}, "annotations": list(annotations), "predictions": [
        {"result": [control("grade", "1")]}]}  # fmt: skip


def annotation(*results: dict[str, Any], by: Any = 3, at: str = "2026-01-01", **more: Any) -> dict[str, Any]:
    return {"completed_by": by, "result": list(results), "was_cancelled": False, "updated_at": at, **more}


def grades(path: Path) -> list[tuple[str, int | None]]:
    return [(row.rater, row.grade) for row in read_graded(path)]


def test_verdicts_graded_rows_and_review_labels(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.jsonl", [
        {"query_id": "q1", "lang": "en", "grade": 4, "outcome": "scored", "judge": "j", "prompt_hash": "h"},
        {"query_id": 7, "lang": "zh", "grade": None, "outcome": "refused", "judge": "j"},
        {"lang": "fr", "question": "Où ?", "reference": "Ici.", "answer": "Là.", "score": 0, "answerable": False},
        {"query_id": "q1", "lang": "es", "run": "A", "task": "grade", "grade": 5, "rater": "ana", "question": "¿Qué?",
         "answer": "Esto.", "at": "2026-01-01T00:00:00Z"},
        {"query_id": "q1", "lang": "es", "run": "A", "task": "lgtm", "lgtm": True, "rater": "ana", "question": "¿Qué?"},
    ])  # fmt: skip
    assert read_graded(path) == (
        GradedRow(f"{path}:1", 4, "q1", "en", judge="j", prompt_hash="h"),
        GradedRow(f"{path}:2", None, "7", "zh", judge="j"),
        GradedRow(f"{path}:3", 0, "", "fr", "Où ?", "Là.", answerable=False),
        GradedRow(f"{path}:4", 5, "q1", "es", "¿Qué?", "Esto.", "A", "ana"),
    )


def test_a_wrong_grade_names_file_and_line(tmp_path: Path) -> None:
    for round_, grade in enumerate([6, -1, 4.0, "4", True, [4]]):
        folder = tmp_path / str(round_)
        folder.mkdir()
        path = written(folder / "v.jsonl", [{"query_id": "q1", "grade": 5}, {"query_id": "q2", "grade": grade}])
        with pytest.raises(InputError, match=r"v\.jsonl:2: 'grade' must be a whole number from 0 to 5 or null, not"):
            read_graded(path)
        path = written(folder / "v.json", [{"query_id": "q1", "grade": 5}, {"query_id": "q2", "grade": grade}])
        with pytest.raises(InputError, match=r"v\.json: row 2: 'grade'"):
            read_graded(path)


def test_rows_without_a_grade_are_refused_and_so_is_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"v\.jsonl:1: no 'grade'"):
        read_graded(written(tmp_path / "v.jsonl", [{"query_id": "q1"}]))
    with pytest.raises(InputError, match="holds no row"):
        read_graded(written(tmp_path / "e.json", []))
    with pytest.raises(InputError, match="a JSON list of objects"):
        read_graded(written(tmp_path / "o.json", {"score": 3}))
    with pytest.raises(InputError, match=r"x\.txt: no such file"):
        read_graded(tmp_path / "x.txt")
    (tmp_path / "x.txt").write_text("q1 5\n")
    with pytest.raises(
        InputError, match=r"what form is this\? \(known: .csv, .json, .jsonl, .ndjson, .parquet, .tsv\)"
    ):
        read_graded(tmp_path / "x.txt")


@pytest.mark.shared
def test_a_judged_log_of_the_reference(shared_data: Path) -> None:
    logs = sorted((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*.json"))
    rows = read_graded(logs[-1])
    assert len(rows) == 71 and {row.lang for row in rows} == {"zh"}
    assert all(row.question and row.judge and row.grade in range(6) for row in rows)


def test_tables_in_commas_and_tabs(tmp_path: Path) -> None:
    csv, tsv = tmp_path / "l.csv", tmp_path / "l.tsv"
    csv.write_text(
        '\ufeffquery_id,lang,label,rater\nq1,en,4,ana\nq2,zh,,ana\nq3,fr,"5",bo\nq4,ru,3.0,bo\n', encoding="utf-8"
    )
    assert grades(csv) == [("ana", 4), ("ana", None), ("bo", 5), ("bo", 3)]
    assert [row.where for row in read_graded(csv)][2] == f"{csv}:4"
    tsv.write_text("lang\tquestion\tanswer\tgrade\tanswerable\nde\tWo, wann?\tHier\t0\tfalse\n", encoding="utf-8")
    assert read_graded(tsv) == (GradedRow(f"{tsv}:2", 0, "", "de", "Wo, wann?", "Hier", answerable=False),)


def test_a_cell_may_hold_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "l.csv"
    path.write_text('question,answer,grade\n"A\nB",x,9\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"l\.csv:3: 'grade' must be a whole number from 0 to 5, not '9'"):
        read_graded(path)


def test_wrong_tables_name_the_line(tmp_path: Path) -> None:
    cases = [
    ("query_id,lang\nq1,en\n", "l.csv:1: columns 'query_id' .* and 'grade' are needed; known: lang, query_id"),
    ("lang,grade\nen,4\n", "l.csv:1: columns"),
    ("query_id,grade\nq1\n", "l.csv:2: 2 columns are expected"),
    ("query_id,grade\nq1,4,5\n", "l.csv:2: 2 columns are expected"),
    ('query_id,grade\n"q1,4\n', "not a table"),
    ("query_id,grade\nq1,good\n", "l.csv:2: 'grade' must be a whole number from 0 to 5, not 'good'"),
    ("query_id,grade\nq1,2.5\n", "not '2.5'"),
    ("", "columns"),
]  # fmt: skip
    for text, told in cases:
        path = tmp_path / "l.csv"
        path.write_text(text)
        with pytest.raises(InputError, match=told):
            read_graded(path)


def test_label_studio_counts_annotations_in_order_and_no_skipped_ones(tmp_path: Path) -> None:
    path = written(tmp_path / "export.json", [
        task(annotation(control("grade", "4 - mostly right"), by=3, at="2026-01-02"),
             annotation(control("grade", "2: wrong in part"), by=3, at="2026-01-01"),
             annotation(control("grade", 5, "rating"), by={"id": 4, "email": "bo@example.org"}),
             annotation(control("grade", "0"), by=9, was_cancelled=True)),
        task(query_id="q2"),
        task(annotation(control("fluency", "good"), control("stars", 3, "number"), control("why", "so", "textarea"))),
    ])  # fmt: skip
    found = read_graded(path)
    assert [(row.query_id, row.rater, row.grade) for row in found] == [
        ("q1", "3", 2), ("q1", "bo@example.org", 5), ("q1", "3", 4), ("q2", "", None), ("q1", "3", 3),
    ]  # fmt: skip
    assert found[0].where == f"{path}: row 1"
    assert (found[0].lang, found[0].question, found[0].answer, found[0].run) == ("ru", "Где?", "Здесь.", "A")


def test_label_studio_forms_that_say_no_grade(tmp_path: Path) -> None:
    cases = [
    ([control("grade", "7")], "'grade' must be a whole number from 0 to 5, not '7'"),
    ([control("a", "1"), control("b", "2")], r"which question holds the grade\? \(known: a, b\); name it 'grade'"),
    ([control("a", "good")], r"no question holds a grade from 0 to 5 \(known: a\)"),
    ([{**control("grade", "1"), "value": {"choices": ["1", "2"]}}], "'grade' has 2 choices; one is expected"),
]  # fmt: skip
    for results, told in cases:
        path = written(tmp_path / "export.json", [task(annotation(*results))])
        with pytest.raises(InputError, match=f"export.json: row 1: {told}"):
            read_graded(path)


def test_label_studio_flat_export(tmp_path: Path) -> None:
    flat = {**TASK_DATA, "id": 1, "annotator": 3, "annotation_id": 12, "lead_time": 1.5}
    path = written(tmp_path / "min.json", [{**flat, "grade": "3"}, {**flat, "rating": 5}, flat])
    assert grades(path) == [("3", 3), ("3", 5), ("3", None)]


def test_argilla_nested_flat_and_of_version_1(tmp_path: Path) -> None:
    fields = {"question": "谁?", "answer": "我。"}
    rows = [
        {"id": "1", "fields": fields, "metadata": {"query_id": "q1", "lang": "zh"}, "suggestions": {}, "responses": {
            "comment": [{"value": "fine", "user_id": "u1"}],
            "rating": [{"value": 4, "user_id": "u1"}, {"value": 2, "user_id": "u2"}]}},
        {"id": "2", "fields": fields, "metadata": {"query_id": "q2", "lang": "zh"}, "responses": None},
        {"fields": fields, "metadata": {"query_id": "q3", "lang": "zh"}, "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"rating": {"value": 1}}},
            {"user_id": "u2", "status": "discarded", "values": {"rating": {"value": 5}}}]},
        {**fields, "query_id": "q4", "lang": "zh", "grade.responses": ["5 right", "0"],
         "grade.responses.users": ["u1", "u2"], "grade.responses.status": ["submitted", "draft"]},
    ]  # fmt: skip
    for name in ("records.json", "records.jsonl"):
        found = read_graded(written(tmp_path / name, rows))
        assert [(row.query_id, row.rater, row.grade) for row in found] == [
            ("q1", "u1", 4), ("q1", "u2", 2), ("q2", "", None), ("q3", "u1", 1), ("q4", "u1", 5),
        ]  # fmt: skip
        assert {(row.lang, row.question, row.answer) for row in found} == {("zh", "谁?", "我。")}


def test_an_argilla_rating_off_the_scale_is_refused(tmp_path: Path) -> None:
    row = {"fields": {"question": "?"}, "responses": {"rating": [{"value": 7, "user_id": "u"}]}}
    with pytest.raises(InputError, match=r"r\.jsonl:1: 'rating' must be a whole number from 0 to 5, not 7"):
        read_graded(written(tmp_path / "r.jsonl", [row]))


def test_written_grades() -> None:
    cases = [
    ("4", 4), (" 0 ", 0), ("5.0", 5), ("3 - in part", 3), ("2: wrong", 2), ("1) no", 1), ("4 верно", 4),
    ("5 – 正确", 5),
    (3, 3), (3.0, 3), ("", None), (None, None),
]  # fmt: skip
    for text, grade in cases:
        assert written_grade(text, "grade", "f:1") == grade, text


def test_what_could_be_two_grades_is_refused() -> None:
    for text in ["45", "4.5", "4/5", "-1", "6", "good", 2.5, True, "4 - 5", "4,5"]:
        with pytest.raises(InputError, match="f:1: 'grade' must be"):
            written_grade(text, "grade", "f:1")


KEYS = (
    "grade", "score", "query_id", "lang", "question", "answer", "run", "rater", "annotations", "data", "result",
    "fields", "responses", "metadata", "values", "value", "user_id", "status", "completed_by", "from_name", "type",
    "rating", "choices", "grade.responses", "grade.responses.users", "annotation_id", "generated_answer",
)  # fmt: skip
scalars = st.sampled_from([None, True, 0, 3, 5, 7, -1, 2.5, "", "4", "q1", "rating", "choices", "submitted", "\ud800"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), values, min_size=1, max_size=6), min_size=1, max_size=2))
def test_whatever_stands_in_a_row_gives_grades_on_the_scale_or_one_line(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    path = tmp_path / "any.json"
    path.write_text(json.dumps(rows))
    try:
        found = read_graded(path)
    except InputError as error:
        assert str(path) in str(error) and "\n" not in str(error)
        return
    assert all(row.grade is None or (type(row.grade) is int and 0 <= row.grade <= 5) for row in found)
    assert all(isinstance(text, str) for row in found for text in (row.query_id, row.lang, row.answer, row.rater))


def test_truth_values_as_spreadsheets_write_them(tmp_path: Path) -> None:
    for written, answerable in [("FALSE", False), ("False", False), ("0", False), ("TRUE", True)]:
        path = tmp_path / "labels.csv"
        path.write_text(f"query_id,lang,grade,answerable\nq1,ru,0,{written}\n", encoding="utf-8")
        assert [row.answerable for row in read_graded(path)] == [answerable], written

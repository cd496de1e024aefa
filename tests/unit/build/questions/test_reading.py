"""Files of what people asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.build.questions.reading import read_questions
from ragaliq.build.settings import Questions
from ragaliq.errors import InputError

CODE = 'for f in *.log; do\n    gzip -9 "$f", done\nend'


def test_c29_a_table_and_json_lines_with_their_own_columns_give_the_same_rows(tmp_path: Path) -> None:
    rows = [
        ("Wie geht das?", CODE, "de", True),
        ("How much?", "Seven, at least.", "en", False),
        ("什么？", "", "zh", True),
    ]
    quoted = [[json.dumps(text, ensure_ascii=False) if "\n" not in text else '"' + text.replace('"', '""') + '"'
               for text in row[:3]] + [str(row[3])] for row in rows]  # fmt: skip
    table = "\n".join(["ask,reply,spoken,ok", *(",".join(cells) for cells in quoted)])
    (tmp_path / "q.csv").write_text("\ufeff" + table, encoding="utf-8")
    (tmp_path / "q.tsv").write_text("\n".join("\t".join(line) for line in [["ask", "reply", "spoken", "ok"], *quoted]))
    (tmp_path / "q.jsonl").write_text(
        "\n".join(json.dumps(dict(zip(("ask", "reply", "spoken", "ok"), row, strict=True))) for row in rows)
    )
    columns = Questions("", "ask", "reply", "ok", "spoken")
    for name in ("q.csv", "q.tsv", "q.jsonl"):
        found = read_questions(tmp_path / name, columns)
        # An answer that was not accepted is none.
        assert [(row.text, row.answer, row.lang) for row in found] == [
            ("Wie geht das?", CODE, "de"), ("How much?", "", "en"), ("什么？", "", "zh"),
        ], name  # fmt: skip
    # The first row of the table spans three lines.
    assert read_questions(tmp_path / "q.csv", columns)[1].where == f"{tmp_path / 'q.csv'}:5"


def test_a_table_of_a_spreadsheet_may_be_separated_by_semicolons(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question;answer\nWie viel?;1,5 kg\n")
    assert [(row.text, row.answer) for row in read_questions(tmp_path / "q.csv", Questions(""))] == [
        ("Wie viel?", "1,5 kg")
    ]


def test_a_file_without_answers_is_a_log(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text('{"question": "When?"}\n\n{"question": null, "lang": "de"}\n')
    assert [(row.text, row.answer, row.lang) for row in read_questions(file, Questions(""))] == [
        ("When?", None, ""), ("", None, "de"),
    ]  # fmt: skip
    # One answer anywhere, also none, makes it a file of answers: rows without one then lack theirs.
    file.write_text('{"question": "When?"}\n{"question": "Why?", "answer": null}\n')
    assert [row.answer for row in read_questions(file, Questions(""))] == ["", ""]


@pytest.mark.parametrize(
    ("name", "text", "columns", "message"),
    [
        ("q.csv", "frage,answer\na,b\n", {}, r"no column 'question'.*known: answer, frage"),
        ("q.csv", "question\na\n", {"answer": "reply"}, "no column 'reply'"),
        ("q.csv", "question,answer\na,b\n", {"accepted": "ok"}, "no column 'ok'"),
        ("q.csv", "question,answer,ok\na,b,maybe\n", {"accepted": "ok"}, r"q\.csv:2: 'ok' must be yes or no.*'maybe'"),
        ("q.csv", "question,answer\na\n", {}, r"q\.csv:2: 2 columns"),
        ("q.csv", "question,answer\n", {}, "has no rows"),
        ("q.jsonl", "", {}, "has no rows"),
        ("q.jsonl", '{"question": 3}', {}, r"q\.jsonl:1: 'question' must be a text, not int"),
        ("q.jsonl", '{"question": "\\ud800"}', {}, "half a surrogate"),
        ("q.jsonl", "[]", {}, "object is expected"),
        ("q.xlsx", "", {}, r"unknown file type \(known: \.csv, \.jsonl, \.tsv, \.xml"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, name: str, text: str, columns: dict[str, str], message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        read_questions(tmp_path / name, Questions("", **columns))  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv: no such file; 'questions' in build\.yaml names it"):
        read_questions(tmp_path / "none.csv", Questions(""))

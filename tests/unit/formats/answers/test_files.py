"""Files of answers: every format and encoding gives the same rows, and writing keeps them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import RagaliqError
from ragaliq.formats.answers.reading import TableForm, read_answer_rows
from ragaliq.formats.answers.writing import write_answer_rows

ROWS = [
    {"question": "Wann öffnet sie?", "answer": 'Um "sieben",\nsagt man.', "note": ""},
    {"question": "几点开门？", "answer": "七点。", "note": "x;y\tz"},
    {"question": "Когда?", "answer": "В семь.", "note": " "},
]


def rows_of(path: Path, encoding: str = "") -> list[dict[str, Any]]:
    return [row for _, row in read_answer_rows(path, encoding).rows]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json"])
def test_what_is_written_is_read_again(suffix: str, tmp_path: Path) -> None:
    write_answer_rows(tmp_path / f"a{suffix}", ROWS)
    assert rows_of(tmp_path / f"a{suffix}") == ROWS


@pytest.mark.hub
def test_parquet_keeps_types_and_gaps(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"a": "x", "n": 1, "f": 1.0, "l": ["p", "q"], "o": [{"k": 1}]},
        {"a": None, "n": None, "f": 2.0, "l": [], "o": []},
        {"a": "", "n": 3, "f": None, "l": None, "o": None},
    ]
    write_answer_rows(tmp_path / "a.parquet", rows)
    read = rows_of(tmp_path / "a.parquet")
    # A column with objects is JSON as a whole.
    assert [row.pop("o") for row in read] == ['[{"k": 1}]', "[]", None]
    assert repr(read) == repr([{key: value for key, value in row.items() if key != "o"} for row in rows])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(ROWS)
    read = read_answer_rows(path, encoding if encoding == "gb18030" else "")
    assert [row for _, row in read.rows] == ROWS
    assert read.form == TableForm(";", encoding != "utf-8")
    # Written again, a spreadsheet opens it as it did the first.
    write_answer_rows(tmp_path / "b.csv", ROWS, read.form)
    again = read_answer_rows(tmp_path / "b.csv")
    assert [row for _, row in again.rows] == ROWS and again.form == read.form


def test_an_encoding_that_is_not_told_is_never_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("question,answer\nWo?,Köln\n".encode("cp1252"))
    with pytest.raises(RagaliqError, match=r"a\.csv:2: is not UTF-8; name its encoding, as in --encoding cp1252"):
        rows_of(path)
    assert rows_of(path, "cp1252") == [{"question": "Wo?", "answer": "Köln"}]
    with pytest.raises(RagaliqError, match="--encoding latin-17: no such encoding"):
        rows_of(path, "latin-17")
    with pytest.raises(RagaliqError, match=r"a\.csv:2: is not ascii"):
        rows_of(path, "ascii")


def test_a_mark_decides_before_an_encoding_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("question,answer\nWo?,Köln\n", encoding="utf-8-sig")
    assert rows_of(tmp_path / "a.csv", "utf-8") == [{"question": "Wo?", "answer": "Köln"}]


def test_the_shapes_of_json(tmp_path: Path) -> None:
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    shapes: list[Any] = [
        rows,
        {"name": "run", "data": rows},
        {"a": [1, 2], "b": ["x", "y"]},
        {"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}},
    ]
    for shape in shapes:
        (tmp_path / "a.json").write_text(json.dumps(shape))
        assert rows_of(tmp_path / "a.json") == rows, shape
    for wrong in ([], [1], {"a": 1}, "x", {"a": [1], "b": [1, 2]}):
        (tmp_path / "a.json").write_text(json.dumps(wrong))
        with pytest.raises(RagaliqError, match="a JSON list of objects is expected"):
            rows_of(tmp_path / "a.json")


def test_what_is_no_file_of_answers(tmp_path: Path) -> None:
    for name, said in (
        ("a.xlsx", "which format is this"),
        ("no.csv", "cannot be read"),
        ("no.parquet", "no such file"),
    ):
        with pytest.raises(RagaliqError, match=said):
            rows_of(tmp_path / name)
    (tmp_path / "a.csv").write_text("question,answer\n")
    with pytest.raises(RagaliqError, match="holds no row"):
        rows_of(tmp_path / "a.csv")


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@settings(max_examples=50)
@given(st.lists(st.fixed_dictionaries({"question": CELLS, "b": CELLS}), min_size=1), st.sampled_from(",;\t"))
def test_any_text_survives_a_table(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], sign: str) -> None:
    path = tmp_path_factory.mktemp("t") / "a.csv"
    write_answer_rows(path, rows, TableForm(sign))
    assert rows_of(path) == rows

"""Tables of comma- or tab-separated text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.storage.tables import read_table


def test_cells_keep_line_ends_and_say_where_they_stand(tmp_path: Path) -> None:
    for suffix, sign in ((".csv", ","), (".tsv", "\t")):
        path = tmp_path / f"t{suffix}"
        path.write_bytes(f'\ufeff a {sign}b\r\n1{sign}"x\r\n  ""y"" {sign}"\r\n2{sign}\r\n'.encode())
        table = read_table(path)
        assert table.columns == ["a", "b"]
        # A row stands where it ends: the first has a line end in a cell.
        assert list(table.rows) == [
            (f"{path}:3", {"a": "1", "b": f'x\r\n  "y" {sign}'}), (f"{path}:4", {"a": "2", "b": ""}),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b, a\n1,2,3\n", r"t\.csv:1: two columns are called 'a'"),
        ("a,b\n1,2\n3\n", r"t\.csv:3: 2 columns are expected here"),
        ("a,b\n1,2,3\n", r"t\.csv:2: 2 columns are expected here"),
        ('a,b\n1,"2" 3\n', r"t\.csv:2: not a table"),
        ('a,"b\n', r"t\.csv:1: not a table"),
    ],
)
def test_what_is_no_table_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_table(tmp_path / "t.csv").rows)


def test_what_separates_columns_is_what_the_first_line_has_most_of(tmp_path: Path) -> None:
    for sign in ",;\t":
        (tmp_path / "t.csv").write_text(f'a{sign}"b, c"\n"1,5"{sign}2\n')
        table = read_table(tmp_path / "t.csv")
        assert (table.columns, table.delimiter) == (["a", "b, c"], sign)
        assert [row for _, row in table.rows] == [{"a": "1,5", "b, c": "2"}]
    (tmp_path / "t.csv").write_text("a\n1;2\n")
    assert [row for _, row in read_table(tmp_path / "t.csv").rows] == [{"a": "1;2"}]


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "x" * 200_000 + ",1\n")
    assert [len(row["a"]) for _, row in read_table(tmp_path / "t.csv").rows] == [200_000]


def test_empty_columns_of_a_spreadsheet_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,,\n1,2,,\n")
    (row,) = read_table(tmp_path / "t.csv").rows
    assert (row[1]["a"], row[1]["b"]) == ("1", "2")

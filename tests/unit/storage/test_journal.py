"""Append-only files that survive a kill: any rows, cut anywhere."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.storage.files import dump_row, read_jsonl, write_jsonl
from ragaliq.storage.journal import Journal, journal_lines, read_journal


def joined(text: str) -> str:
    """Join adjacent halves of a surrogate pair, as JSON does; a lone half stays."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


CHARACTERS = st.characters() | st.characters(categories=["Cs"]) | st.sampled_from('\n\r\0\x7f\u2028\ufeff"\\{}[]')
TEXTS = st.text(CHARACTERS, max_size=8).map(joined)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXTS, v, max_size=3), max_leaves=6)
ROWS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=6)


def journal_of(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in read_journal(path)]


@settings(max_examples=20, deadline=None)
@given(ROWS)
def test_any_rows_survive_a_journal_and_a_rewrite(rows: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "deep" / "rows.jsonl"
        with Journal(path) as journal:
            for row in rows:
                start, size = journal.append(row)
                data = path.read_bytes()
                assert data[start:] == dump_row(row) + b"\n" and size == len(dump_row(row))
        assert journal_of(path) == rows
        again = Path(folder) / "again.jsonl"
        write_jsonl(again, rows)
        assert again.read_bytes() == path.read_bytes()
        assert [row for _, row in read_jsonl(again)] == rows


@settings(max_examples=20, deadline=None)
@given(ROWS, st.data())
def test_a_journal_cut_anywhere_holds_a_prefix_and_takes_new_rows(
    rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    whole = b"".join(dump_row(row) + b"\n" for row in rows)
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    check_cut(rows, cut)


def test_a_journal_cut_at_every_byte() -> None:
    rows: list[dict[str, Any]] = [
        {"answer": "äß\ud800\u2028"},
        {},
        {"answer": "站 😀", "context": [{"rank": 1}]},
        {"n": -0.1},
    ]
    whole = b"".join(dump_row(row) + b"\n" for row in rows)
    for end in range(len(whole) + 1):
        check_cut(rows, whole[:end])


def check_cut(rows: list[dict[str, Any]], cut: bytes) -> None:
    complete = cut.count(b"\n")
    tail = cut[cut.rfind(b"\n") + 1 :]
    # A row that lacks nothing but its line end is whole.
    kept = rows[: complete + (bool(tail) and tail == dump_row(rows[complete]))]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_bytes(cut)
        assert journal_of(path) == kept
        assert path.read_bytes() == cut
        with Journal(path) as journal:
            journal.append({"new": 1})
        assert journal_of(path) == [*kept, {"new": 1}]
        assert path.read_bytes() == b"".join(dump_row(row) + b"\n" for row in [*kept, {"new": 1}])


def test_a_missing_journal_is_empty(tmp_path: Path) -> None:
    assert journal_of(tmp_path / "none.jsonl") == []


def test_a_journals_lines_say_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "\xe7\xab\x99"}\r\n\n{"b": 1}\n{"c": 2}')
    found = list(journal_lines(path))
    assert [number for number, _, _ in found] == [1, 3, 4]
    data = path.read_bytes()
    for (_, start, line), text in zip(found, ('{"a": "站"}\r', '{"b": 1}', '{"c": 2}'), strict=True):
        assert data[start : start + len(line)] == line == text.encode()


@pytest.mark.skipif(os.name != "posix", reason="file sizes are limited on POSIX alone")
def test_a_full_disk_loses_no_row_that_was_there(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "rows.jsonl"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(path) as journal:
        journal.append({"n": 1})
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 9, hard))
        try:
            with pytest.raises(OSError) as error:
                journal.append({"n": 2, "text": "x" * 99})
            assert error.value.errno == errno.EFBIG
            assert journal_of(path) == [{"n": 1}]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        # There is room again: what was begun is finished before the next row, and joins nothing.
        journal.append({"n": 3})
    assert journal_of(path) == [{"n": 1}, {"n": 2, "text": "x" * 99}, {"n": 3}]


def test_sync_and_the_end_write_through_to_the_disk(tmp_path: Path, synced: list[int]) -> None:
    with Journal(tmp_path / "rows.jsonl") as journal:
        journal.append({"n": 1})
        assert len(synced) == 0
        journal.sync()
        assert len(synced) == 1
    assert len(synced) == 2
    write_jsonl(tmp_path / "again.jsonl", [{"n": 1}])
    assert len(synced) == 3

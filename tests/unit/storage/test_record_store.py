"""Records by item: the last whole line of each counts, whatever was appended, torn or rewritten before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.storage.record_store import RecordStore, RowCodec


@dataclass(frozen=True)
class Note:
    lang: str
    query_id: str
    text: str


def parse(row: dict[str, Any]) -> Note:
    if not isinstance(row["text"], str):
        raise TypeError("'text' must be a text")
    return Note(row["lang"], row["query_id"], row["text"])


FORM = RowCodec(parse, vars, lambda note: (note.lang, note.query_id), lambda note: len(note.text))


def table(path: Path) -> RecordStore[Note]:
    return RecordStore(path, FORM)


def line(note: Note) -> bytes:
    return json.dumps(vars(note), ensure_ascii=False).encode("utf-8")


def check(path: Path, expected: dict[tuple[str, str], Note]) -> None:
    """What a table says of itself, and what a new one reads from its file, is what is expected."""
    read = table(path)
    assert dict(read) == expected
    assert list(read) == sorted(expected) and len(read) == len(expected)
    for key, note in expected.items():
        assert key in read and read.header(key) == len(note.text)
    assert ("xx", "none") not in read


def test_a_missing_file_is_an_empty_table(tmp_path: Path) -> None:
    check(tmp_path / "none.jsonl", {})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyError):
        table(tmp_path / "none.jsonl")["en", "q1"]


def test_the_last_line_of_an_item_counts_and_rewriting_sorts(tmp_path: Path) -> None:
    path = tmp_path / "run" / "notes.jsonl"
    notes = [Note("ru", "q2", "нет"), Note("de", "q1", "ja"), Note("ru", "q2", "да"), Note("de", "q10", "站\u2028\n")]
    with table(path) as found:
        for note in notes:
            found.append(note)
            assert found[note.lang, note.query_id] == note, "a record can be read at once"
    assert path.read_bytes() == b"".join(line(note) + b"\n" for note in notes)
    found.rewrite()
    whole = [notes[1], notes[3], notes[2]]
    assert path.read_bytes() == b"".join(line(note) + b"\n" for note in whole)
    assert [note.text for note in found.values()] == ["ja", "站\u2028\n", "да"]
    check(path, {(note.lang, note.query_id): note for note in whole})


def test_another_file_takes_the_sorted_records_and_the_table_stays(tmp_path: Path) -> None:
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    with table(path) as found:
        for note in (Note("zh", "q1", "一"), Note("en", "q1", "one"), Note("zh", "q1", "二")):
            found.append(note)
    before = path.read_bytes()
    found.rewrite(other)
    assert path.read_bytes() == before
    assert other.read_bytes() == line(Note("en", "q1", "one")) + b"\n" + line(Note("zh", "q1", "二")) + b"\n"
    assert found["zh", "q1"].text == "二"


def test_a_rewritten_table_takes_further_records(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with table(path) as found:
        found.append(Note("zh", "q2", "二"))
        found.append(Note("zh", "q1", "一"))
    found.rewrite()
    with found:
        found.append(Note("en", "q1", "one"))
        found.append(Note("zh", "q2", "二二"))
        assert found["zh", "q1"].text == "一"
    check(path, {("en", "q1"): Note("en", "q1", "one"), ("zh", "q1"): Note("zh", "q1", "一"),
                 ("zh", "q2"): Note("zh", "q2", "二二")})  # fmt: skip


def test_what_a_person_has_edited_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    # A byte order mark, line ends of another system, a blank line, no line end behind the last record.
    notes = [Note("en", "q2", "two"), Note("de", "q1", "über")]
    path.write_bytes(b"\xef\xbb\xbf" + line(notes[0]) + b"\r\n\r\n \n" + line(notes[1]))
    check(path, {("en", "q2"): notes[0], ("de", "q1"): notes[1]})
    with table(path) as found:
        found.append(Note("en", "q3", "three"))
    assert sorted(found) == [("de", "q1"), ("en", "q2"), ("en", "q3")]
    found.rewrite()
    check(path, {("en", "q2"): notes[0], ("de", "q1"): notes[1], ("en", "q3"): Note("en", "q3", "three")})
    assert "\ufeff" not in path.read_text(encoding="utf-8")


def test_an_order_leaves_out_what_it_does_not_name(tmp_path: Path) -> None:
    path, notes = tmp_path / "a.jsonl", [Note("en", f"q{number}", "x" * number) for number in range(3)]
    with table(path) as found:
        for note in notes:
            found.append(note)
    found.rewrite(order=[("en", "q2"), ("en", "q0")])
    assert path.read_bytes() == line(notes[2]) + b"\n" + line(notes[0]) + b"\n"
    assert dict(found) == {("en", "q2"): notes[2], ("en", "q0"): notes[0]}


def test_a_codec_tells_failures(tmp_path: Path) -> None:
    found = RecordStore(tmp_path / "a.jsonl", replace(FORM, failed=lambda note: not note.text))
    assert found.failed(Note("en", "q1", "")) and not found.failed(Note("en", "q1", "x"))
    assert not table(tmp_path / "a.jsonl").failed(Note("en", "q1", ""))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (b'{"lang": "en", "query_id": "q2"}', "'text'"),
        (b'{"lang": "en", "query_id": "q2", "text": 7}', "'text' must be a text"),
        (b'{"lang": "en", ', "not valid JSON"),
        (b"[1]", "a JSON object is expected here"),
        (b'{"text": "caf\xe9"}', "not UTF-8 at byte 13"),
    ],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, bad: bytes, why: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line(Note("en", "q1", "one")) + b"\n\n" + bad + b"\n" + line(Note("en", "q3", "three")) + b"\n")
    with pytest.raises(InputError) as caught:
        table(path)
    assert str(caught.value).startswith(f"{path}:3: ") and why in str(caught.value)


def test_two_tables_may_read_while_one_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with table(path) as found:
        for number in range(20):
            found.append(Note("en", f"q{number % 7}", "x" * number))
            check(path, dict(found))
            found.sync()


LANGS = st.sampled_from(["de", "en", "zh"])
IDS = st.sampled_from(["q1", "q2", "q10", "站"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\n\r\0\u2028\x85"\\{}'), max_size=12)
NOTES = st.builds(Note, LANGS, IDS, TEXTS)


@dataclass(frozen=True)
class Session:
    """What one process does: it opens the table, perhaps rewrites it, appends, and ends.

    It is killed in the middle of the line after its last one if `torn` is not None: that share of it is on disk.
    """

    appended: Sequence[Note]
    rewrites: bool
    torn: tuple[Note, float] | None


SESSIONS = st.builds(
    Session, st.lists(NOTES, max_size=5), st.booleans(), st.none() | st.tuples(NOTES, st.floats(0.0, 1.0))
)


@settings(max_examples=25, deadline=None)
@given(st.lists(SESSIONS, max_size=5))
@example([Session([Note("en", "q1", "a")], True, (Note("en", "q1", "b"), 0.5)), Session([], False, None)])
@example([Session([], False, (Note("en", "q1", "b"), 1.0)), Session([Note("en", "q2", "c")], True, None)])
def test_any_life_leaves_the_last_whole_record_of_each_item(sessions: Sequence[Session]) -> None:
    expected: dict[tuple[str, str], Note] = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "notes.jsonl"
        for session in sessions:
            found = table(path)
            assert dict(found) == expected
            if session.rewrites:
                found.rewrite()
                assert path.read_bytes() == b"".join(line(expected[key]) + b"\n" for key in sorted(expected))
            with found:
                for note in session.appended:
                    found.append(note)
                    expected[note.lang, note.query_id] = note
            assert dict(found) == expected
            if session.torn is not None:
                note, share = session.torn
                whole = line(note)
                cut = whole[: round(share * len(whole))]
                with path.open("ab") as file:
                    file.write(cut)
                if cut == whole:
                    # It lacks nothing but its line end.
                    expected[note.lang, note.query_id] = note
        check(path, expected)

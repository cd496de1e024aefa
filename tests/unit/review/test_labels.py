"""The label file: append-only, durable, one process at a time."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.review.labels import (
    Label,
    LabelFile,
    check_rater,
    label_file,
    label_files,
    read_labels,
    to_row,
)
from ragaliq.review.sampling import Place
from ragaliq.review.values import ReviewTask
from ragaliq.storage.files import parse_row

AT = "2026-03-01T10:00:00+00:00"


def label(value: int | None, query_id: str = "q1", note: str = "") -> Label:
    return Label(Place("r", "zh", query_id), ReviewTask.GRADE, value, "ada", AT, "0f", "几点？", "九点。", note)


def test_a_row_has_what_other_commands_read(tmp_path: Path) -> None:
    with LabelFile(tmp_path / "l.jsonl") as file:
        file.append([label(4, note="近")])
    assert json.loads((tmp_path / "l.jsonl").read_text(encoding="utf-8")) == {
        "query_id": "q1", "lang": "zh", "run": "r", "task": "grade", "grade": 4, "rater": "ada", "at": AT,
        "note": "近", "question": "几点？", "answer": "九点。", "sheet": "0f",
    }  # fmt: skip
    looked = Label(Place("r", "ru", "q2"), ReviewTask.LGTM, False, "ada", AT, "0e", "Когда?", "")
    assert to_row(looked) == {
        "query_id": "q2", "lang": "ru", "run": "r", "task": "lgtm", "lgtm": False, "rater": "ada", "at": AT,
        "question": "Когда?", "sheet": "0e",
    }  # fmt: skip


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts, texts, st.sampled_from([None, 0, 1, 5]), texts)
def test_rows_come_back(question: str, answer: str, value: int | None, note: str) -> None:
    own = Label(Place("läuft-1", "zh", "q"), ReviewTask.GRADE, value, "ада", AT, "ff", question, answer, note)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l.jsonl"
        with LabelFile(path) as file:
            file.append([own])
        assert list(read_labels(path)) == [own]
        assert parse_row(path.read_text(encoding="utf-8"), "x") == to_row(own)


def test_a_later_row_replaces_an_earlier_and_both_stay(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    with LabelFile(path) as file:
        file.append([label(1)])
        file.append([label(2, "q2")])
        file.append([label(5)])
    with LabelFile(path) as file:
        assert [own.value for own in file.latest.values()] == [2, 5]
    assert [own.value for own in read_labels(path)] == [1, 2, 5]


def test_a_judgement_is_on_disk_when_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "l.jsonl"
    synced: list[int] = []
    sync = os.fsync

    def noted(handle: int) -> None:
        synced.append(os.fstat(handle).st_size)
        sync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    with LabelFile(path) as file:
        for query_id in ("q1", "q2"):
            file.append([label(3, query_id), label(3, f"{query_id}b")])
            # Both rows, in one wait.
            assert synced[-1] == path.stat().st_size
        assert len(synced) == 2


def test_a_torn_line_is_cut_off_and_what_follows_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    with LabelFile(path) as file:
        file.append([label(3)])
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    with LabelFile(path) as file:
        file.append([label(4, "q2")])
    assert [own.value for own in read_labels(path)] == [3, 4]


def test_two_sessions_of_one_rater_are_refused(tmp_path: Path) -> None:
    path = label_file(tmp_path, "ada")
    with LabelFile(path) as file:
        for refused in range(2):
            # The one that is refused leaves the file alone, also while it is empty.
            with pytest.raises(InputError, match="another session of this rater is open"), LabelFile(path):
                pass
            file.append([label(3, f"q{refused}")])
        assert len(list(read_labels(path))) == 2
        with LabelFile(label_file(tmp_path, "bo")) as other:
            other.append([label(2)])
    assert [own.name for own in label_files(tmp_path)] == ["labels.ada.jsonl", "labels.bo.jsonl"]
    with LabelFile(path):
        pass


def test_a_session_without_a_judgement_leaves_nothing(tmp_path: Path) -> None:
    with LabelFile(label_file(tmp_path, "ada")):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_the_next_session_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = label_file(tmp_path, "ada")

    @contextmanager
    def handed_on(path: Path, *names: str, **more: str) -> Iterator[None]:
        """A lock that another session takes, with the file still empty, as soon as it is released."""
        path.parent.mkdir()
        yield
        path.parent.mkdir(exist_ok=True)
        path.touch()

    monkeypatch.setattr("ragaliq.review.labels.locked", handed_on)
    with LabelFile(path):
        pass
    assert path.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"grade": 6}, "6 is no judgement"),
        ({"grade": True}, "True is no judgement"),
        ({"grade": "4"}, "no judgement"),
        ({"task": "taste"}, "taste"),
        ({"run": 7}, "must be a text"),
        ({"item": 7}, "must be a text"),
        ({"at": None}, "must be a text"),
    ],
)
def test_a_line_that_is_no_label_is_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    path = tmp_path / "l.jsonl"
    path.write_text(json.dumps(to_row(label(1))) + "\n" + json.dumps({**to_row(label(1)), **change}) + "\n")
    with pytest.raises(InputError, match=rf"l\.jsonl:2: not a label \(.*{said}"):
        list(read_labels(path))
    with pytest.raises(InputError, match=r"l\.jsonl:2"), LabelFile(path):
        pass


def test_raters() -> None:
    for name in ["ada", "Ада", "李雷", "a.b-c_d", "x" * 64, "प्रिया", "สมชาย"]:
        assert check_rater(name) == name, name


def test_names_that_are_no_file_names_are_refused() -> None:
    for name in ["", "../x", "a/b", ".ada", "a b", "x" * 65, "a\n", "\u0301a", "𠮷" * 60]:
        with pytest.raises(InputError, match="--rater"):
            check_rater(name)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "review").write_text("a file")
    with pytest.raises(InputError, match="cannot be written"), LabelFile(label_file(tmp_path, "ada")):
        pass

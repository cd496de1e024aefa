"""Edits are added, never changed, and the latest of a segment holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ragaliq.build.translation.edits import Edit, append_edits, edit_history, latest_edits
from ragaliq.errors import InputError
from ragaliq.storage.lock import locked

FIRST = Edit("en", "ru", "Opens at 8.", "Открыто.", "Открывается в 8.", "vera", "2026-01-01T00:00:00+00:00", "xliff")


def test_the_latest_edit_of_a_segment_holds_and_earlier_ones_stay(tmp_path: Path) -> None:
    second = replace(FIRST, before=FIRST.after, after="Открывается в 8 часов.", by="олег", form="review")
    other = replace(FIRST, lang="zh", before="开门。", after="8点开门。", form="tmx")
    assert append_edits(tmp_path, [FIRST]) == 1
    begin = (tmp_path / "build" / "edits.jsonl").read_bytes()
    assert append_edits(tmp_path, [second, other]) == 2
    assert latest_edits(tmp_path) == {("ru", "Opens at 8."): second, ("zh", "Opens at 8."): other}
    assert edit_history(tmp_path)["ru", "Opens at 8."] == [FIRST, second]
    text = (tmp_path / "build" / "edits.jsonl").read_bytes()
    assert text.startswith(begin)
    assert json.loads(text.splitlines()[0]) == {
        "source_lang": "en", "lang": "ru", "source": "Opens at 8.", "before": "Открыто.", "after": "Открывается в 8.",
        "by": "vera", "at": "2026-01-01T00:00:00+00:00", "form": "xliff",
    }  # fmt: skip


def test_an_edit_that_holds_already_is_not_added(tmp_path: Path) -> None:
    assert append_edits(tmp_path, []) == 0
    assert append_edits(tmp_path, [replace(FIRST, after=FIRST.before)]) == 0
    assert not (tmp_path / "build" / "edits.jsonl").exists()
    assert append_edits(tmp_path, [FIRST, replace(FIRST, by="олег")]) == 1
    assert append_edits(tmp_path, [replace(FIRST, at="2026-02-02T00:00:00+00:00")]) == 0
    back = replace(FIRST, before=FIRST.after, after=FIRST.before)
    assert append_edits(tmp_path, [back, FIRST]) == 2, "what held before may be chosen again"
    assert len(edit_history(tmp_path)["ru", "Opens at 8."]) == 3


def test_sources_are_compared_after_nfc_and_without_space_at_the_ends(tmp_path: Path) -> None:
    assert append_edits(tmp_path, [replace(FIRST, source=" cafe\u0301 "), replace(FIRST, source="café")]) == 1
    assert list(latest_edits(tmp_path)) == [("ru", "café")]


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    odd = replace(FIRST, source="a\ud83d", after="b\udc00\x00\u2028")
    assert append_edits(tmp_path, [odd]) == 1
    assert latest_edits(tmp_path) == {("ru", "a\ud83d"): odd}


def test_a_torn_line_is_no_edit_and_does_not_join_the_next(tmp_path: Path) -> None:
    append_edits(tmp_path, [FIRST])
    with (tmp_path / "build" / "edits.jsonl").open("ab") as file:
        file.write(b'{"source_lang": "en", "la')
    assert list(latest_edits(tmp_path)) == [("ru", "Opens at 8.")]
    assert append_edits(tmp_path, [replace(FIRST, lang="de")]) == 1
    assert list(latest_edits(tmp_path)) == [("ru", "Opens at 8."), ("de", "Opens at 8.")]


@pytest.mark.parametrize("row", ['{"lang": "ru"}', '{"source_lang": 1}', "[]", '{"form": "po"}'])
def test_a_line_that_is_no_edit_is_named(row: str, tmp_path: Path) -> None:
    append_edits(tmp_path, [FIRST])
    path = tmp_path / "build" / "edits.jsonl"
    path.write_text(path.read_text() + row + "\n")
    with pytest.raises(InputError, match=r"edits\.jsonl:2: "):
        latest_edits(tmp_path)


def test_two_processes_do_not_write_at_once(tmp_path: Path) -> None:
    busy = locked(tmp_path / "build", "", busy="", remedy="", folder=True)
    with busy, pytest.raises(InputError, match=r"edits\.jsonl: another process adds edits"):
        append_edits(tmp_path, [FIRST])

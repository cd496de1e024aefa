from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from ragaliq.build.stage_row import StageRow
from ragaliq.build.workspace import Finished, Workspace
from ragaliq.errors import InputError
from small_build import build, rows


def test_two_rows_of_one_item_are_refused(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    with pytest.raises(InputError, match=r"chunk\.jsonl: 'd1' would occur twice"):
        workspace.write_rows("chunk", [StageRow("d1", "de"), StageRow("d2", "de"), StageRow("d1", "de")])
    workspace.write_rows("chunk", [StageRow("d2", "de"), StageRow("d1", "zh"), StageRow("d1", "de")])
    assert [(row.lang, row.item_id) for row in workspace.rows("chunk")] == [("de", "d1"), ("de", "d2"), ("zh", "d1")]


def test_rows_are_counted_by_reason_and_counted_anew_when_the_file_changes(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert workspace.counts("chunk") == {} and workspace.rows_hash("chunk") == ""
    workspace.write_rows("chunk", [StageRow("a", "de"), StageRow("b", "de", reason="short"), StageRow("c", "de")])
    assert workspace.counts("chunk") == {"": 2, "short": 1}
    before = workspace.rows_hash("chunk")
    workspace.write_rows("chunk", [StageRow("a", "de")])
    assert workspace.counts("chunk") == {"": 1} and workspace.rows_hash("chunk") != before
    assert [row.item_id for row in workspace.kept("chunk")] == ["a"]


def test_a_stage_that_is_worked_on_is_not_finished(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.write_rows("chunk", [StageRow("a", "de")])
    workspace.finish("chunk", "i")
    assert Workspace(tmp_path).finished() == {"chunk": Finished("i", workspace.rows_hash("chunk"))}
    workspace.begin("chunk", "openai:m")
    assert Workspace(tmp_path).finished() == {}
    assert Workspace(tmp_path).backend == "openai:m"


def test_a_torn_last_line_is_passed_over(built: Path) -> None:
    file = built / "build" / "nuggets.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"id": "q1", "lang": "de", "dec')
    assert len(Workspace(built).rows("nuggets")) == len(whole.splitlines())
    assert build(built) == 0
    assert file.read_bytes() == whole


def test_spoilt_lines_are_named(built: Path) -> None:
    file = built / "build" / "nuggets.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    lacking = {key: value for key, value in json.loads(lines[1]).items() if key != "nuggets"}
    for spoilt, said in [
        ("{", r"nuggets\.jsonl:2: not valid JSON"),
        ("[]", r"nuggets\.jsonl:2: a JSON object is expected"),
        ('{"id": "q1"}', r"nuggets\.jsonl:2: not a row of this file"),
        (json.dumps({**json.loads(lines[1]), "decision": "removed"}), r"nuggets\.jsonl:2: not a row of this file"),
        (json.dumps(lacking), r"nuggets\.jsonl: row '\w+' lacks 'nuggets'; remove the line"),
    ]:
        file.write_text("\n".join([lines[0], spoilt, *lines[2:]]) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=said):
            build(built)
    # What the message advises: the row is written anew.
    file.write_text("\n".join([lines[0], *lines[2:]]) + "\n", encoding="utf-8")
    assert build(built) == 0
    assert [json.dumps(row, ensure_ascii=False) for row in rows(built, "nuggets")] == lines


def test_a_spoilt_state_is_named(built: Path) -> None:
    for text in (
        "[]",
        '{"stages": []}',
        '{"stages": {"chunk": {"rows": "x"}}}',
        '{"stages": {"chunk": 5}}',
        '{"backend": 3}',
        "{",
    ):
        (built / "build" / "state.json").write_text(text)
        with pytest.raises(InputError, match=r"state\.json"):
            build(built)


def test_two_processes_do_not_build_in_one_folder(built: Path) -> None:
    handle = os.open(built, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(InputError, match="another process is building here; wait for it"):
        build(built)
    os.close(handle)
    assert build(built) == 0


def test_drafts_of_killed_processes_are_cleared_away_and_nothing_else(built: Path) -> None:
    drafts = [built / ".bench.json.123.draft", built / "build" / ".chunk.jsonl.9.draft"]
    others = [built / ".mine.draft", built / "notes.123.draft", built / ".chunk.jsonl"]
    for path in drafts + others:
        path.write_text("x")
    build(built)
    assert not any(path.exists() for path in drafts) and all(path.exists() for path in others)

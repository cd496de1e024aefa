"""What the command line says of languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.cli import main
from ragaliq.cli.judging import abstention_notes, idle_model_notes
from ragaliq.config import Component


def test_how_refusals_are_recognised_where_there_are_no_words() -> None:
    assert abstention_notes(["en", "ru"]) == []
    (japanese,) = abstention_notes(["en", "ja"])
    assert "for ja: refusals are recognised in ja by meaning (sentence encoder) and by English words; how" in japanese
    (swedish,) = abstention_notes(["sv"], Component("offline"))
    assert "for sv: refusals are recognised in sv by English words alone; how well was not measured" in swedish
    assert abstention_notes(["sv"], Component("openai", "m")) == []


def test_a_model_in_the_environment_that_grades_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JUDGE_MODEL", raising=False)
    offline = Component("offline")
    assert idle_model_notes(offline) == []
    Path(".env").write_text("TOKEN=x\nJUDGE_MODEL=google/gemini-flash-1.5\n")
    (note,) = idle_model_notes(offline)
    assert "the offline judge, not by JUDGE_MODEL (google/gemini-flash-1.5); --judge openai asks" in note
    assert idle_model_notes(Component("openai")) == []


def test_the_idle_model_is_named_where_nobody_chose_a_judge(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_MODEL", "org/model")
    Path("plain.yaml").write_text("reader: extractive\n")
    Path("chosen.yaml").write_text("judge: offline\n")
    Path("rows.jsonl").write_text('{"lang": "en", "question": "Who?", "reference": "Ann.", "answer": "Ann."}\n')
    run = ["run", "--data", str(small), "--lang", "en", "--limit", "1", "--no-controls", "--check", "none"]
    commands = [
        ([*run, "plain.yaml", "--out", "a"], True),
        ([*run, "chosen.yaml", "--out", "b"], False),
        ([*run, "--judge", "offline", "--out", "c"], False),
        (["judge", "a", "--no-controls"], True),
        (["grade", "rows.jsonl", "--out", "graded.jsonl", "--no-controls"], True),
    ]
    for command, named in commands:
        assert main(command) == 0, command
        assert ("JUDGE_MODEL (org/model)" in capsys.readouterr().err) == named, command

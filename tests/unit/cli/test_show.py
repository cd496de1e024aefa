"""`ragaliq show`: the command from its arguments to what it prints."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragaliq.cli import main
from ragaliq.report.stages import STAGES
from shown_runs import write_shown_run


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    write_shown_run(Path("a"))
    write_shown_run(Path("b"))
    write_shown_run(Path("bare"), verdicts=False)
    write_shown_run(Path("other"), data="other")
    Path("file.txt").touch()


def heads(text: str) -> list[str]:
    return [" ".join(line.split()[3:5]) for line in text.splitlines() if line.startswith("── ")]


def test_the_worst_answers_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "a", "--worst", "2"]) == 0
    out = capsys.readouterr()
    assert out.err == "" and heads(out.out) == ["en q01", "zh q02"]
    assert out.out.startswith("a: 2 worst of 6 graded answers (9 items: 2 unanswerable, 1 without a grade; judge ")
    assert "\x1b" not in out.out


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("show a --lang zh,ru", ["zh q02", "ru q01"]),
        ("show a --grade 0,none", ["en q03", "en q05"]),
        ("show a --query q02", ["en q02", "zh q02"]),
        ("show a --query q02 --worst 1", ["en q02"]),
        ("show a --cause context-cut", ["ru q01"]),
        ("show a --cause Context_Cut", ["ru q01"]),
        ("show a --cause unknown", []),
        ("show a --cause GOLD_NOT_KNOWN", []),
        ("show a --unsupported --lang en", ["en q01", "en q08", "en q02"]),
        ("show a --unanswerable", ["en q08", "en q09"]),
        ("show bare --worst 1", ["en q01"]),
        ("show a b", []),
        ("show a b --query q04", ["en q04"]),
    ],
)
def test_which_items(command: str, expected: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 0
    assert heads(capsys.readouterr().out) == expected


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("show nosuch", "nosuch: no such folder; give a run folder"),
        ("show file.txt", "file.txt: is a file; give a run folder"),
        ("show a --lang xx", "--lang: a has no language 'xx'; known: en, ru, zh"),
        ("show a --query q1", "a: no query 'q1'; the nearest are q01, q02, q03"),
        ("show a --grade 6", "--grade: a grade is 0 to 5, or none, not '6'"),
        ("show a --grade 01", "not '01'"),
        ("show a --grade ,", "not ','"),
        ("show a --cause retreiver", "--cause: unknown stage 'retreiver', did you mean 'retriever'?"),
        ("show a --worst 0", "--worst: a whole number of at least 1 is expected, not '0'"),
        ("show bare --grade 1", "bare: not graded yet; `ragaliq judge bare` grades it"),
        ("show bare --unsupported", "bare: its sentences are not checked yet; `ragaliq check bare` checks them"),
        ("show a bare", "bare: not graded yet"),
        ("show a other", "a and other answer different data; name runs on the same benchmark"),
        ("show a --unanswerable --grade 1", "--unanswerable: such answers count by whether they abstain; leave out"),
        ("show a b --unanswerable", "--unanswerable: such answers are not graded; name one run"),
        ("show a b c", " c; see ragaliq --help"),
    ],
)
def test_bad_input_is_one_line(command: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        assert main(command.split()) == 2
    except SystemExit as stop:
        assert stop.code == 2
    out = capsys.readouterr()
    assert out.out == "" and message in out.err and out.err.count("\n") == 1


def test_a_stage_goes_by_each_of_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    for stage, (name, _) in STAGES.items():
        for text in (name, name.upper(), name.replace(" ", "-"), str(stage)):
            assert main(["show", "a", "--cause", text]) == 0
    assert capsys.readouterr().err == ""


def test_runs_without_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    for more, n_both in (("", 6), ("--lang en", 4), ("--grade 1", 2)):
        assert main(["show", "a", "b", *more.split()]) == 0
        assert capsys.readouterr().out == f"a and b: no grades differ ({n_both} graded in both)\n"


def test_bold_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for variables, bold in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        with monkeypatch.context() as patched:
            patched.setenv("TERM", "xterm")
            for name, value in variables.items():
                patched.setenv(name, value)
            patched.setattr(sys, "stdout", terminal := Terminal())
            assert main(["show", "a", "--worst", "1"]) == 0
        assert ("\x1b[1m" in terminal.getvalue()) is bold


def test_lines_keep_to_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, widest in (("60", 60), ("500", 100), ("3", 50)):
        monkeypatch.setenv("COLUMNS", columns)
        main(["show", "a", "--query", "q03"])
        assert max(map(len, capsys.readouterr().out.splitlines())) == widest


def test_a_reader_who_has_enough_hears_no_complaint(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m ragaliq show a | head -1'
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert done.stderr == "" and done.stdout.startswith("a: 6 worst of 6 graded answers")

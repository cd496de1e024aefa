"""`ragaliq judge-controls --check`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted
from ragaliq.cli import main
from unit.cli.endpoint import alone, judge_server

_ROWS = [{"sentence": number, "support": "supported", "passage": 1} for number in range(1, 10)]
_EVERYTHING = json.dumps({"sentences": _ROWS, "abstains": "no", "in_language": "yes"})


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)


@pytest.mark.slow
def test_the_offline_checker_passes_its_controls(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-controls", "--check", "offline", "--lang", "en,de", "--out", "c.json"]) == 0
    out = capsys.readouterr().out
    assert "Controls of checker offline: passed" in out and "| balanced accuracy" in out
    value = json.loads(Path("c.json").read_text(encoding="utf-8"))
    assert value["passed"] is True and [part["lang"] for part in value["by"]] == ["de", "en", "all"]


def test_a_checker_that_calls_everything_supported_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lambda request, number: Scripted(_EVERYTHING)) as server:
        assert main(["judge-controls", "--check", "openai:m", "--lang", "en", "--format", "json"]) == 1
        assert len(server.requests) == 10
    said = capsys.readouterr()
    (part,) = json.loads(said.out)["by"]
    assert (part["kept"]["value"], part["caught"]["value"], part["balanced_accuracy"]) == (1.0, 0.0, 0.5)
    assert "checker 'openai:m' fails them in en" in said.err


def test_a_checker_that_never_replies_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    with judge_server(lambda request, number: Scripted("no")):
        assert main(["judge-controls", "--check", "openai:m", "--lang", "en"]) == 3
    assert "10 of 10 answers in en have no findings" in capsys.readouterr().err


def test_the_reply_shown_is_one_of_the_language_that_failed(capsys: pytest.CaptureFixture[str]) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        asked = request["messages"][1]["content"]
        german = any(word in asked for word in (" der ", " die ", " das "))
        # Of the German answers one is lost, of the English ones all.
        if not german or not lost:
            lost.append(number)
            return Scripted("nein" if german else "no")
        return Scripted(_EVERYTHING)

    lost: list[int] = []
    with judge_server(reply):
        assert main(["judge-controls", "--check", "openai:m", "--lang", "de,en"]) == 3
    said = capsys.readouterr().err
    assert "10 of 10 answers in en have no findings" in said and said.rstrip().endswith("such as: no")


def test_what_makes_no_sense_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    cases = [
        (["--check", "offline", "--attacks"], "--attacks"),
        (["--check", "offline", "--judge", "offline"], "--judge"),
        (["--check", "offline", "--lang", "tr"], "--lang tr"),
        (["--check", "guess"], "guess"),
    ]
    for options, named in cases:
        assert main(["judge-controls", *options]) == 2, options
        assert named in capsys.readouterr().err, options

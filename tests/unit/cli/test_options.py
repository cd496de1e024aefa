"""Options that several commands have mean the same in each."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from ragaliq.cli import main
from ragaliq.cli.options import add_calls, command_session
from ragaliq.text.sentence_encoder import encode

NEEDED = {
    "agree": ["verdicts", "labels"],
    "compare": ["a", "b"],
    "retrieve": ["--data", "d", "--out", "r", "--retriever", "bm25"],
    "review": ["runs"],
}


def test_an_earlier_address_is_one_and_is_never_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for options, told in (
        (["--cache-from", "h/v1?key=s3cret"], "--cache-from: an http:// or https:// address is expected"),
        (["--cache-from", "http://h/v1", "--no-cache"], "--no-cache: "),
    ):
        for command in ("run", "plan", "judge", "check", "grade", "judge-controls"):
            with pytest.raises(SystemExit, match="2"):
                main([command, *NEEDED.get(command, ["in.jsonl"] if command == "grade" else []), *options])
            (line,) = capsys.readouterr().err.splitlines()
            assert told in line and "s3cret" not in line, command


def test_a_seed_is_a_whole_number_from_0_on(capsys: pytest.CaptureFixture[str]) -> None:
    for command, needed in NEEDED.items():
        for seed in ("-1", "x", "1.5"):
            with pytest.raises(SystemExit, match="2"):
                main([command, *needed, f"--seed={seed}"])
            (line,) = capsys.readouterr().err.splitlines()
            assert f"--seed: must be a whole number of at least 0, not '{seed}'" in line, command


def test_a_command_keeps_the_vectors_of_sentences_and_the_library_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    add_calls(parser)
    encode(["The lighthouse closes before the last ferry."])
    assert not any(tmp_path.iterdir())
    with command_session(parser.parse_args([])):
        encode(["The lighthouse opens after the first ferry."])
    encode(["The lighthouse is closed in winter."])
    assert [path.name for path in (tmp_path / ".ragaliq").iterdir()] == ["vectors.sqlite"]

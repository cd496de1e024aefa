from __future__ import annotations

import pytest

from ragaliq.cli import main

LATER = [("index data --out i", "index")]


@pytest.mark.parametrize(("command", "name"), LATER)
def test_what_is_announced_says_that_it_comes_later(
    command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(command.split())
    assert stop.value.code == 2
    assert capsys.readouterr().err == f"ragaliq: {name}: comes with a later version; see ragaliq --help\n"


def test_a_stage_of_the_builder_says_that_it_comes_later(capsys: pytest.CaptureFixture[str]) -> None:
    for stage in ("topics",):
        assert main(["build", stage, "--bench", "b"]) == 2
        assert capsys.readouterr().err == f"ragaliq: build {stage}: comes with a later version\n"


def test_help_names_it_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands, later = " ".join(capsys.readouterr().out.split()).split("With a later version come: ")
    assert later.startswith("index; build topics")
    assert " index " not in commands

from __future__ import annotations

import pytest

from ragaliq.cli import main


def test_a_stage_of_the_builder_says_that_it_comes_later(capsys: pytest.CaptureFixture[str]) -> None:
    for stage in ("topics",):
        assert main(["build", stage, "--bench", "b"]) == 2
        assert capsys.readouterr().err == f"ragaliq: build {stage}: comes with a later version\n"


def test_help_names_it_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    commands, later = " ".join(capsys.readouterr().out.split()).split("With a later version comes: ")
    assert later == "build topics."
    assert " index " in commands and " merge " in commands

"""Options that a stage of `ragaliq build` would ignore are refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.cli import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check-translation", "--dry-run"], "build check-translation: takes no --dry-run; leave it out"),
        (["check-translation", "--retire", "foo"], "--retire is for `ragaliq build update`"),
        (["check-translation", "--lang", "xx"], "build check-translation: takes no --lang; leave it out"),
        (["check-translation", "--to", "fr"], "build check-translation: takes no --to; leave it out"),
        (["translate", "--export", "out", "--dry-run"], "build translate --export: takes no --dry-run"),
        (["translate", "--export", "out", "--rater", "ida"], "--rater is for `ragaliq build translate --import`"),
        (["translate", "--import", "a.xlf", "--from", "."], "build translate --import: takes no --from"),
        (["translate", "--source-lang", "en"], "--source-lang is for `ragaliq build check-translation` of a finished"),
        (["all", "--source-lang", "xx"], "--source-lang is for `ragaliq build check-translation` of a finished"),
        (["all", "--match", "human"], "build all: --match is for `ragaliq build certify`"),
        (["audit", "--backend", "scripted"], "build audit: takes no --backend; leave it out"),
        (["certify", "--export", "out"], "build certify: --export is for `ragaliq build translate`"),
        (["update", "--rater", "ida"], "build update: --rater is for `ragaliq build translate --import`"),
    ],
)
def test_an_option_of_another_stage_is_refused(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bench.json").write_text("{}")
    assert main(["build", *arguments, "--bench", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_the_stage_in_a_build_takes_the_options_of_stages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "build.yaml").write_text("name: x\n")
    assert main(["build", "check-translation", "--backend", "scripted", "--bench", str(tmp_path)]) == 2
    assert "does not ask for it" in capsys.readouterr().err
    assert main(["build", "check-translation", "--source-lang", "en", "--bench", str(tmp_path)]) == 2
    assert "--source-lang is for" in capsys.readouterr().err

import json
from pathlib import Path

import pytest

from ragaliq.cli import main
from small import write_small


def test_without_a_review_it_says_how_to_review(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_small(tmp_path / "bench")
    assert main(["build", "audit", "--bench", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("parity: not compared: ")
    assert f"`ragaliq review {folder} --task nuggets`" in out
    assert f"`ragaliq review {folder} --task support`" in out
    assert json.loads((folder / "audit.json").read_text(encoding="utf-8"))["nuggets"] == []
    assert str(folder) not in (folder / "audit.md").read_text(encoding="utf-8")


def test_a_folder_without_a_benchmark_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "audit", "--bench", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.count("\n") == 1

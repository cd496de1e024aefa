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


def test_a_folder_in_another_layout_is_refused_by_its_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "corpus.jsonl").write_text("{}")
    assert main(["build", "audit", "--bench", str(tmp_path)]) == 2
    assert "--bench" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "text"), [("audit.md", "My notes"), ("audit.json", '{"mine": 1}')])
def test_a_file_of_another_hand_is_not_replaced(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_small(tmp_path / "bench")
    (folder / name).write_text(text)
    assert main(["build", "audit", "--bench", str(folder)]) == 2
    assert f"{name}: would be replaced, but ragaliq did not write it" in capsys.readouterr().err
    assert (folder / name).read_text() == text
    (folder / name).unlink()
    assert main(["build", "audit", "--bench", str(folder)]) == 0
    assert main(["build", "audit", "--bench", str(folder)]) == 0, "its own files are replaced"

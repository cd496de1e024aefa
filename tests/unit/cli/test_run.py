"""`ragaliq run` and `ragaliq plan` take the same options for the same run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragaliq.cli import main


def test_a_plan_looks_for_an_edition_where_its_run_is(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(small, "bench")
    head = json.loads(Path("bench/bench.json").read_text(encoding="utf-8"))
    Path("bench/bench.json").write_text(json.dumps({**head, "version": "1.0+7"}), encoding="utf-8")
    options = ["--data", "bench", "--lang", "zh", "--limit", "1"]
    assert main(["run", *options]) == 0
    (run,) = [path.name for path in Path("results").iterdir() if path.is_dir()]
    assert f"{head['name']}-7_" in run
    capsys.readouterr()
    assert main(["plan", *options]) == 0
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in capsys.readouterr().out.splitlines()]
    assert [row[2] for row in rows if row[0] in ("reader", "judge")] == ["0", "0"]


def test_in_a_folder_of_the_ragaliq_sources_their_questions_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("data", "other"):
        Path(folder).mkdir()
        rows = [{"question": "Which colour has the roof?", "answer": "Blue."}]
        Path(folder, "questions_en.json").write_text(json.dumps(rows))
        Path(folder, "orientation_en.md").write_text("The roof is blue.\n")
    Path("mine.md").write_text("The roof is red.\n")
    expected = {
        (): ("data", ""),
        ("--knowledge_base", "data/orientation_en.md"): ("data", ""),
        ("--knowledge_base", "other/orientation_{lang}.md"): ("other", ""),
        ("--knowledge_base", "mine.md"): ("data", "mine.md"),
        ("--data", "other"): ("other", ""),
        ("--data", "other", "--knowledge_base", "data/orientation_en.md"): ("other", "data/orientation_en.md"),
    }
    for number, (options, (data, knowledge_base)) in enumerate(expected.items()):
        out = f"runs/{number}"
        assert main(["run", "--lang", "en", "--no-judge", "--check", "none", "--out", out, *options]) == 0
        recorded = json.loads(Path(out, "config.json").read_text(encoding="utf-8"))["data"]
        assert Path(recorded["path"]).name == data, options
        assert recorded.get("knowledge_base", "") == knowledge_base
        note = f"note: the questions are those of the folder '{data}'; --data names another benchmark"
        assert (note in capsys.readouterr().err) == ("--data" not in options)

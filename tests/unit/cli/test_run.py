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

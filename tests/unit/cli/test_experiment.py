"""`ragaliq experiment`: a file, a folder, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.cli import main
from unit.experiment.small import write_own


def test_a_file_becomes_runs_measures_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_own(tmp_path / "data")
    Path("sizes.yaml").write_text(
        "data: data\nlanguages: [ru, zh]\noracle: true\nsystems: [{retriever: char, title: [true, false]}]\n"
    )
    assert main(["experiment", "sizes.yaml"]) == 0
    out, err = capsys.readouterr()
    # One line for all that is done, and none for each run: this is no terminal.
    assert [line.split(" in ")[0] for line in err.splitlines() if "/s" in line] == ["systems × languages: 10/10"]
    assert [line.split()[0] for line in out.splitlines() if "best system" in line] == ["ru", "zh"]
    assert "report: results/sizes/retrieval.md" in out
    folder = Path("results/sizes")
    rows = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["systems"]
    assert [row["name"] for row in rows][:3] == ["bm25", "char", "char-no-title"]
    assert [row["role"] for row in rows] == ["baseline", "system", "system", "oracle", "oracle"]
    page = (folder / "retrieval.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("#")] == [
        "# Retrieval: sizes", "## Languages: alpha_nDCG@10", "## ru", "## zh", "## Contamination",
        "## Systems",
    ]  # fmt: skip
    assert main(["experiment", "sizes.yaml", "--out", "results/sizes"]) == 0


def test_a_mistake_in_the_file_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text("data: d\nsystems: [bm25]\noracel: true\n")
    assert main(["experiment", "bad.yaml"]) == 2
    assert capsys.readouterr().err == "ragaliq: bad.yaml:3: unknown key 'oracel'; did you mean 'oracle'?\n"
    Path("parts.yaml").write_text("data: d\nsystems: [{retriever: bm25, rerank: lexicla}]\n")
    assert main(["experiment", "parts.yaml"]) == 2
    captured = capsys.readouterr()
    assert "parts.yaml:2: reranker 'lexicla': unknown kind 'lexicla'" in captured.err
    assert list(tmp_path.glob("results")) == []


@pytest.mark.slow
def test_on_the_sample_an_oracle_is_a_ceiling_and_a_large_window_costs_places(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    systems = "[{retriever: hybrid, chunk_tokens: [null, 128]}]"
    text = f"data: {sample}\nlanguages: [zh]\nmeasures: [nDCG@10]\noracle: true\nsystems: {systems}\n"
    Path("v.yaml").write_text(text, encoding="utf-8")
    assert main(["experiment", "v.yaml"]) == 0
    values = json.loads(Path("results/v/metrics.json").read_text(encoding="utf-8"))
    rows = {row["system"]: row["measures"]["nDCG@10"] for row in values["languages"]["zh"]["rows"]}
    assert rows["bm25"] > 0.65
    assert rows["hybrid-oracle-nuggets"] > rows["hybrid"] > rows["hybrid-128-tokens"]

"""The reference benchmark and its logs, where the shared data are there."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

from ragaliq.aggregate.summary import Summary, summarise_path
from ragaliq.cli import main

pytestmark = pytest.mark.shared

# What plain BM25 over windows of three lines reaches about, and ten points more where there was room.
LEAST_EVIDENCE = {"en": 0.82, "de": 0.76, "fr": 0.76, "es": 0.71, "ru": 0.65, "zh": 0.52}
MOST_CHARS = {"en": 4500, "de": 4500, "fr": 4500, "es": 4500, "ru": 4500, "zh": 1500}


@pytest.mark.slow
def test_the_reference_benchmark_is_answered_from_good_evidence(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    data = shared_data / "ragaliq" / "data"
    assert main(["run", "--lang", "all", "--data", str(data), "--out", "run"]) == 0
    aggregates = json.loads(Path("run/metrics.json").read_text())["aggregates"]
    assert {row["lang"]: (row["n_expected"], row["coverage"]) for row in aggregates} == {
        lang: (70, 1.0) for lang in LEAST_EVIDENCE
    }
    capsys.readouterr()
    evidence = _tool(shared_data.parent / "tools" / "evidence.py")
    evidence.main("run", str(data))
    found = json.loads(capsys.readouterr().out)
    assert {lang: row["n"] for lang, row in found.items()} == dict.fromkeys(LEAST_EVIDENCE, 70)
    assert {lang: row["evidence"] for lang, row in found.items() if row["evidence"] < LEAST_EVIDENCE[lang]} == {}
    rows = [json.loads(line) for line in Path("run/answers.jsonl").read_text(encoding="utf-8").splitlines()]
    longest = {lang: 0 for lang in MOST_CHARS}
    for row in rows:
        longest[row["lang"]] = max(longest[row["lang"]], sum(len(hit["text"]) for hit in row["context"]))
    assert {lang: n for lang, n in longest.items() if n > MOST_CHARS[lang]} == {}


def test_aggregates_of_the_reference_logs_are_those_published(shared_data: Path) -> None:
    names = {
        "weighted_score": "weighted_score", "language_consistency_score": "language_consistency",
        "mean_grade": "mean_nonzero", "median_grade": "median_nonzero", "percentage": "percentage",
        "percentage_with_zero": "percentage_with_zero",
    }  # fmt: skip
    published = _published(shared_data / "ragaliq" / "results_visible.md")
    logs = sorted((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*.json"))
    assert len(logs) == len(published) == 12
    for log in logs:
        _, _, _, lang, reader, embedder, reranker, _ = log.stem.split("_")
        row = published[lang, reader, embedder, reranker]
        ours = _summary(log).to_json()
        assert {column: f"{ours[name]:g}" for column, name in names.items()} == {c: row[c] for c in names}
        assert {grade: str(count) for grade, count in ours["counts"].items()} == {g: row[g] for g in "543210"}


def test_the_report_of_the_reference_logs_holds_every_figure_published(shared_data: Path, tmp_path: Path) -> None:
    published = _published(shared_data / "ragaliq" / "results_visible.md")
    logs = sorted((shared_data / "ragaliq" / "logs" / "eval").glob("eval_res_*.json"))
    assert main(["report", *map(str, logs), "--out", str(tmp_path)]) == 0
    ours = _published(tmp_path / "results.md")
    assert len(published) == len(ours) == 12
    for system, row in published.items():
        for column, value in row.items():
            shown = ours[system][column]
            # As published, to the digits shown.
            decimal = re.fullmatch(r"\d+\.(\d+)", shown)
            assert shown == (f"{float(value):.{len(decimal[1])}f}" if decimal else value), (system, column)
    lang, reader, embedder = "en", "Vikhr-Gemma-2B-instruct", "bge-large-en-v1.5"
    lost = ours[lang, reader, embedder, "bge-reranker-v2-m3"]
    assert (lost["n"], lost["coverage"], lost["judge"]) == ("69/70", "0.986", "qwen/qwen-2.5-72b-instruct")
    # Both list the systems of a language in the same order, best first.
    assert [system for system in published if system[0] == "en"] == [system for system in ours if system[0] == "en"]


def test_a_lost_verdict_shows_in_coverage_and_bounds(shared_data: Path) -> None:
    name = "eval_res_questions_en_Vikhr-Gemma-2B-instruct_bge-large-en-v1.5_bge-reranker-v2-m3_en.json"
    values = _summary(shared_data / "ragaliq" / "logs" / "eval" / name, 70).aggregates
    # 37 fives, 9 fours, 15 threes, 2 twos, 3 ones, 3 zeros; one verdict is lost.
    total = 37 * 1 + 9 * 0.8 + 15 * 0.6 + 2 * 0.2 + 3 * 0.0 + 3 * 0.4
    assert values.coverage == 69 / 70
    assert values.weighted_score_bounds is not None
    assert values.weighted_score_bounds.low == pytest.approx((total / 70) ** 2, rel=1e-12)
    assert values.weighted_score_bounds.high == pytest.approx(((total + 1) / 70) ** 2, rel=1e-12)


def _summary(path: Path, n_expected: int | None = None) -> Summary:
    (summary,) = summarise_path(path, n_expected)
    return summary


def _published(path: Path) -> dict[tuple[str, str, str, str], dict[str, str]]:
    rows = {}
    header: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "model_name":
            header = cells
        elif not line:
            header = []
        elif header and line.startswith("| "):
            row = dict(zip(header, cells, strict=True))
            rows[row["lang"], row["model_name"], row["embedder_name"], row["reranker_name"]] = row
    return rows


def _tool(path: Path):  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

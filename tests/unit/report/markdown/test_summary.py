"""results.md for readers: the summary first, then what it shows, and a legend that explains every column once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.compare.results import compare_results
from ragaliq.report.findings import finding_sentences
from ragaliq.report.markdown.results import render_results
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import read_json, write_json

# Better than the second on every query; the third lies between them.
GOOD, BAD, BETWEEN = [5] * 12, [1] * 11 + [5], [5] * 9 + [4] * 3


def results_of(*folders: RunFolder) -> Any:
    return compare_results(list(map(read_figures, folders)), 0.95, Path("none"))


def tables_of(text: str) -> list[list[list[str]]]:
    """The tables of a file: rows of cells, the header first, then that which aligns the columns."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text + "\n", re.MULTILINE)
    return [[[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()] for block in blocks]


def summary(text: str) -> dict[str, dict[str, str]]:
    head, _, *rows = tables_of(text)[0]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def stage(value: float, n: int = 1) -> dict[str, Any]:
    return {"value": value, "ci": [0.0, 1.0], "n": n, "first": None, "last": None}


def waterfall(stages: dict[str, float], apart: list[dict[str, Any]]) -> dict[str, Any]:
    loss = sum(stages.values())
    condition = {"n": 12, "n_expected": 12, "mean_weight": 0.5, "ci": [0.4, 0.6], "n_right": 6}
    return {
        "n": 12, "n_expected": 12, "coverage": 1.0, "loss": {"value": loss, "ci": [0.0, 1.0]},
        "stages": {name: stage(value) for name, value in stages.items()},
        "main": max(stages, key=lambda name: stages[name]), "apart": apart,
        "conditions": {name: condition for name in ("none", "run", "gold")},
        "steps": [{"from": "none", "to": "run", "difference": 0.25, "ci": [0.125, 0.375], "n": 12},
                  {"from": "run", "to": "gold", "difference": -0.125, "ci": None, "n": 12}],
    }  # fmt: skip


def rich_run(path: Path) -> RunFolder:
    """A run with everything that a table can show."""
    folder = write_graded_run(path, {"en": GOOD, "zh": BAD})
    figure = {"value": 0.5, "ci": [0.4, 0.6], "n": 3}
    of = {"n": 3, "n_expected": 4}
    apart = [{"stage": "retriever", "difference": 0.25, "ci": [0.1, 0.4], "p": 0.01, "n": 12}]
    parts = {
        "groundedness": {**of, "checkers": ["c"], "supported": figure, "contradicted": figure,
                         "median_characters": 9.0},
        "nuggets": {**of, "matchers": ["m"], "vital_strict": figure, "all": figure},
        "context": {**of, "judges": ["j"], "precision": figure, "recall": figure},
        "citations": {**of, "precision": figure, "recall": figure},
        "overlap": {"n": 3, "measures": {name: {"mean": 0.5, "rho": None} for name in
                                         ("exact_match", "token_f1", "rouge_l", "chrf", "trigram_recall")}},
        "language": {name: {"value": 1.0, "n_decided": 3} for name in ("answers", "lines", "words")},
    }  # fmt: skip
    metrics: dict[str, Any] = {name: {"en": own, "zh": own} for name, own in parts.items()}
    metrics["waterfall"] = {
        "en": waterfall({"retriever": 0.0, "reader": 0.25}, []),
        "zh": waterfall({"retriever": 0.5, "reader": 0.25}, apart),
        "all": waterfall({"retriever": 0.25, "reader": 0.25}, []),
    }
    write_json(folder.metrics_file, metrics)
    config = read_json(folder.config_file)
    config["expected"]["en"] = {"answerable": 12, "unanswerable": 1}
    write_json(folder.config_file, config)
    return folder


def test_the_summary_comes_first_with_a_row_for_each_system_best_first(tmp_path: Path) -> None:
    grades = {"bad": {"en": BAD, "zh": BAD}, "good": {"en": GOOD, "zh": BETWEEN}}
    results = results_of(*(write_graded_run(tmp_path / name, own) for name, own in grades.items()))
    text = render_results(results)
    assert [block.split(" ")[0] for block in text.split("\n\n")[:4]] == ["#", "Data", "|", "-"]
    rows = summary(text)
    assert list(rows) == ["good", "bad"]
    # (12 · 1 + 9 · 1 + 3 · .8) / 24 = .975, squared .95; in zh (9 + 2.4) / 12 = .95, squared .90
    assert [rows["good"][name].strip("*")[:3] for name in ("all", "zh")] == [".95", ".90"]
    assert rows["good"]["en"].startswith("**1.00 ±") and not rows["bad"]["en"].startswith("**")
    assert [rows[name]["rank"] for name in rows] == ["1", "2"]
    interval = results.overview.systems[0].pooled.ci
    assert rows["good"]["all"] == f"**.95 ±{interval.half_width:.2f}**".replace("0.", ".")


def test_a_language_that_not_all_systems_have_is_in_its_column_alone(tmp_path: Path) -> None:
    one = write_graded_run(tmp_path / "one", {"en": GOOD, "zh": BAD})
    rows = summary(render_results(results_of(one, write_graded_run(tmp_path / "two", {"en": BAD}))))
    assert rows["one"]["all"] == rows["one"]["en"] and rows["two"]["zh"] == "—"
    apart = [write_graded_run(tmp_path / name, {lang: GOOD}) for name, lang in (("a", "en"), ("b", "zh"))]
    results = results_of(*apart)
    assert "all" not in summary(render_results(results))["a"]
    (said,) = finding_sentences(results.findings)
    assert said == "Best: not known, because too few answers have a grade, or the systems share no language."


def test_every_column_of_every_table_is_explained_once(tmp_path: Path) -> None:
    text = render_results(results_of(rich_run(tmp_path / "a"), write_graded_run(tmp_path / "b", {"en": BAD})))
    body, _, legend = text.partition("\n# Legend\n")
    columns = {cell for table in tables_of(body) for cell in table[0]} - {"en", "zh", "all"}
    assert {"stage", "gain", "context recall", "citation recall", "fails only here", "USD/query"} <= columns
    entries = re.findall(r"^- ((?:`[^`]+`(?:, )?)+): ", legend, re.MULTILINE)
    explained = Counter(name for entry in entries for name in re.findall(r"`([^`]+)`", entry))
    assert [name for name, count in explained.items() if count > 1] == [] == sorted(columns - set(explained))


def test_numbers_are_aligned_to_the_right_and_names_to_the_left(tmp_path: Path) -> None:
    text = render_results(results_of(rich_run(tmp_path / "a"), write_graded_run(tmp_path / "b", {"en": BAD})))
    names = {
        "run", "model_name", "embedder_name", "reranker_name", "lang", "judge", "reader", "retriever", "embedder",
        "reranker", "kb_lang", "stage", "condition",
    }  # fmt: skip
    for head, align, *_ in tables_of(text):
        assert all(mark.startswith(":") == (name in names) for name, mark in zip(head, align, strict=True)), head


def test_no_paragraph_stands_twice(tmp_path: Path) -> None:
    text = render_results(results_of(rich_run(tmp_path / "a"), rich_run(tmp_path / "b")))
    lines = [line for line in text.splitlines() if line and not line.startswith(("|", "Ranks over", "- Fails", "- 12"))]
    assert [line for line, count in Counter(lines).items() if count > 1] == []


def test_losses_stand_by_stage_and_language_and_add_up(tmp_path: Path) -> None:
    text = render_results(results_of(rich_run(tmp_path / "a")))
    part = text.partition("### Losses of a\n")[2]
    stages, conditions = tables_of(part)[:2]
    assert stages[0] == ["stage", "all", "en", "zh"]
    assert stages[2:] == [
        ["retriever", ".25 ±.50", ".00", "**.50**"], ["reader", ".25 ±.50", ".25", ".25"],
        ["sum", ".50 ±.50", ".25", ".75"],
        ["n", "12/12", "12/12", "12/12"],
    ]  # fmt: skip
    assert [(row[0], row[3]) for row in conditions[2:]] == [
        ("no context", "—"), ("run", "+0.250 (+0.125 … +0.375)"), ("gold context", "-0.125"),
    ]  # fmt: skip
    assert "Where the points go" not in render_results(results_of(write_graded_run(tmp_path / "b", {"en": BAD})))


@pytest.mark.parametrize("name", ["metrics", "stage"])
def test_a_waterfall_of_another_version_breaks_nothing(tmp_path: Path, name: str) -> None:
    folder = rich_run(tmp_path / "a")
    metrics = read_json(folder.metrics_file)
    if name == "metrics":
        del metrics["waterfall"]["all"]
    else:
        metrics["waterfall"]["all"]["stages"]["chunker"] = stage(0.1)
        metrics["waterfall"]["zh"] |= {
            "main": "chunker",
            "apart": [{"stage": "chunker", "difference": 1.0, "ci": None, "p": 0.0, "n": 12}],
        }
    write_json(folder.metrics_file, metrics)
    assert "chunker" not in render_results(results_of(folder))

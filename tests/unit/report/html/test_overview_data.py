"""The page's figures are those of the records, and a headline that is withheld is nowhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import load_run
from ragaliq.compare.results import compare_results
from ragaliq.report.html.overview_data import overview_to_json
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import write_json
from ragaliq.types import LossStage

TWO = {"en": [5, 4, 3, 2, 1, 0, 5, 5], "de": [4, 4, 3, 2, 1, 0, 0, 0]}

LOSS = {"n": 8, "n_expected": 8, "coverage": 1.0, "loss": {"value": 0.5, "ci": None}, "stages": {}, "main": None,
        "apart": [], "conditions": None, "steps": None}  # fmt: skip
DEPTHS = {"n": 8, "depths": [1], "ranked": [0.5], "retrieved": None, "shown": 0.5, "context_k": 1}


def overview_of(*runs: RunFolder, min_coverage: float = 0.95) -> dict[str, Any]:
    figures = {run.path.name: load_run(run.path) for run in runs}
    overview = overview_to_json(compare_results(list(figures.values()), min_coverage, Path("nowhere")), figures)
    # What the page reads is JSON.
    return dict(json.loads(json.dumps(overview, allow_nan=False)))


def test_a_cell_holds_a_languages_aggregates(tmp_path: Path) -> None:
    run = write_graded_run(tmp_path / "a", TWO)
    write_json(
        run.metrics_file,
        {
            "groundedness": {"en": {"n": 8, "n_expected": 8, "median_characters": 3,
                                    "supported": {"value": 0.5, "ci": [0.25, 0.75]}}},
            "waterfall": {"en": LOSS, "all": LOSS},
            "retrieval": {"en": DEPTHS},
        },
    )  # fmt: skip
    system = overview_of(run)["systems"][0]
    cell = system["by_lang"]["en"]
    summary = load_run(run.path).summaries["en"].aggregates
    assert cell["score"] == summary.weighted_score == pytest.approx(((1 + 0.8 + 0.6 + 0.2 + 0 + 0.4 + 1 + 1) / 8) ** 2)
    assert summary.weighted_score_ci is not None
    assert cell["ci"] == list(summary.weighted_score_ci)
    assert [end**2 for end in cell["mean_weight_ci"]] == pytest.approx(cell["ci"])
    assert cell["counts"] == [1, 1, 1, 1, 1, 3]
    assert (cell["n"], cell["n_expected"], cell["coverage"], cell["withheld"]) == (8, 8, 1.0, False)
    assert cell["seconds"] == {"n": 8, "median": 0.5, "p95": 0.5}
    assert cell["supported"] == {"value": 0.5, "ci": [0.25, 0.75], "n": 8}
    assert (cell["waterfall"], cell["retrieval"]) == (LOSS, DEPTHS)
    assert system["by_lang"]["de"]["waterfall"] is None
    assert (system["reader"], system["embedder"], system["judge"]) == ("fake:a", "fake", "offline")


def test_too_few_grades_withhold_the_headline(tmp_path: Path) -> None:
    cell = overview_of(write_graded_run(tmp_path / "a", {"en": [5, None, 3, 4]}))["systems"][0]["by_lang"]["en"]
    assert [cell[key] for key in ("score", "ci", "mean_weight", "mean_weight_ci")] == [None] * 4
    assert (cell["withheld"], cell["n"], cell["n_expected"], cell["coverage"]) == (True, 3, 4, 0.75)


def test_ranks_gaps_and_languages(tmp_path: Path) -> None:
    runs = [write_graded_run(tmp_path / "a", TWO), write_graded_run(tmp_path / "b", {k: [1] * 8 for k in TWO})]
    overview = overview_of(*runs)
    cells: Sequence[dict[str, Any]] = [system["by_lang"]["en"] for system in overview["systems"]]
    assert all(1 <= cell["rank"][0] <= cell["rank"][1] <= 2 for cell in cells)
    assert overview["languages"] == [
        {"code": "en", "name": "English", "dir": "ltr"},
        {"code": "de", "name": "German", "dir": "ltr"},
    ]
    gap = overview["gaps"][0]
    assert (gap["system"], gap["n"], set(gap["languages"])) == ("a", 8, {"en", "de"})
    assert gap["pairs"][0].keys() == {"lang", "against", "difference", "ci", "p"}


def test_a_judges_grades_and_stages_are_explained(tmp_path: Path) -> None:
    overview = overview_of(write_graded_run(tmp_path / "a", TWO, prompt_hash="0123456789"))
    assert [grade["grade"] for grade in overview["grades"]] == [5, 4, 3, 2, 1, 0]
    assert [grade["weight"] for grade in overview["grades"]] == [1.0, 0.8, 0.6, 0.2, 0.0, 0.4]
    assert [stage["id"] for stage in overview["stages"]] == list(LossStage)
    assert overview["judges"] == ["offline 01234567: no certificate; `ragaliq agree --certificate` makes one"]


def test_what_limits_a_comparison_is_said(tmp_path: Path) -> None:
    runs = [write_graded_run(tmp_path / name, {"en": [5, 3]}, judge=name) for name in ("one", "two")]
    runs.append(write_graded_run(tmp_path / "three", {"en": [5]}, judge="one"))
    notes = overview_of(*runs)["notes"]
    assert notes == [
        "en: graded by different judges (one, two); the order is not a ranking.",
        "en: the systems answer different numbers of queries; the order is not a ranking.",
    ]


def test_a_published_set_comes_with_its_caveat(tmp_path: Path) -> None:
    run = write_graded_run(tmp_path / "a", {"en": [5, 3]})
    config = run.config()
    write_json(run.config_file, {**config, "data": {**config["data"], "name": "scifact"}})
    (note,) = overview_of(run)["notes"]
    assert note.startswith("Contamination: scifact: questions and judgements of")


def test_a_matrix_names_its_cells(tmp_path: Path) -> None:
    runs = []
    for kb_lang in ("en", "de"):
        run = write_graded_run(tmp_path / kb_lang, TWO)
        config = run.config()
        reader = {"kind": "fake", "model": "r"}
        write_json(run.config_file, {**config, "system": {**config["system"], "reader": reader, "kb_lang": kb_lang}})
        runs.append(run)
    (matrix,) = overview_of(*runs)["matrices"]
    assert (matrix["system"], matrix["rows"], matrix["columns"]) == (
        "fake:r, fake, fake, fake",
        ["en", "de"],
        ["en", "de"],
    )
    assert len(matrix["cells"]) == 4
    assert matrix["cells"][0].keys() == {"row", "column", "mean_weight", "n", "n_expected", "retrieved"}

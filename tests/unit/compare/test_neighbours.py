"""A run's neighbours: those on the same data, and a broken one stops nobody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import write_run_folder
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.compare.neighbours import runs_beside
from ragaliq.storage.files import read_json, write_json

FIGURE = {"value": 0.5, "ci": [0.4, 0.6]}
CHECKED = {"n": 1, "n_expected": 1, "median_characters": 9.0}


def left_out(tmp_path: Path) -> str:
    beside = runs_beside(read_figures(write_run_folder(tmp_path / "a", [5])))
    assert [run.name for run in beside.same] == ["a"]
    assert beside.others == (tmp_path / "broken",)
    (why,) = beside.broken.values()
    return why


@pytest.mark.parametrize("text", ["", "{", "[" * 10_000, '{"expected": {}, "data": {}}', '{"judge": null}', "[]"])
def test_a_broken_configuration_beside_is_named(tmp_path: Path, text: str) -> None:
    write_run_folder(tmp_path / "broken", [5]).config_file.write_text(text)
    assert "broken/config.json: " in left_out(tmp_path)


@pytest.mark.parametrize(
    ("metrics", "place"),
    [
        ([], "must be an object"),
        ({"overlap": {"en": {}}}, "'overlap.en.n' is missing"),
        (
            {"overlap": {"en": {"n": 1, "measures": {"chrf": {"mean": None, "rho": None}}}}},
            "'overlap.en.measures.chrf.mean",
        ),
        ({"overlap": []}, "'overlap' must be an object"),
        ({"groundedness": {"en": {"n": 1, "n_expected": 1}}}, "'groundedness.en.median_characters' is missing"),
        (
            {"groundedness": {"en": {**CHECKED, "supported": {"value": 0.5}}}},
            "'groundedness.en.supported.ci'",
        ),
        (
            {"citations": {"en": {"n": 1, "n_expected": 1, "precision": FIGURE, "recall": FIGURE}}},
            "'citations.en.recall.n'",
        ),
        (
            {"language": {"en": {"answers": {"value": "x", "n_decided": 1}}}},
            "'language.en.answers.value' must",
        ),
        (
            {"nuggets": {"en": {"n": 1, "n_expected": 1, "matchers": [["x"]]}}},
            "'nuggets.en.matchers[1]' must",
        ),
    ],
)
def test_broken_figures_beside_are_named(tmp_path: Path, metrics: Any, place: str) -> None:
    write_json(write_run_folder(tmp_path / "broken", [5]).metrics_file, metrics)
    assert f"broken/metrics.json: not the figures of a run ({place}" in left_out(tmp_path)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("answers.jsonl", '{"query_id": "q1"}'),
        ("verdicts.jsonl", '{"query_id": []}'),
        ("timings.jsonl", '{"lang": "en", "query_id": "q1", "seconds": 1' + "0" * 400 + "}"),
    ],
)
def test_a_broken_row_beside_is_named(tmp_path: Path, name: str, line: str) -> None:
    (write_run_folder(tmp_path / "broken", [5]).path / name).write_text(line + "\n")
    assert f"broken/{name}:1: not a row of this file" in left_out(tmp_path)


def test_broken_rankings_beside_a_run_across_languages_are_named(tmp_path: Path) -> None:
    here = write_run_folder(tmp_path / "a", [5])
    config = read_json(here.config_file)
    broken = write_run_folder(tmp_path / "broken", [5])
    broken.retrieval_file("en").write_text("no run\n")
    assert [run.name for run in runs_beside(read_figures(here)).same] == ["a", "broken"]
    write_json(here.config_file, {**config, "system": {**config["system"], "kb_lang": "de"}})
    beside = runs_beside(read_figures(here))
    assert [run.name for run in beside.same] == ["a"]
    assert "retrieval.en.trec:1" in json.dumps([*beside.broken.values()])


def test_a_folder_whose_name_is_no_text_is_left_out(tmp_path: Path) -> None:
    write_run_folder(tmp_path / "d\udcff", [5])
    beside = runs_beside(read_figures(write_run_folder(tmp_path / "a", [5])))
    assert beside.broken == {tmp_path / "d\\udcff": "its name is not UTF-8; rename it"}
    assert beside.others == (tmp_path / "d\\udcff",)

"""The summary of runs: scores over the languages that all share, counts and times over all of a run's own."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fakes import answered, write_run_folder
from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.compare.overview.cost import reader_cost
from ragaliq.compare.overview.systems import Overview
from ragaliq.compare.results import compare_results
from ragaliq.metrics.statistics.intervals import share_interval, weight_interval
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import read_json, write_json, write_jsonl

GOOD, BAD = [5] * 12, [1] * 11 + [5]


def overview(*folders: RunFolder) -> Overview:
    return compare_results(list(map(read_figures, folders)), 0.95, Path("none")).overview


def test_the_languages_of_a_query_are_one_cluster(tmp_path: Path) -> None:
    draw = random.Random(0)
    grades = {lang: [draw.choice((0, 1, 2, 3, 4, 5)) for _ in range(60)] for lang in ("en", "zh")}
    (system,) = overview(write_graded_run(tmp_path / "a", grades)).systems
    assert system.pooled is not None
    values = system.pooled.summary.aggregates
    assert (values.n_scored, values.n_expected, sum(values.counts.values())) == (120, 120, 120)
    queries = [f"q{n:02}" for n in range(1, 61)] * 2
    expected = weight_interval(grades["en"] + grades["zh"], clusters=queries)
    assert expected is not None and values.mean_weight_ci == pytest.approx(expected)
    # As independent queries they would seem to tell more, or less.
    assert expected != weight_interval(grades["en"] + grades["zh"])


def test_lost_grades_of_all_languages_leave_an_interval_over_clusters(tmp_path: Path) -> None:
    grades: dict[str, list[int | None]] = {lang: [5, 4, 1, 0, 5, 3, None, 2] for lang in ("de", "ru")}
    (system,) = overview(write_graded_run(tmp_path / "a", grades)).systems
    assert system.pooled is not None
    found = system.pooled.summary.aggregates
    ends = [
        weight_interval([end if grade is None else grade for grade in grades["de"]] * 2, clusters=list("abcdefgh") * 2)
        for end in (1, 5)
    ]
    assert ends[0] and ends[1] and found.weighted_score_bounds_ci is not None
    assert found.weighted_score_bounds_ci == pytest.approx((ends[0].low ** 2, ends[1].high ** 2))


def test_systems_are_ordered_by_the_shared_languages_and_withheld_ones_come_last(tmp_path: Path) -> None:
    runs: dict[str, dict[str, list[int | None]]] = {
        "lost": {"en": [5] * 6 + [None] * 6, "de": [5] * 12},
        "b": {"en": [*BAD], "de": [*BAD], "ru": [*GOOD]},
        "a": {"en": [*GOOD], "de": [*BAD]},
    }
    found = overview(*(write_graded_run(tmp_path / name, grades) for name, grades in runs.items()))
    assert [system.run.name for system in found.systems] == ["a", "b", "lost"] == [run.name for run in found.order]
    assert (found.languages, found.pooled) == (("en", "de", "ru"), ("en", "de"))
    assert [system.pooled is not None and system.pooled.score is None for system in found.systems] == [
        False,
        False,
        True,
    ]
    ranks = [system.pooled.ranks for system in found.systems if system.pooled]
    assert [own and (own.low, own.high) for own in ranks] == [(1, 1), (2, 2), None]
    assert found.level == () and found.ranking is not None and found.ranking.names == ("a", "b")


def test_abstentions_are_counted_over_all_languages(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "a", {"de": [5, 0], "en": [5, 5]})
    config = read_json(folder.config_file)
    config["expected"] = {lang: {"answerable": 2, "unanswerable": 1} for lang in ("de", "en")}
    write_json(folder.config_file, config)
    said = [("de", "q01", "Blue.", True), ("de", "q02", "none", True), ("de", "q03", "none", False),
            ("en", "q01", "Blue.", True), ("en", "q02", "Red.", True), ("en", "q03", "Green.", False)]  # fmt: skip
    rows = [run_answer_to_row(answered(name, text, lang, answerable=can)) for lang, name, text, can in said]
    write_jsonl(folder.answers_file, rows)
    (system,) = overview(folder).systems
    # One of two unanswerable queries, and one answerable: precision and recall are both 1/2.
    assert system.abstention is not None and system.abstention.f1 == 0.5
    # The unanswerable query is one cluster in both languages; the two abstentions are of different queries.
    assert system.abstention.recall_ci == share_interval(0.5, 1)
    assert system.abstention.precision_ci == share_interval(1, 2)
    assert (system.seconds, system.groundedness) == (0.5, None)


def priced(folder: RunFolder, reader: dict[str, Any], usage: dict[str, Any] | None) -> tuple[Mapping[str, Any], ...]:
    config = read_json(folder.config_file)
    config["system"]["reader"] = reader
    write_json(folder.config_file, config)
    write_json(folder.metrics_file, {} if usage is None else {"usage": {"reader": usage}})
    run = read_figures(folder)
    return run.config, run.metrics


def test_the_cost_is_that_of_the_readers_tokens(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "a", [5, 4])
    usage = {"n": 5, "n_reported": 4, "prompt_tokens": 4000, "completion_tokens": 400}
    cost = reader_cost(*priced(folder, {"kind": "openai", "model": "gpt-4o"}, usage))
    # (4000 · 2.50 + 400 · 10) / 10⁶ over the four answers that report it.
    assert (
        cost is not None
        and cost.per_query == pytest.approx(0.014 / 4)
        and cost.total == pytest.approx(0.014)
        and (cost.n_reported, cost.n) == (4, 5)
    )
    free = reader_cost(*priced(folder, {"kind": "extractive", "model": ""}, None))
    assert free is not None and (free.per_query, free.n) == (0.0, 2)
    unpriced = {"kind": "openai", "model": "somebody/else"}
    assert reader_cost(*priced(folder, unpriced, usage)) is None
    assert reader_cost(*priced(folder, {"kind": "openai", "model": "gpt-4o"}, {**usage, "n_reported": 0})) is None
    assert reader_cost(*priced(folder, {"kind": "python:mine:Reader"}, None)) is None


def test_planned_looks_make_ranks_more_careful(tmp_path: Path) -> None:
    # Better on six of 60 queries, and never worse.
    grades = {"a": [5] * 60, "b": [5] * 54 + [4] * 6}
    runs = [write_graded_run(tmp_path / name, {"ru": own}) for name, own in grades.items()]

    def ranking() -> str:
        (table,) = compare_results(list(map(read_figures, runs)), 0.95, Path("none")).languages
        return table.ranking[0]

    assert "a is better than b." in ranking() and "looks" not in ranking()
    config = read_json(runs[0].config_file)
    write_json(runs[0].config_file, {**config, "looks": {"planned": 6, "spending": "pocock"}})
    # Six of six have p = .031, and each of six looks tests at .0142.
    assert "One of 6 looks planned: systems differ where p is below 0.0142." in ranking()
    assert "The two cannot be told apart." in ranking()

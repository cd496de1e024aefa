"""Comparisons of TREC runs as tables and JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from ragaliq.experiment.figures.measured_run import MeasuredRun, compare_runs
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.metrics.retrieval.ranking import Evaluation
from ragaliq.report.markdown.comparison.run_comparison import render_run_comparison

GENERATOR = np.random.default_rng(0)
BASE = GENERATOR.random(40) / 2
N = len(BASE)


def run(name: str, **values: np.ndarray) -> MeasuredRun:
    measures = tuple(parse_measure(key.replace("_at_", "@")) for key in values)
    found = {str(measure): np.asarray(column) for measure, column in zip(measures, values.values(), strict=True)}
    query_ids = tuple(f"q{place}" for place in range(len(next(iter(found.values())))))
    return MeasuredRun(name, measures, (), Evaluation(query_ids, found, 0, 0, 0, {}))


def text_of(*runs: MeasuredRun) -> str:
    return render_run_comparison(runs, compare_runs(runs), "md", full=True)


def json_of(*runs: MeasuredRun) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(render_run_comparison(runs, compare_runs(runs), "json"))
    return value


def test_only_the_first_measure_makes_a_run_worse() -> None:
    found = compare_runs([run("base", RR=BASE, AP=BASE), run("other", RR=BASE, AP=BASE - 0.1)])
    assert [section.metric.name for section in found.sections] == ["RR", "AP"]
    assert [section.worse for section in found.sections] == [[], ["other"]]


def test_of_holes_less_is_better() -> None:
    (row,) = json_of(run("base", Hole_at_5=BASE), run("other", Hole_at_5=BASE - 0.1))["comparisons"]
    assert (row["wins"], row["outcome"], row["measure"]) == (N, "better", "Hole@5")


def test_one_query_leaves_tests_undefined() -> None:
    one = np.array([0.5])
    runs = (run("base", RR=one), run("other", RR=one + 0.25))
    (row,) = json_of(*runs)["comparisons"]
    assert (row["p_t"], row["p_bootstrap"], row["p_permutation"]) == (None, None, 1 / 2)
    assert (row["baseline_mean"], row["mean"], row["difference"], row["outcome"]) == (0.5, 0.75, 0.25, "undecided")
    assert "| — " in text_of(*runs)


def test_a_baseline_of_zero_has_no_percentage() -> None:
    runs = (run("base", RR=np.zeros(3)), run("other", RR=np.array([0.0, 1.0, 1.0])))
    assert json_of(*runs)["comparisons"][0]["percent"] is None
    assert text_of(*runs).splitlines()[9].split("|")[4].strip() == "—"


def test_what_is_wrong_with_the_judgements_is_told_once() -> None:
    runs = [replace(run(name, RR=BASE), findings=("warning[x]: qrels; look", name)) for name in ("base", "other")]
    assert json_of(*runs)["warnings"] == ["warning[x]: qrels; look", "base", "other"]


def test_lines_below_the_tables_leave_out_what_is_not_there() -> None:
    base, one, two = (run(name, RR=BASE) for name in ("base", "one", "two"))
    plain = text_of(base, one)
    assert f"- {N} queries, paired.\n" in plain and "Holm" not in plain and "corrected" not in plain
    less = replace(two, evaluation=replace(two.evaluation, n_missing=3))
    full = text_of(base, one, less)
    assert "missing in a run and counted 0: base 0, one 0, two 3." in full
    assert "- Holm: p corrected over the runs" in full and "permutation's corrected p < 0.05" in full


def test_tiny_p_values_are_not_written_as_zero() -> None:
    text = text_of(run("base", RR=BASE), run("other", RR=BASE + np.tile([0.1, 0.11], N // 2)))
    assert "0.0000 " not in text.splitlines()[9].replace("+0.", "") and "9.1e-13" in text

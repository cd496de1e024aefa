"""Comparisons: what is corrected, what decides, and how it is told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ragaliq.compare.comparison import Outcome, compare_runs, render_comparison, to_json
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.metrics.retrieval.ranking import Evaluation
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.significance import paired_t, sign_flip
from ragaliq.report.markdown.measures import MeasuredRun

GENERATOR = np.random.default_rng(0)
BASE = GENERATOR.random(40) / 2
N = len(BASE)


def run(name: str, **values: np.ndarray) -> MeasuredRun:
    measures = tuple(parse_measure(key.replace("_at_", "@")) for key in values)
    found = {str(measure): np.asarray(column) for measure, column in zip(measures, values.values(), strict=True)}
    query_ids = tuple(f"q{place}" for place in range(len(next(iter(found.values())))))
    return MeasuredRun(name, measures, (), Evaluation(query_ids, found, 0, 0, 0, {}))


def test_p_values_are_corrected_for_the_runs_and_not_for_the_measures() -> None:
    others = [BASE + GENERATOR.normal(shift, 0.1, N) for shift in (0.03, 0.05, 0.0)]
    runs = [run(f"r{place}", RR=values, AP=values) for place, values in enumerate(others)]
    found = compare_runs(run("base", RR=BASE, AP=BASE), runs)
    for _, rows in found.rows:
        flips = [sign_flip(BASE, values) for values in others]
        students = [paired_t(BASE, values) for values in others]
        assert [row.p.permutation for row in rows] == [flip.p for flip in flips if flip]
        assert [row.holm.permutation for row in rows] == holm([flip.p for flip in flips if flip])
        assert [row.holm.t for row in rows] == holm([student.p for student in students if student])


@pytest.mark.parametrize(
    ("shift", "outcome"), [(0.1, Outcome.BETTER), (-0.1, Outcome.WORSE), (0.0001, Outcome.UNDECIDED)]
)
def test_the_permutation_decides(shift: float, outcome: Outcome) -> None:
    noise = np.tile([0.05, -0.05], N // 2)
    found = compare_runs(run("base", RR=BASE), [run("other", RR=BASE + shift + noise)])
    ((_, (row,)),) = found.rows
    assert row.outcome is outcome
    assert (row.outcome is not Outcome.UNDECIDED) == (row.holm.permutation is not None and row.holm.permutation < 0.05)
    assert bool(found.worse) == (outcome is Outcome.WORSE)


def test_only_the_first_measure_makes_a_run_worse() -> None:
    found = compare_runs(run("base", RR=BASE, AP=BASE), [run("other", RR=BASE, AP=BASE - 0.1)])
    assert [row.outcome for _, rows in found.rows for row in rows] == [Outcome.UNDECIDED, Outcome.WORSE]
    assert found.worse == []


def test_of_holes_less_is_better() -> None:
    found = compare_runs(run("base", Hole_at_5=BASE), [run("other", Hole_at_5=BASE - 0.1)])
    ((_, (row,)),) = found.rows
    assert (row.wins.wins, row.outcome, found.worse) == (N, Outcome.BETTER, [])


def test_one_query_leaves_tests_undefined() -> None:
    one = np.array([0.5])
    (row,) = to_json(compare_runs(run("base", RR=one), [run("other", RR=one + 0.25)]))["comparisons"]
    assert (row["ci"], row["p_t"], row["p_bootstrap"], row["p_permutation"]) == (None, None, None, 1 / 2)
    assert row["outcome"] == "undecided"
    text = render_comparison(compare_runs(run("base", RR=one), [run("other", RR=one + 0.25)]), "md")
    assert "| — " in text


def test_a_baseline_of_zero_has_no_percentage() -> None:
    found = compare_runs(run("base", RR=np.zeros(3)), [run("other", RR=np.array([0.0, 1.0, 1.0]))])
    assert json.loads(render_comparison(found, "json"))["comparisons"][0]["percent"] is None
    assert render_comparison(found, "md").splitlines()[7].split("|")[4].strip() == "—"


def test_what_is_wrong_with_the_judgements_is_told_once() -> None:
    runs = [replace(run(name, RR=BASE), findings=("warning[x]: qrels; look", name)) for name in ("base", "other")]
    assert to_json(compare_runs(runs[0], runs[1:]))["warnings"] == ["warning[x]: qrels; look", "base", "other"]


def test_lines_below_the_tables_leave_out_what_is_not_there() -> None:
    base, one, two = (run(name, RR=BASE) for name in ("base", "one", "two"))
    plain = render_comparison(compare_runs(base, [one]), "md")
    assert f"- {N} queries, paired.\n" in plain and "Holm" not in plain and "corrected" not in plain
    less = replace(two, evaluation=replace(two.evaluation, n_missing=3))
    full = render_comparison(compare_runs(base, [one, less]), "md")
    assert "missing in a run and counted 0: base 0, one 0, two 3." in full
    assert "- Holm: p corrected over the runs" in full and "permutation's corrected p < 0.05" in full


def test_tiny_p_values_are_not_written_as_zero() -> None:
    found = compare_runs(run("base", RR=BASE), [run("other", RR=BASE + np.tile([0.1, 0.11], N // 2))])
    assert "0.0000 " not in render_comparison(found, "md").splitlines()[7].replace("+0.", "")
    assert "9.1e-13" in render_comparison(found, "md")

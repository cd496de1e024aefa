"""What is kept beside the values of a run, and what its means show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ragaliq.experiment.figures.measured_run import MeasuredRun, judged_beside
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.metrics.retrieval.ranking import Evaluation


def run(name: str, *values: float) -> MeasuredRun:
    """Return a run measured by P@5, with as many queries as there are values."""
    query_ids = tuple(f"q{place}" for place in range(len(values)))
    found = {"P@5": np.array(values, dtype=np.float64), "Judged@5": np.ones(len(values))}
    evaluation = Evaluation(query_ids, found, 1, 2, 0, {})
    return MeasuredRun(name, (parse_measure("P@5"),), (parse_measure("Judged@5"),), evaluation, ("warning[x]: y; z",))


def test_judged_shares_are_taken_where_measures_cut() -> None:
    def beside(*names: str) -> list[str]:
        return [str(measure) for measure in judged_beside([parse_measure(name) for name in names])]

    assert beside("R@100", "nDCG@10", "P(rel=2)@10", "AP") == ["Judged@10", "Judged@100"]
    assert beside("AP", "RR") == ["Judged@10"]
    assert beside("Judged@3", "Hole@7", "AP") == ["Judged@10"]


def test_few_judged_documents_are_known_from_the_judgements() -> None:
    one = run("a", 0.5, 0.5)
    low = Evaluation(("q0", "q1"), {"P@5": np.full(2, 0.5), "Judged@5": np.full(2, 0.2)}, 0, 0, 0, {})
    counted = replace(one, evaluation=low, n_judged=(1, 9))
    # (1/5 + 5/5) / 2
    assert counted.attainable() == {"Judged@5": pytest.approx(0.6)} and counted.diagnoses() == []
    assert [found.name for found in replace(counted, n_judged=(5, 9)).diagnoses()] == ["holes"]
    assert [found.name for found in replace(counted, n_judged=()).diagnoses()] == ["holes"]


def test_what_a_run_lacks_is_no_unjudged_document() -> None:
    found = {"nDCG@10": np.array([0.9, 0.0]), "Judged@10": np.array([0.9, 0.0])}
    measures = (parse_measure("nDCG@10"),), (parse_measure("Judged@10"),)
    half = MeasuredRun("half", *measures, Evaluation(("q1", "q2"), found, 1, 0, 0, {}))
    assert [one.name for one in half.diagnoses()] == ["read-first"]
    full = MeasuredRun("full", *measures, Evaluation(("q1", "q2"), found, 0, 0, 0, {}))
    assert [one.name for one in full.diagnoses()] == ["read-first", "holes"]

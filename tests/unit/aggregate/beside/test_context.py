from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fakes import answered
from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import compute_figures
from ragaliq.judge.checks.context import CONTEXTS, ContextMarks, PassageMark, StatementMark
from ragaliq.runs.rows import run_answer_to_row
from ragaliq.storage.files import write_jsonl
from ragaliq.types import VerdictOutcome


def marks(
    query_id: str, useful: Sequence[bool], borne_out: Sequence[bool], outcome: VerdictOutcome = VerdictOutcome.SCORED
) -> ContextMarks:
    passages = tuple(PassageMark("d", one) for one in useful)
    return ContextMarks(query_id, "de", passages, tuple(StatementMark("s", o) for o in borne_out), outcome, "m", "p")


def test_scores_are_means_over_the_answerable_queries_that_were_judged(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4, 5, 3]})
    answers = [answered(f"q0{number}", "Blau.", "de", answerable=number < 5) for number in range(1, 7)]
    write_jsonl(folder.answers_file, map(run_answer_to_row, answers))
    folder.checks_file.touch()
    rows = [
        marks("q01", [True, False], [True, True]),
        marks("q02", [False, True], [True, False]),
        marks("q03", [], [False]),
        marks("q04", [], [], VerdictOutcome.UNPARSEABLE),
        # Not answerable: there is nothing to compare with.
        marks("q05", [], []),
        # Of an answer that the run does not have.
        marks("q99", [True], [True]),
    ]
    write_jsonl(folder.context_file, map(CONTEXTS.dump, rows))
    german = compute_figures(folder).metrics["context"]["de"]
    assert (german["n"], german["n_expected"], german["coverage"]) == (3, 4, 3 / 4)
    assert german["precision"]["value"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert german["recall"]["value"] == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert german["precision"]["n"] == 3 and german["precision"]["ci"][0] < 0.5 < german["precision"]["ci"][1]
    assert german["judges"] == ["m p"]


def test_marks_of_another_answer_do_not_count(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4]})
    folder.checks_file.touch()
    rows = [{**CONTEXTS.dump(marks("q01", [True], [True])), "answer_hash": "other"}]
    write_jsonl(folder.context_file, [*rows, CONTEXTS.dump(marks("q02", [False], [True]))])
    german = compute_figures(folder).metrics["context"]["de"]
    assert (german["n"], german["n_expected"], german["precision"]["value"]) == (1, 2, 0.0)


def test_the_offline_checker_has_no_such_figures_and_says_so(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4]})
    assert "context" not in compute_figures(folder).metrics
    folder.checks_file.touch()
    nothing = {"value": None, "ci": None, "n": 0}
    assert compute_figures(folder).metrics["context"]["de"] == {
        "judges": [], "n": 0, "n_expected": 2, "coverage": None, "precision": nothing, "recall": nothing,
    }  # fmt: skip

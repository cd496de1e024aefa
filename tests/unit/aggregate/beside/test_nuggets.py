from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from graded_runs import write_graded_run
from ragaliq.aggregate.run_figures import compute_figures
from ragaliq.judge.nuggets.matches import MATCHES, NuggetMatch, NuggetMatches
from ragaliq.storage.files import write_json, write_jsonl
from ragaliq.types import AssignmentLabel, Importance, VerdictOutcome


def matches(query_id: str, *found: tuple[Importance, AssignmentLabel]) -> NuggetMatches:
    outcome = VerdictOutcome.SCORED if found else VerdictOutcome.NO_ANSWER
    return NuggetMatches(query_id, "de", tuple(NuggetMatch("n", *one) for one in found), outcome, "m", "p")


def test_scores_are_means_over_queries_each_with_its_own_n(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4, 5, 3]})
    vital, okay = Importance.VITAL, Importance.OKAY
    full, part, none = AssignmentLabel.SUPPORT, AssignmentLabel.PARTIAL_SUPPORT, AssignmentLabel.NOT_SUPPORT
    rows = [
        matches("q01", (vital, full), (okay, none)),
        matches("q02", (okay, part)),
        matches("q03", (vital, part), (vital, none)),
        matches("q04"),
        # Of an answer that the run does not have.
        matches("q99", (vital, full)),
    ]
    write_jsonl(folder.nuggets_file, map(MATCHES.dump, rows))
    german = compute_figures(folder).metrics["nuggets"]["de"]
    assert (german["n"], german["n_expected"], german["coverage"]) == (3, 4, 3 / 4)
    assert (german["vital_strict"]["value"], german["vital_strict"]["n"]) == ((1 + 0) / 2, 2)
    assert german["vital"]["value"] == (1 + 0.25) / 2
    assert (german["all_strict"]["value"], german["all"]["value"]) == ((0.5 + 0 + 0) / 3, (0.5 + 0.5 + 0.25) / 3)
    assert german["all"]["n"] == 3 and german["all"]["ci"][0] <= german["all"]["value"] <= german["all"]["ci"][1]
    assert german["matchers"] == ["m p"]


def test_nuggets_of_another_answer_do_not_count(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4]})
    rows = [matches(name, (Importance.VITAL, AssignmentLabel.SUPPORT)) for name in ("q01", "q02")]
    write_jsonl(folder.nuggets_file, map(MATCHES.dump, [rows[0], replace(rows[1], answer_hash="earlier")]))
    german = compute_figures(folder).metrics["nuggets"]["de"]
    assert (german["n"], german["n_expected"], german["all"]["n"]) == (1, 2, 1)


def test_queries_without_a_match_yet_are_expected(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4, 3], "fr": [5]})
    write_json(folder.config_file, {**folder.config(), "expected_nuggets": {"de": 4, "fr": 1, "en": 0}})
    row = matches("q01", (Importance.VITAL, AssignmentLabel.SUPPORT))
    write_jsonl(folder.nuggets_file, [MATCHES.dump(row)])
    found = compute_figures(folder).metrics["nuggets"]
    assert {lang: (one["n"], one["n_expected"], one["coverage"]) for lang, one in found.items()} == {
        "de": (1, 4, 1 / 4), "fr": (0, 1, 0.0),
    }  # fmt: skip
    assert found["fr"]["all"] == {"value": None, "ci": None, "n": 0}

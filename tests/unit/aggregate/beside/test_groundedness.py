from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.beside.groundedness import interval_of_shares
from ragaliq.aggregate.run_figures import compute_figures
from ragaliq.judge.checks.support import Check, CitationCheck, SentenceCheck, Support, check_to_row
from ragaliq.metrics.statistics.intervals import mean_interval, share_interval
from ragaliq.storage.files import write_jsonl
from ragaliq.types import VerdictOutcome


def check(query_id: str, *found: Support) -> Check:
    sentences = tuple(SentenceCheck("s", one, None if one is Support.NOT else "d") for one in found)
    outcome = VerdictOutcome.SCORED if found else VerdictOutcome.NO_ANSWER
    said = False if found else None
    return Check(query_id, "de", said, said, sentences, outcome, "c", "p")


def test_shares_are_over_the_sentences_of_all_answers_with_their_length_beside(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4, 5, 3]})
    yes, no, against = Support.SUPPORTED, Support.NOT, Support.CONTRADICTED
    rows = [check("q01", yes, yes, no), check("q02", yes), check("q03", against), check("q04")]
    write_jsonl(folder.checks_file, map(check_to_row, rows))
    german = compute_figures(folder).metrics["groundedness"]["de"]
    assert (german["n"], german["n_expected"], german["coverage"], german["n_sentences"]) == (3, 4, 3 / 4, 5)
    assert (german["supported"]["value"], german["contradicted"]["value"]) == (3 / 5, 1 / 5)
    assert (german["unsupported"]["value"], german["partly"]["value"]) == (1 / 5, 0.0)
    expected = mean_interval([1, 1, 0, 1, 0], clusters=["1", "1", "1", "2", "3"])
    assert expected is not None and german["supported"]["ci"] == pytest.approx(list(expected))
    assert german["median_characters"] == len("It is blue.")
    assert german["checkers"] == ["c p"]


def test_a_check_of_another_answer_does_not_count(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4]})
    rows = [check("q01", Support.SUPPORTED), replace(check("q02", Support.NOT), answer_hash="earlier")]
    write_jsonl(folder.checks_file, map(check_to_row, rows))
    german = compute_figures(folder).metrics["groundedness"]["de"]
    assert (german["n"], german["n_expected"], german["supported"]["value"]) == (1, 2, 1.0)


def test_citations_of_another_answer_do_not_count(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4]})
    yes, no = (CitationCheck(1, "d", support) for support in (Support.SUPPORTED, Support.NOT))
    now = replace(check("q01", Support.SUPPORTED), n_listed=1, citations=(yes,))
    earlier = replace(check("q02", Support.NOT), n_listed=1, citations=(no,), answer_hash="earlier")
    write_jsonl(folder.checks_file, map(check_to_row, [now, earlier]))
    german = compute_figures(folder).metrics["citations"]["de"]
    assert (german["n"], german["n_expected"], german["precision"]["value"]) == (1, 1, 1.0)


def test_all_languages_together_have_one_share(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "r", {"de": [5, 4, 5], "en": [5, 4]})
    yes, no = Support.SUPPORTED, Support.NOT
    german = [check("q01", yes, no), check("q02", yes), replace(check("q03", no), answer_hash="earlier")]
    english = [replace(check("q01", yes), lang="en"), replace(check("q02", Support.PARTLY), lang="en")]
    write_jsonl(folder.checks_file, map(check_to_row, [*german, *english]))
    found = compute_figures(folder).groundedness
    assert found is not None
    assert (found.supported, found.n, found.n_expected, found.lacking) == (3 / 5, 4, 5, {"de": 1, "en": 1})
    assert found.interval == mean_interval([1, 0, 1, 1, 0], clusters=["q01", "q01", "q02", "q01", "q02"])


def test_a_run_that_was_never_checked_has_no_such_figures(tmp_path: Path) -> None:
    figures = compute_figures(write_graded_run(tmp_path / "r", {"de": [5, 4]}))
    assert "groundedness" not in figures.metrics and figures.groundedness is None


def test_equal_shares_leave_doubt() -> None:
    assert interval_of_shares([1.0] * 20, 0) == list(share_interval(20, 20))
    # Forty sentences of two answers are two trials.
    assert interval_of_shares([0.0] * 40, 0, ["a"] * 20 + ["b"] * 20) == list(share_interval(0, 2))
    assert interval_of_shares([1.0], 0) is None and interval_of_shares([], 0) is None

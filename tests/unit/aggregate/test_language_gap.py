"""The language gap of a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graded_runs import write_graded_run
from ragaliq.aggregate.language_gap import gap_of, gap_to_json
from ragaliq.aggregate.run_figures import RunFigures, compute_figures, read_figures
from ragaliq.compare.results import compare_results
from ragaliq.report.markdown.tables.language_gap import gap_section
from ragaliq.runs.folder import RunFolder
from ragaliq.runs.rows import verdict_to_row
from ragaliq.storage.files import write_jsonl

GRADES = {"en": [5, 5, 3, 4, 5, 5], "zh": [1, 5, 0, 4, 2, 5]}


def gap_object(folder: RunFolder) -> Any:
    run = read_figures(folder)
    found = gap_to_json(gap_of([summary.grades for summary in run.summaries.values()], seed=run.seed))
    assert compute_figures(folder).metrics.get("language_gap") == found
    return found


def section(run: RunFigures) -> str:
    return "".join(map(gap_section, compare_results([run], 0.95, run.folder.path).gaps))


def test_the_object_by_hand(tmp_path: Path) -> None:
    found = gap_object(write_graded_run(tmp_path / "run", GRADES))
    assert found is not None
    assert (found["n"], found["baseline"], found["n_fails_everywhere"]) == (6, "en", 0)
    assert list(found["languages"]) == ["en", "zh"]
    assert round(found["languages"]["en"]["mean_weight"], 9) == round((1 + 1 + 0.6 + 0.8 + 1 + 1) / 6, 9)
    assert found["languages"]["zh"]["fails_only"] == ["q01", "q03", "q05"]
    assert found["languages"]["zh"]["rank_ci"] == [1, 2]
    (pair,) = found["pairs"]
    assert (pair["lang"], pair["against"]) == ("zh", "en")
    # −(1 − 0), −(.6 − .4), −(1 − .2)
    assert round(pair["difference"], 9) == round(-(1 + 0.2 + 0.8) / 6, 9)
    # Three queries differ, all one way: 1 of 4 assignments of signs up to their turning round, counted half.
    assert pair["p"] == 1 / 8


def test_unanswerable_and_ungraded_queries_are_left_out(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", {"en": [5, None, 5, 5], "de": [4, 4, None, 4]})
    found = gap_object(folder)
    assert found is not None
    assert found["n"] == 2


def test_a_language_of_too_low_a_coverage_is_left_out(tmp_path: Path) -> None:
    run = read_figures(write_graded_run(tmp_path / "run", {"en": [5, None, 5, 5], "de": [4, 4, 2, 4]}))
    languages = [summary.grades for summary in run.summaries.values()]
    # Three of four English answers have a grade.
    assert gap_of(languages, 0.75) is not None and gap_of(languages, 0.76) is None


def test_runs_without_parallel_languages_have_none(tmp_path: Path) -> None:
    assert gap_object(write_graded_run(tmp_path / "one", {"en": [5, 4, 3]})) is None
    assert gap_object(write_graded_run(tmp_path / "none", {"en": [None, None], "de": [5, 5]})) is None
    folder = write_graded_run(tmp_path / "ungraded", GRADES)
    write_jsonl(folder.verdicts_file, [])
    assert gap_object(folder) is None
    assert section(read_figures(folder)) == ""


def test_languages_judged_by_different_judges_are_not_compared(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", GRADES)
    other = write_graded_run(tmp_path / "other", GRADES, judge="other")
    rows = [table[key] for table, lang in ((folder.verdicts(), "en"), (other.verdicts(), "zh"))
            for key in table if key[0] == lang]  # fmt: skip
    write_jsonl(folder.verdicts_file, map(verdict_to_row, rows))
    assert gap_object(folder) is None
    assert section(read_figures(folder)) == (
        "### Languages of run\n\nNot compared: the grades come from different judges (offline, other)."
    )


def test_a_language_with_too_few_grades_is_left_out_and_named(tmp_path: Path) -> None:
    folder = write_graded_run(tmp_path / "run", {**GRADES, "ru": [5, None, None, None, None, None]})
    text = section(read_figures(folder))
    assert "| ru " not in text
    assert "- Left out, because too few answers have a grade: ru." in text


def test_long_lists_are_cut_to_ten_with_their_number(tmp_path: Path) -> None:
    def text(name: str, french: int, chinese: int) -> str:
        return section(read_figures(write_graded_run(tmp_path / name, {"fr": [french] * 14, "zh": [chinese] * 14})))

    named = "q01, q02, q03, q04, q05, q06, q07, q08, q09, q10 and 4 more."
    assert f"one language only: zh (14): {named}" in text("chinese", 5, 2)
    assert "Fails in every language: 14." in text("both", 0, 2)

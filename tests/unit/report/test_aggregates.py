"""The output of `ragaliq aggregate`."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from fakes import write_run_folder
from graded_runs import write_graded_run
from ragaliq.aggregate.summary import summarise_path
from ragaliq.report.aggregates import render_aggregates


def test_the_three_forms_say_the_same(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4, None])
    named = [("run", summary) for summary in summarise_path(folder.path)]
    (as_json,) = json.loads(render_aggregates(named, "json"))
    assert list(as_json) == ["file", *named[0][1].to_json(), "rank_ci", "selection_frequency", "new_sample_ci"]
    assert as_json["rank_ci"] is None
    assert as_json["abstention"] is None
    (as_csv,) = csv.DictReader(io.StringIO(render_aggregates(named, "csv")))
    assert (as_csv["file"], as_csv["n"], as_csv["n_expected"], as_csv["5"], as_csv["0"]) == ("run", "3", "3", "1", "0")
    assert float(as_csv["weighted_score"]) == as_json["weighted_score"]
    assert float(as_csv["weighted_score_bounds_low"]) == as_json["weighted_score_bounds"][0]
    assert float(as_csv["weighted_score_bounds_ci_high"]) == as_json["weighted_score_bounds_ci"][1]
    assert as_csv["abstention_f1"] == as_csv["abstention_recall_ci_low"] == ""
    header, _, row, _, scale = render_aggregates(named, "md").splitlines()
    assert scale == "weighted_score: mean_weight squared; mean_nonzero: mean grade of the grades above 0, 1 to 5."
    cells = dict(zip(*([c.strip() for c in line.strip("|").split("|")] for line in (header, row)), strict=True))
    assert list(cells).index("mean_weight") == list(cells).index("weighted_score") + 1
    assert (cells["mean_weight"], cells["mean_nonzero"]) == ("0.9", "4.5")
    assert (cells["weighted_score"], cells["coverage"], cells["abstention_f1"]) == ("0.81", "0.666667", "—")
    # Rows without a grade show up for people, too.
    assert (cells["n"], cells["n_scored"]) == ("3", "2")


def test_a_bar_in_a_name_does_not_break_the_table(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [5, 4])
    (summary,) = summarise_path(folder.path)
    assert render_aggregates([("a|b", summary)], "md").splitlines()[2].startswith(r"| a\|b ")


def test_what_is_not_defined_is_null(tmp_path: Path) -> None:
    folder = write_run_folder(tmp_path / "run", [None, None])
    (row,) = json.loads(render_aggregates([("run", summary) for summary in summarise_path(folder.path)], "json"))
    undefined = {key for key, value in row.items() if value is None}
    assert undefined == {
        "weighted_score", "mean_with_zeros", "mean_nonzero", "median_nonzero", "percentage", "percentage_with_zero",
        "mean_weight", "weighted_score_ci", "language_consistency", "language_consistency_ci", "abstention", "rank_ci",
        "selection_frequency", "new_sample_ci",
    }  # fmt: skip
    assert (row["coverage"], row["weighted_score_bounds"]) == (0.0, [0.0, 1.0])


def test_several_files_of_several_languages_have_a_table_for_each_language(tmp_path: Path) -> None:
    summaries = [
        (name, summary)
        for name in ("a", "b")
        for summary in summarise_path(write_graded_run(tmp_path / name, {"en": [5, 4], "de": [3, 1]}).path)
    ]
    lines = render_aggregates(summaries, "md").splitlines()
    assert [line for line in lines if line.startswith("#")] == ["## en", "## de"]
    assert sum(line.startswith("| a ") for line in lines) == 2
    # One run is one table.
    assert "##" not in render_aggregates(summaries[:2], "md")

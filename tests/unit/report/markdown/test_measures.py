"""Tables and JSON of measured runs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from ragaliq.experiment.figures.measured_run import MeasuredRun
from ragaliq.metrics.retrieval.measures import parse_measure
from ragaliq.metrics.retrieval.ranking import Evaluation
from ragaliq.report.format import decimals, span
from ragaliq.report.markdown.measures import labels, render_languages, render_measures


def run(name: str, *values: float, tied: int = 0) -> MeasuredRun:
    """Return a run measured by P@5, with as many queries as there are values."""
    query_ids = tuple(f"q{place}" for place in range(len(values)))
    found = {"P@5": np.array(values, dtype=np.float64), "Judged@5": np.ones(len(values))}
    evaluation = Evaluation(query_ids, found, 1, 2, 0, {"P@5": tied, "Judged@5": tied})
    return MeasuredRun(name, (parse_measure("P@5"),), (parse_measure("Judged@5"),), evaluation, ("warning[x]: y; z",))


def cells(text: str, line: int) -> list[str]:
    return [cell.strip() for cell in text.splitlines()[line].split("|")[1:-1]]


def test_a_run_as_json_keeps_every_digit() -> None:
    found = json.loads(render_measures([run("a.trec", 1 / 3, 1.0, tied=1)], "json"))
    assert list(found)[:4] == ["measures", "n_queries", "n_missing_in_run", "per_query"]
    assert found == {
        "measures": {"P@5": (1 / 3 + 1) / 2},
        "n_queries": 2,
        "n_missing_in_run": 1,
        "per_query": {"q0": {"P@5": 1 / 3}, "q1": {"P@5": 1.0}},
        "run": "a.trec",
        "intervals": {"P@5": [1 / 3, 1.0]},
        "n_extra_in_run": 2,
        "n_without_relevant": 0,
        "tied_at_cut": {"P@5": 1},
        "judged": {"Judged@5": 1.0},
        "warnings": ["warning[x]: y; z"],
        "diagnoses": [],
    }


def test_one_query_has_a_value_and_no_interval() -> None:
    assert json.loads(render_measures([run("a", 0.5)], "json"))["intervals"] == {"P@5": None}
    assert cells(render_measures([run("a", 0.5)], "md"), 2)[:4] == ["P@5", "0.5000", "1", "—"]
    assert render_measures([run("a", 0.5)], "csv").splitlines()[1] == "a,P@5,1,0.5,,"


def test_without_queries_nothing_is_invented() -> None:
    found = json.loads(render_measures([run("a")], "json"))
    assert (found["measures"], found["n_queries"], found["per_query"]) == ({"P@5": None}, 0, {})
    assert cells(render_measures([run("a")], "md"), 2)[1:3] == ["—", "0"]


def test_e14_the_reading_guide_is_applied_to_the_means() -> None:
    names = ("nDCG@10", "R@100")
    found = {"nDCG@10": np.array([0.2, 0.4]), "R@100": np.array([0.9, 0.9]), "Judged@10": np.array([0.5, 0.5])}
    evaluation = Evaluation(("q1", "q2"), found, 0, 0, 0, {})
    low = MeasuredRun("low", tuple(map(parse_measure, names)), (parse_measure("Judged@10"),), evaluation)
    text = render_measures([low], "md")
    assert "- low: R@100 0.9000 is high and nDCG@10 0.3000 low: ranking, not coverage" in text
    assert "- low: Judged@10 0.5000: the unjudged rest counts as not relevant" in text
    value = json.loads(render_measures([low], "json"))
    assert [one["name"] for one in value["diagnoses"]] == ["read-first", "ranking", "holes"]
    other = replace(low, name="other")
    several = render_measures([low, other], "md")
    assert several.count("is the value to read first") == 1 and several.count("ranking, not coverage") == 2


def test_lines_below_the_table_leave_out_what_is_zero() -> None:
    def told(n_missing: int, n_extra: int, n_without: int, tied: int) -> list[str]:
        values = {"P@5": np.ones(2), "Judged@5": np.ones(2)}
        found = Evaluation(("q1", "q2"), values, n_missing, n_extra, n_without, {"P@5": tied})
        one = MeasuredRun("a", (parse_measure("P@5"),), (parse_measure("Judged@5"),), found)
        return [line for line in render_measures([one], "md").splitlines() if line.startswith("- ")]

    assert told(0, 0, 0, 0) == [
        "- judged queries: 2. Unjudged documents count as not relevant.",
        "- ci95: bootstrap over queries, judgements taken as given; none for fewer than 5 queries.",
        "- a: Judged@5 1.0000.",
    ]
    assert told(1, 3, 1, 2)[::2] == [
        "- judged queries: 2, without anything relevant and counted 0: 1. Unjudged documents count as not relevant.",
        "- a: Judged@5 1.0000; queries missing and counted 0: 1; queries without judgements and left out: 3; queries "
        "with equal scores on both sides of the cut: P@5 2.",
    ]


def test_languages_are_rows_and_have_a_line_if_there_is_something_to_say() -> None:
    ids = tuple(f"q{n}" for n in range(5))
    fine = Evaluation(ids, {"P@5": np.array([0.5, 0.5, 0.5, 0.5, 1.0]), "RR": np.ones(5)}, 0, 0, 0, {})
    both = MeasuredRun("a", (parse_measure("P@5"), parse_measure("RR")), (), fine)
    odd = replace(run("b", 0.5, 0.5), findings=("warning[missing-queries]: x; y", "warning[tied-scores]: x; y"))
    text = render_languages({"de": both, "yo": odd})
    assert cells(text, 0) == ["language", "P@5", "RR", "n"]
    assert cells(text, 2) == ["de", "0.6000 (0.5000 … 0.9000)", "1.0000 (1.0000 … 1.0000)", "5"]
    assert cells(text, 3)[1:] == ["0.5000 (—)", "—", "2"]
    assert text.splitlines()[4:] == ["", "- yo: queries missing and counted 0: 1; warning[tied-scores]"]
    assert len(render_languages({"de": both, "en": both}).splitlines()) == 4


def test_runs_are_called_by_their_files_where_that_tells_them_apart() -> None:
    cases = (
        (["runs/a.trec", "runs/b.trec"], ["a.trec", "b.trec"]),
        (["one/r.trec", "two/r.trec"], ["one/r.trec", "two/r.trec"]),
        (["runs/a.trec", "runs/a.trec"], ["a.trec", "a.trec"]),
        (["C:\\runs\\a.trec"], ["a.trec"]),
    )
    for names, expected in cases:
        assert labels([run(name, 0.5) for name in names]) == expected


def test_runs_may_be_called_like_a_column() -> None:
    text = render_measures([run("n", 0.25, 0.25), run("measure", 0.5, 0.5)], "md")
    assert cells(text, 0) == ["measure", "run n", "run measure", "n", "meaning"]
    assert cells(text, 2)[:4] == ["P@5", "0.2500 (—)", "0.5000 (—)", "2"]


def test_an_interval_is_printed_from_five_queries_on() -> None:
    assert cells(render_measures([run("a", *[0.5] * 4)], "md"), 2)[1:4] == ["0.5000", "4", "—"]
    text = render_measures([run("a", *[0.5] * 5)], "md")
    assert cells(text, 2)[1:4] == ["0.5000", "5", "0.5000 … 0.5000"] and "none for fewer" not in text


def test_numbers_are_written_to_four_digits() -> None:
    assert (decimals(1 / 3), decimals(-0.5, sign=True), decimals(0.5, sign=True), decimals(None)) == (
        "0.3333", "-0.5000", "+0.5000", "—"
    )  # fmt: skip
    assert span(None) == "—"

"""`ragaliq leaderboard`: runs, files of other tools, TREC runs; Markdown, CSV, JSON; wrong input."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ragaliq
from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.metrics.weights import WEIGHTS

GOOD, FAIR, BAD = [5] * 9 + [4, 5, 5], [4, 5, 5, 5, 5, 4, 5, 5, 5, 5, 5, 5], [1] * 11 + [5]
Board = Callable[..., str]


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Board:
    """The command in a folder with three runs in German and Chinese; it returns what is printed."""
    monkeypatch.chdir(tmp_path)
    for name, grades in (("gut", GOOD), ("mittel", FAIR), ("schlecht", BAD)):
        write_graded_run(tmp_path / name, {"de": grades, "zh": grades})

    def call(*arguments: str, code: int = 0) -> str:
        assert main(["leaderboard", *arguments]) == code
        told = capsys.readouterr()
        return told.err if code else told.out

    return call


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_sentence_comes_first_then_a_row_for_each_system_best_first(board: Board) -> None:
    lines = board("schlecht", "mittel", "gut").splitlines()
    assert lines[0] == (
        "Which of 2 systems is the best cannot be told: gut, mittel; schlecht is not the best for certain (95 %), on "
        "the 24 answers in 2 languages that all 3 have a value for."
    )
    assert cells(lines[2]) == ["system", "weighted score (ci95)", "rank_ci", "selected", "de", "zh"]
    rows = [cells(line) for line in lines[4:7]]
    assert [row[0] for row in rows] == ["gut", "mittel", "schlecht"]
    assert [row[2] for row in rows] == ["1–2", "1–2", "3"]
    # (11 · 1 + .8) / 12 squared.
    assert rows[0][1].startswith("0.967 (")
    assert rows[0][4].startswith(".97 ±") and rows[0][4].endswith(", 1–2")
    beside = [cells(line) for line in lines[8:13]]
    assert beside[0] == ["system", "n", "coverage", "errors", "new sample", "USD per 1,000", "p50 s", "p95 s"]
    assert beside[2][:4] == ["gut", "24/24", "1.00", "0"] and beside[2][5:] == ["—", "0.500", "0.500"]


def test_one_certain_winner_is_bold(board: Board) -> None:
    lines = board("gut", "schlecht").splitlines()
    assert lines[0].startswith("gut is better than every other system for certain (95 %), on the 24 answers")
    assert "**0.967 (" in lines[4] and "**" not in lines[5]


def test_json_and_csv_have_the_same_figures(board: Board) -> None:
    found = json.loads(board("gut", "mittel", "schlecht", "--format", "json"))
    rows = list(csv.DictReader(io.StringIO(board("gut", "mittel", "schlecht", "--format", "csv"))))
    assert found["leading"] == ["gut", "mittel"] and found["languages_shared"] == ["de", "zh"]
    for system, row in zip(found["systems"], rows, strict=True):
        assert row["system"] == system["system"]
        assert float(row["score"]) == system["score"] and float(row["selected"]) == system["selected"]
        assert [float(row["ci95_low"]), float(row["ci95_high"])] == system["score_ci"]
        zh = system["languages"]["zh"]
        assert [int(row["zh_rank_best"]), int(row["zh_rank_worst"])] == zh["rank_ci"]
        assert (row["usd_per_1000"], system["usd_per_1000"]) == ("", None)
    # The same grades in both languages: nothing differs between them, and nothing is kept.
    assert found["interactions_kept"] == 0.0
    best = found["systems"][0]
    assert best["languages"]["de"]["mean_shrunken"] == pytest.approx(best["languages"]["de"]["mean"])


def test_rank_sets_are_those_of_the_function(board: Board) -> None:
    table = [[WEIGHTS[grade] for grade in (*grades, *grades)] for grades in (GOOD, FAIR, BAD)]
    queries = [*range(12), *range(12)]
    found = json.loads(board("gut", "mittel", "schlecht", "--format", "json"))
    assert [tuple(own["rank_ci"]) for own in found["systems"]] == ragaliq.rank_sets(table, queries)


def test_values_of_a_long_table_have_the_interval_of_the_function(board: Board, tmp_path: Path) -> None:
    scores = {"a": [0.1, 0.4, 0.35, 0.8, 0.2, 0.6] * 4, "б": [0.2, 0.5, 0.3, 0.9, 0.4, 0.7] * 4}
    rows = [f"{n},{name},{value},fr" for name, own in scores.items() for n, value in enumerate(own)]
    (tmp_path / "long.csv").write_text("\n".join(["qid,model,f,language", *rows]), encoding="utf-8")
    options = ("--id", "qid", "--system", "model", "--value", "f", "--lang-field", "language", "--range", "0,1")
    found = json.loads(board("long.csv", *options, "--format", "json"))
    assert [own["system"] for own in found["systems"]] == ["б", "a"]
    for own in found["systems"]:
        assert tuple(own["ci"]) == ragaliq.interval(scores[own["system"]])
        assert own["score"] == own["mean"]


def test_trec_runs_are_ranked_on_a_measure(board: Board, tmp_path: Path) -> None:
    queries = [f"q{n}" for n in range(12)]
    (tmp_path / "q.qrels").write_text("".join(f"{q} 0 d1 1\n" for q in queries))
    (tmp_path / "best.trec").write_text("".join(f"{q} Q0 d1 1 2 t\n" for q in queries))
    (tmp_path / "worst.trec").write_text("".join(f"{q} Q0 d1 3 1 t\n{q} Q0 d2 1 2 t\n" for q in queries))
    told = board("worst.trec", "best.trec", "--qrels", "q.qrels", "--metric", "RR")
    assert told.startswith("best.trec is better than every other system for certain (95 %), on the 12 queries")
    assert "| best.trec | **1.000 (" in " ".join(told.split()) and "| worst.trec | 0.500 (" in " ".join(told.split())
    told = board("best.trec", "--qrels", "q.qrels", "--mixed", code=2)
    assert "--mixed, --group and --cluster are not for TREC runs" in told


def test_other_judges_are_refused_unless_told(board: Board, tmp_path: Path) -> None:
    write_graded_run(tmp_path / "other", {"de": GOOD}, judge="somebody")
    assert "graded by different judges (gut: offline, other: somebody)" in board("gut", "other", code=2)
    told = board("gut", "other", "--mixed")
    assert told.startswith("The order of these 2 systems is not a ranking: de: graded by different judges")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such file or folder; check the path"),
        (["gut", "--metric", "grade", "--metric", "fives"], "--metric: one at a time, not grade and fives"),
        (["gut", "--metric", "fivs"], "unknown metric 'fivs'"),
        (["gut", "--lang", "xx"], "gut: no graded answers in 'xx'"),
        (["gut", "mittel", "--group", "x=nobody"], "no run or system 'nobody'"),
    ],
)
def test_wrong_input_is_one_line(board: Board, arguments: list[str], message: str) -> None:
    told = board(*arguments, code=2)
    assert message in told and told.count("\n") == 1


def test_names_stay_names(board: Board, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": n, "system": name, "value": n % 2} for name in ("<b>a|b</b>", "[x](y)") for n in range(12)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = board("t.jsonl")
    assert "<b>" not in told and "a\\|b" in told and "](y)" not in told


def test_one_system_has_no_rank(board: Board) -> None:
    lines = board("gut").splitlines()
    assert lines[0] == "One system: gut."
    assert cells(lines[4])[2:4] == ["—", "—"]

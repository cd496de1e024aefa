"""`ragaliq aggregate` on other tools' files: every figure, failures counted, ranks, and what a user may get wrong."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.metrics.statistics.intervals import value_interval

VALUES = {"A": 0.9, "B": 0.4}


@pytest.fixture
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two systems on 40 items in Russian and Chinese; A is better on each, and lacks one Chinese value."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scores.csv"
    rows = [
        (f"q{n}", system, "" if (system, lang, n) == ("A", "zh", 7) else f"{value + n % 5 * 0.02:.2f}", lang)
        for system, value in VALUES.items()
        for lang in ("ru", "zh")
        for n in range(40)
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "system", "value", "lang"), *rows])
    return path


def objects(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    assert main(["aggregate", *options, "--format", "json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_every_figure_of_a_table(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = objects(capsys, "scores.csv", "--range", "0,1")
    assert [(row["system"], row["lang"]) for row in found] == [("A", "ru"), ("A", "zh"), ("B", "ru"), ("B", "zh")]
    chinese = found[1]
    values = [round(0.9 + n % 5 * 0.02, 2) for n in range(40) if n != 7]
    assert (chinese["file"], chinese["metric"], chinese["judge"]) == ("scores.csv", "value", None)
    assert (chinese["n"], chinese["n_scored"], chinese["n_expected"], chinese["coverage"]) == (40, 39, None, 39 / 40)
    assert chinese["mean"] == pytest.approx(sum(values) / 39) and chinese["median"] == median(values)
    assert chinese["ci95"] == pytest.approx(list(value_interval(values, 0, 1) or ()))
    assert chinese["bounds"] == pytest.approx([sum(values) / 40, (sum(values) + 1) / 40])
    ends = [value_interval([*values, end], 0, 1) for end in (0.0, 1.0)]
    assert ends[0] and ends[1] and chinese["bounds_ci95"] == pytest.approx([ends[0].low, ends[1].high])
    assert sum(chinese["failures"].values()) == 1 and chinese["n"] == chinese["n_scored"] + 1
    assert [row["rank_ci"] for row in found] == [[1, 1], [1, 1], [2, 2], [2, 2]]
    russian = found[0]
    assert russian["failures"] == {} and russian["bounds"] == [russian["mean"]] * 2
    assert russian["bounds_ci95"] == russian["ci95"]


def test_expected_items_that_are_missing_are_counted(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = objects(capsys, "scores.csv", "--range", "0,1", "--n-expected", "50")[1]
    assert (row["n"], row["n_scored"], row["n_expected"], row["coverage"]) == (40, 39, 50, 39 / 50)
    assert sum(row["failures"].values()) == 11 and row["failures"]["missing"] == 10
    assert main(["aggregate", "scores.csv", "--n-expected", "39"]) == 2
    told = capsys.readouterr().err
    assert "scores.csv: A: 40 items, more than --n-expected 39" in told and len(told.splitlines()) == 1


def test_tables_and_csv(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["aggregate", "scores.csv"]) == 0
    text = capsys.readouterr().out
    assert "## ru" in text and "## zh" in text and "39/40" in text
    assert "value, zh: ranks over the 39 of 40 items" in text
    assert main(["aggregate", "scores.csv", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 4 and rows[0]["rank_ci"] == "1" and float(rows[1]["bounds_low"]) < float(rows[1]["mean"])
    assert float(rows[1]["bounds_ci95_low"]) < float(rows[1]["bounds_low"])


def test_grades_keep_their_objects_beside_other_values(scores: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_graded_run(Path("run"), {"de": [5, 4, 3, 0]})
    alone = objects(capsys, "run")
    both = objects(capsys, "scores.csv", "run")
    assert both[:1] == alone and len(both) == 5 and "weighted_score" in both[0]
    assert main(["aggregate", "run", "scores.csv"]) == 0
    assert "# Other tools' files" in capsys.readouterr().out
    assert main(["aggregate", "run", "scores.csv", "--format", "csv"]) == 2
    assert "give them one at a time" in capsys.readouterr().err

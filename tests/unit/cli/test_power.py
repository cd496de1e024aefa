"""`ragaliq power`: both forms, a pilot, planned figures, and what a user may get wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.metrics.statistics.power import queries_needed


def called(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> str:
    try:
        found = main(["power", *options])
    except SystemExit as stop:
        found = int(str(stop.code))
    told = capsys.readouterr()
    assert found == code, told.err
    return told.err if code else told.out


def test_planned_figures(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(called(capsys, "--sd", ".27", "--difference", ".05", "--format", "json"))
    (row,) = found["rows"]
    assert row["queries_needed"] == 231 == queries_needed(0.27, 0.05)
    (size,) = row["sizes"]
    assert size["n"] == 231 and size["power"] == pytest.approx(0.8, abs=0.002)
    assert size["wrong_sign"] < 1e-4 and size["exaggeration"] == pytest.approx(1.12, abs=0.01)
    text = called(capsys, "--sd", ".27", "--difference", ".05")
    assert "| 231 " in text and "wrong sign" in text and "exaggeration" in text
    planned = called(capsys, "--sd", ".27", "--n", "100", "--languages", "6", "--correlation", ".4", "--systems", "3")
    assert "each of 6" in planned and "| all " in planned and "| 18 " in planned


def test_a_pilot_of_runs_in_several_languages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(0)
    for name in ("A", "B"):
        grades = {lang: [draw.choice((0, 1, 3, 4, 5, 5)) for _ in range(40)] for lang in ("de", "ru", "zh")}
        write_graded_run(tmp_path / name, grades)
    paths = [str(tmp_path / "A"), str(tmp_path / "B")]
    found = json.loads(called(capsys, *paths, "--difference", ".1", "--format", "json"))
    assert [row["lang"] for row in found["rows"]] == ["de", "ru", "zh", "all"]
    assert [row["tests"] for row in found["rows"]] == [3, 3, 3, 1]
    together = found["rows"][-1]
    assert together["languages"] == 3 and together["pilot_queries"] == 40
    assert together["correlation"] == pytest.approx((together["design_effect"] - 1) / 2)
    for row in found["rows"]:
        assert row["queries_needed"] == queries_needed(row["sd_difference"], 0.1, row["level"])
    text = called(capsys, *paths)
    assert "## The least difference that queries show" in text and "| 800 queries" in text
    one = called(capsys, paths[0], "--n", "50")
    assert "one system alone" in one and "| 50 " in one


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "give a pilot (run folders or files), or --sd"),
        (("--sd", "0"), "a number above 0 is expected, not '0'"),
        (("--sd", "nan"), "a number above 0 is expected"),
        (("--sd", ".2", "--n", "1"), "at least 2 queries are needed, not '1'"),
        (("--sd", ".2", "--systems", "x"), "at least 2 systems are needed, not 'x'"),
        (("--sd", ".2", "--languages", "6"), "--languages above 1 and --correlation go together"),
        (("--sd", ".2", "--correlation", ".4"), "--languages above 1 and --correlation go together"),
        (("--sd", ".2", "--languages", "2", "--correlation", "2"), "a number between 0 and 1 is expected"),
        (("--sd", ".2", "--design-effect", ".5"), "a number of at least 1 is expected"),
        (("--sd", ".2", "--power", "1"), "a number above 0 and below 1 is expected"),
        (("nowhere", "--sd", ".2"), "--sd: a pilot tells it; leave it out, or the paths"),
        (("nowhere",), "nowhere: no such file or folder"),
    ],
)
def test_what_is_wrong_is_one_line(capsys: pytest.CaptureFixture[str], options: tuple[str, ...], says: str) -> None:
    told = called(capsys, *options, code=2)
    assert says in told and len(told.splitlines()) == 1

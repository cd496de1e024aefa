"""`ragaliq compare --gate` and `--min`: pass, fail, or more queries."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragaliq
from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.metrics.statistics.intervals import value_interval
from ragaliq.metrics.statistics.multiplicity import level_per_look
from ragaliq.metrics.statistics.noninferiority import PairedCell
from ragaliq.metrics.statistics.noninferiority import gate as run_gate
from ragaliq.storage.files import write_json, write_jsonl

pytestmark = pytest.mark.usefixtures("few_draws")
WEIGHTS = {5: 1.0, 4: 0.8, 3: 0.6, 0: 0.4, 2: 0.2, 1: 0.0}
LANGS = ("de", "ru", "zh")
BASE = [5, 4, 3, 5, 0, 2] * 20
# Every sixth answer turns from right to wrong.
WORSE = [1 if n % 6 == 0 else grade for n, grade in enumerate(BASE)]
Compare = Callable[..., tuple[str, str]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_graded_run(folder / "main", dict.fromkeys(LANGS, BASE))
    write_graded_run(folder / "same", dict.fromkeys(LANGS, BASE))
    write_graded_run(folder / "worse", {lang: WORSE if lang == "ru" else BASE for lang in LANGS})
    return folder


@pytest.fixture
def compare(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Compare:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)

    def called(*options: str, code: int = 0) -> tuple[str, str]:
        found = main(["compare", *options])
        told = capsys.readouterr()
        assert found == code, told
        return told.out, told.err

    return called


def gate(compare: Compare, *options: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(compare(*options, "--format", "json", code=code)[0])["gate"]
    return found


def test_equal_runs_pass_where_there_are_enough_queries(compare: Compare) -> None:
    found = gate(compare, "main", "same", "--gate", ".05")
    assert (found["outcome"], found["margin"], found["alpha"], found["unchecked"]) == ("pass", 0.05, 0.025, [])
    assert [(cell["system"], cell["lang"], cell["outcome"]) for cell in found["cells"]] == [
        ("same", lang, "pass") for lang in LANGS
    ]
    assert [cell["lang"] for cell in found["together"]] == ["all"]
    text, told = compare("main", "same", "--gate", ".05")
    assert "**Gate: pass.** Every check passes." in text and told == ""


def test_a_planted_worse_run_fails_and_its_queries_are_named(compare: Compare) -> None:
    found = gate(compare, "main", "same", "worse", "--gate", ".03", code=1)
    assert found["outcome"] == "fail"
    (failed,) = [cell for cell in found["cells"] if cell["outcome"] == "fail"]
    assert (failed["system"], failed["lang"]) == ("worse", "ru")
    weights = [[WEIGHTS[grade] for grade in grades] for grades in (BASE, WORSE)]
    ((_, alone),) = run_gate([PairedCell("worse", "ru", weights[0], weights[1])], 0.03).cells
    assert failed["difference"] == pytest.approx(np.mean(weights[1]) - np.mean(weights[0]))
    assert failed["p_pass"] == pytest.approx(alone.p_pass)
    planted = [f"q{n:02}" for n, (one, two) in enumerate(zip(BASE, WORSE, strict=True), start=1) if one != two]
    lost = [change["query"] for change in failed["lost"]]
    assert lost == sorted(planted)[:10]
    text, told = compare("main", "same", "worse", "--gate", ".03", code=1)
    assert text.split("\n\n")[1].startswith("**Gate: fail.** Worse than the baseline: worse (ru).")
    assert "<details><summary>worse (ru): queries that lost most</summary>\n\n- `q01` 5 → 1" in text
    assert f"worse (ru): lost most on {', '.join(lost)}\n" in told


def test_few_queries_are_inconclusive_with_a_number(compare: Compare, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_graded_run(tmp_path / name, {"fr": [5, 4, 3, 5, 0, 2]})
    found = gate(compare, "a", "b", "--gate", ".05", code=1)
    assert found["outcome"] == "inconclusive" and found["queries_needed"] > 6
    text, told = compare("a", "b", "--gate", ".05", "--allow-inconclusive")
    assert f"about {found['queries_needed']} different queries would decide" in text
    assert told.startswith("gate: inconclusive: 1 of 1 checks are undecided")
    # What is inconclusive may be allowed, what fails may not.
    compare("main", "worse", "--gate", ".03", "--allow-inconclusive", code=1)


def test_a_language_that_cannot_be_compared_never_passes(compare: Compare, tmp_path: Path) -> None:
    write_graded_run(tmp_path / "less", dict.fromkeys(LANGS[:2], BASE))
    found = gate(compare, "main", "less", "--gate", ".05", code=1)
    assert found["outcome"] == "inconclusive"
    assert found["unchecked"] == ["zh: not all systems have a value for the same two queries"]
    thin = [None] * 12 + BASE[12:]
    write_graded_run(tmp_path / "thin", dict.fromkeys(LANGS, thin))
    found = gate(compare, "main", "thin", "--gate", ".05", code=1)
    assert found["outcome"] == "inconclusive"
    assert found["unchecked"][0] == "de: too few of the 120 queries have a value in thin"


def test_a_minimum_is_held_against_the_interval(compare: Compare) -> None:
    weights = [WEIGHTS[grade] for grade in BASE]
    ends = value_interval(weights, 0, 1)
    assert ends is not None
    options = [
        f"--min=weighted={least}@zh" for least in (ends.low**2 - 0.001, ends.low**2 + 0.001, ends.high**2 + 0.001)
    ]
    for option, outcome in zip(options, ("pass", "inconclusive", "fail"), strict=True):
        (found,) = gate(compare, "main", "same", option, code=int(outcome != "pass"))["minimums"]
        assert found["outcome"] == outcome
        assert found["value"] == pytest.approx(np.mean(weights) ** 2)
        assert found["ci"] == pytest.approx([ends.low**2, ends.high**2])
    (undecided,) = gate(compare, "main", "same", options[1], code=1)["minimums"]
    assert undecided["queries_needed"] > 120


def test_what_is_missing_counts_against_a_minimum(compare: Compare, tmp_path: Path) -> None:
    write_graded_run(tmp_path / "lost", dict.fromkeys(LANGS, [None] * 60 + [5] * 60))
    (found,) = gate(compare, "main", "lost", "--min", "mean=.6@de", code=1)["minimums"]
    assert (found["value"], found["outcome"], found["queries_needed"]) == (1, "inconclusive", None)
    assert found["ci"][0] < 0.5 and found["ci"][1] == 1
    found = gate(compare, "main", "lost", "--min", "coverage=.9", "--min", "coverage=.5", code=1)
    assert [(one["value"], one["outcome"]) for one in found["minimums"]] == [(0.5, "fail"), (0.5, "pass")]


def test_a_minimum_may_be_of_another_metric(compare: Compare) -> None:
    (found,) = gate(compare, "main", "same", "--min", "fives=.2")["minimums"]
    assert (found["lang"], found["value"]) == ("all", pytest.approx(1 / 3))
    assert "--min zeros: less is better" in compare("main", "same", "--min", "zeros=.1", code=2)[1]
    assert "unknown metric 'fivs'" in compare("main", "same", "--min", "fivs=.1", code=2)[1]


def test_a_margin_is_within_the_range(compare: Compare) -> None:
    assert "'mean_weight' cannot differ by more than 1" in compare("main", "same", "--gate", "2", code=2)[1]
    assert gate(compare, "main", "same", "--metric", "grade", "--gate", "2")["outcome"] == "pass"
    for option in ("--gate=0", "--gate=x", "--min=weighted", "--min==.5", "--min=mean=nan", "--range=1,0", "--group=a"):
        with pytest.raises(SystemExit, match="2"):
            main(["compare", "main", "same", option])


def test_a_minimum_names_a_language_that_is_there(compare: Compare) -> None:
    _, error = compare("main", "same", "--min", "mean=.1@RU", "--allow-inconclusive", code=2)
    assert "--min mean@RU: no such language; known: de, ru, zh" in error


def test_a_gate_that_checks_nothing_is_refused(compare: Compare) -> None:
    assert "nothing is checked without --gate or --min" in compare("main", "same", "--allow-inconclusive", code=2)[1]


def test_a_range_that_nobody_names_never_passes(compare: Compare) -> None:
    rows = [
        {"id": f"q{n}", "system": name, "score": None if name == "neu" and n % 4 == 0 else 6 + n % 3}
        for n in range(200)
        for name in ("alt", "neu")
    ]
    write_jsonl(Path("scores.jsonl"), rows)
    found = gate(compare, "scores.jsonl", "--min", "mean=5", code=1)
    assert (found["outcome"], found["minimums"][0]["value"]) == ("inconclusive", pytest.approx(7, abs=0.1))
    found = gate(compare, "scores.jsonl", "--gate", "1", "--mixed", code=1)
    assert "the range of 'score' is not known; --range LO,HI names it" in found["unchecked"]
    # With the range, a quarter of missing values may be as low as 0.
    found = gate(compare, "scores.jsonl", "--min", "mean=5", "--range", "0,10", code=1)
    assert found["minimums"][0]["ci"][0] < 5 < 5.25 + 2.5 < found["minimums"][0]["ci"][1]


def test_a_reader_that_stops_early_does_not_let_a_failed_gate_pass(compare: Compare) -> None:
    command = [sys.executable, "-m", "ragaliq", "compare", "main", "worse", "--gate", ".03", "--format", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert process.returncode == 1 and "gate: fail" in told and "Traceback" not in told


def test_looks_lower_the_level(compare: Compare, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(compare("main", "worse", "--gate", ".05", "--looks", "6", "--format", "json", code=1)[0])
    assert (found["looks"], found["level"]) == (6, pytest.approx(level_per_look(6, 0.05)))
    assert found["gate"]["alpha"] == pytest.approx(found["level"] / 2)
    assert "One of 6 looks while queries are added" in compare("main", "same", "--looks", "6")[0]
    config = json.loads((tmp_path / "main" / "config.json").read_text())
    write_json(tmp_path / "main" / "config.json", {**config, "looks": {"planned": 4}})
    assert json.loads(compare("main", "same", "--format", "json")[0])["looks"] == 4
    assert "--looks 3: main was planned with 4; give 4 or more" in compare("main", "same", "--looks", "3", code=2)[1]
    assert json.loads(compare("main", "same", "--looks", "5", "--format", "json")[0])["looks"] == 5
    # The function and the leaderboard go by the plan as well.
    assert ragaliq.compare(["main", "same"]).figures.comparison.settings.looks == 4
    assert main(["leaderboard", "main", "same", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["looks"] == 4
    for looks, told in (
        ({"planned": 4, "spending": "obrien-fleming"}, "must have the spending function 'pocock'"),
        ({"planned": "four"}, "must be a whole number from 1, not 'four'"),
    ):
        write_json(tmp_path / "main" / "config.json", {**config, "looks": looks})
        assert told in compare("main", "same", code=2)[1]


def test_names_and_questions_do_not_mark_anything(compare: Compare, tmp_path: Path) -> None:
    for name, grade in (("x", 5), ("y", 1)):
        rows = [{"query_id": f"q`{n}", "question": "<b>_Почему_</b> | [a](b)\n" + "字" * 80, "grade": grade}
                for n in range(12)]  # fmt: skip
        write_jsonl(tmp_path / f"{name}.jsonl", rows)
    text, _ = compare("x.jsonl", "y.jsonl")
    line = next(line for line in text.splitlines() if line.startswith("- `q"))
    assert line.startswith("- `q'0` 5 → 1 &lt;b>\\_Почему\\_&lt;/b> \\| \\[a\\]\\(b) 字") and line.endswith("字…")
    assert "and 2 more (`--format json` has all)" in text
    assert len(json.loads(compare("x.jsonl", "y.jsonl", "--format", "json")[0])["flips"][0]["good_to_bad"]) == 12


def test_one_system_alone_is_refused(compare: Compare) -> None:
    assert "there is one system alone, main; give at least two" in compare("main", code=2)[1]

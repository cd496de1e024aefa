"""`ragaliq review`: options, streams, exit codes, kills."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from ragaliq.cli.review import login_name
from unit.review.benches import write_bench, write_parity
from unit.review.command import run
from unit.review.small import ALPHA, BETA, write_run, write_runs

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path / "runs", queries=2)


def in_terminal(folder: Path, *options: str) -> subprocess.Popen[str]:
    """The command in a process of its own, with pipes for a terminal."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "ragaliq", "review", str(folder), "--terminal", "--rater", "ada", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")


def rows(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "review" / "labels.ada.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_piped_session_ends_with_its_input_and_says_how_far_it_is(runs: Path) -> None:
    process = in_terminal(runs / ALPHA, "--lang", "ru,zh")
    out, err = process.communicate("5\n0\n1\n", timeout=60)
    assert process.returncode == 0
    assert "Question: " in out
    assert "4 items of 1 run, task grade, rater ada" in err
    assert err.count("judged: ") == 1
    assert [row["grade"] for row in rows(runs / ALPHA)] == [5, 0, 1]


def test_a_killed_session_has_lost_nothing_and_goes_on(runs: Path) -> None:
    process = in_terminal(runs)
    assert process.stdin
    assert process.stdout
    process.stdin.write("3\n4\n")
    process.stdin.flush()
    shown = ""
    while "item 3 of" not in shown:
        shown = process.stdout.readline()
        assert shown, process.communicate()[1]
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = rows(runs)
    assert {row["grade"] for row in before} == {3, 4}
    again = in_terminal(runs)
    out, _ = again.communicate("", timeout=60)
    assert "item 3 of 18" in out
    assert "2 judged" in out
    assert rows(runs) == before


def test_ctrl_c_ends_with_0(runs: Path) -> None:
    process = in_terminal(runs)
    assert process.stdout
    shown = ""
    while "item 1 of" not in shown:
        shown = process.stdout.readline()
        assert shown, process.communicate()[1]
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in err


def test_wrong_input_is_one_line_and_2(
    runs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases: list[tuple[list[str], str]] = [
        (["nowhere"], "nowhere: neither a run (config.json is missing) nor a folder of runs"),
        (["{runs}", "--lang", "xx", "--terminal"], "--lang xx: no answers to judge in that language; known: de, en"),
        (["{runs}", "--rater", "../x", "--terminal"], "--rater '../x': letters, digits"),
        (["{runs}", "--rater", "", "--terminal"], "--rater '': is empty; give a name, or leave it out"),
        (["{runs}", "--rater", " \t", "--export", "out"], "is empty; give a name"),
        (["{runs}", "--rater", "bo", "--export", "out"], "no labels here yet"),
        (["{runs}", "--task", "lgtm", "--terminal"], ".trec: is missing, so there is nothing to look at"),
        (["{runs}", "--export", "out"], "no labels here yet"),
        (["{runs}", "--import", "missing.jsonl"], "missing.jsonl: cannot be read"),
    ]
    for options, said in cases:
        monkeypatch.chdir(runs.parent)
        assert run([option.replace("{runs}", str(runs)) for option in options]) == 2, options
        captured = capsys.readouterr()
        (line,) = [line for line in captured.err.splitlines() if line.startswith("ragaliq")]
        assert said in line, options
        assert captured.out == "", options
        assert not (runs / "review").exists(), options


def test_a_taken_port_is_one_line_and_2(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run([str(runs), "--port", str(port), "--no-browser"]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert f"--port {port}: cannot be opened" in line
    assert captured.out == ""


def test_runs_without_answers_are_not_counted(runs: Path) -> None:
    write_run(runs / "empty", [])
    _, err = in_terminal(runs).communicate("", timeout=60)
    assert "18 items of 2 runs (24 answers; the same text is judged once), task grade, rater ada" in err


@pytest.mark.slow
def test_a_session_without_a_judgement_names_no_file(runs: Path) -> None:
    _, err = in_terminal(runs).communicate("q\n", timeout=60)
    assert err.splitlines()[-1] == "nothing was judged, so nothing is saved"
    assert not (runs / "review").exists()
    _, err = in_terminal(runs).communicate("m 不确定\nq\n", timeout=60)
    assert err.splitlines()[-1].endswith(f"saved in {runs / 'review' / 'labels.ada.jsonl'}")
    assert [row["note"] for row in rows(runs)][:1] == ["不确定"]


def test_wrong_usage_is_2(runs: Path) -> None:
    for options in [["--port", "99999"], ["--sample", "0"], ["--terminal", "--html", "x"]]:
        with pytest.raises(SystemExit) as stopped:
            run([str(runs), *options])
        assert stopped.value.code == 2, options


def test_a_file_page_and_its_labels(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = runs.parent / "page.html"
    assert run([str(runs), "--rater", "ada", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    held = json.loads(text.split('id="data">')[1].split("</script>")[0])
    back = runs.parent / "back.jsonl"
    row = {"page": held["page"], "sheet": held["sheets"][0]["id"], "value": 4, "note": "", "at": "2026-03-01T10:00:00Z"}
    back.write_text(json.dumps(row))
    assert run([str(runs), "--rater", "ada", "--import", str(back)]) == 0
    assert run([str(runs), "--rater", "ada", "--import", str(back)]) == 0
    said = capsys.readouterr().err
    assert "1 judgements added" in said
    assert "0 judgements added" in said
    assert {row["at"] for row in rows(runs)} == {"2026-03-01T10:00:00+00:00"}
    out = runs.parent / "out"
    assert run([str(runs), "--export", str(out)]) == 0
    assert {path.name for path in out.iterdir()} <= {"labels.jsonl", f"labels.{ALPHA}.jsonl", f"labels.{BETA}.jsonl"}


def test_without_a_name_the_rater_is_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, ".ada b/c")
    assert login_name() == "adabc"


def test_a_benchmark_is_reviewed_by_two_and_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = write_bench(tmp_path / "bench")
    for rater, lines in (("ada", "h1\nok\n"), ("bo", "ok\nok\n")):
        monkeypatch.setattr(sys, "stdin", StringIO(lines))
        assert run([str(bench), "--lang", "zh", "--sample", "2", "--terminal", "--rater", rater]) == 0
        said = capsys.readouterr().err
        assert f"2 items of the benchmark, task nuggets, rater {rater}" in said
    assert run([str(bench), "--export", str(tmp_path / "out")]) == 0
    captured = capsys.readouterr()
    assert "nuggets.jsonl: 4 labels" in captured.err
    table = [line.strip("| ").split(" | ") for line in captured.out.splitlines()]
    assert table[0] == ["judged", "lang", "n", "raters", "same", "Cohen's κ", "α", "α ordinal"]
    # One nugget in each of the two queries.
    assert [row[:5] for row in table[2:]] == [
        ["hallucinated", "zh", "2", "2", "0.500"],
        ["redundant", "zh", "2", "2", "1.000"],
        ["missing", "zh", "2", "2", "1.000"],
    ]
    assert run([str(bench), "--task", "grade"]) == 2
    assert "holds a benchmark; give nuggets or support or translation" in capsys.readouterr().err
    assert run([str(bench), "--lang", "xx", "--terminal"]) == 2
    assert "--lang xx: no items to judge in that language; known: de, en, es, fr, ru, zh" in capsys.readouterr().err


def test_the_start_line_says_how_many_flagged_items_come_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = write_bench(tmp_path / "bench")
    write_parity(bench, [("zh", "q2"), ("ru", "q3")])
    monkeypatch.setattr(sys, "stdin", StringIO(""))
    assert run([str(bench), "--lang", "zh", "--terminal", "--rater", "ada"]) == 0
    assert "7 items of the benchmark, task nuggets, rater ada; 1 of them come first: " in capsys.readouterr().err


def test_labels_of_a_page_go_to_the_rater_whom_it_was_made_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench, page, back = write_bench(tmp_path / "bench"), tmp_path / "page.html", tmp_path / "back.jsonl"
    assert run([str(bench), "--task", "support", "--html", str(page), "--rater", "प्रिया"]) == 0
    (known,) = (bench / "review").glob("page.*.json")
    row = {"page": known.name.split(".")[1], "sheet": next(iter(json.loads(known.read_text())["sheets"])),
           "value": "partial", "note": "", "at": "2026-03-01T10:00:00+00:00"}  # fmt: skip
    back.write_text(json.dumps(row) + "\n")
    assert run([str(bench), "--import", str(back)]) == 0
    assert "1 judgements added" in capsys.readouterr().err
    assert (bench / "review" / "labels.प्रिया.jsonl").is_file()

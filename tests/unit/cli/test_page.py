"""`report --format html` and `view`: where the page goes, whose file it replaces, how the commands end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from graded_runs import write_graded_run
from ragaliq.cli import main

GRADES = {"en": [5, 3, 1], "de": [4, 4, 0]}


def test_the_page_of_one_run_goes_into_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_graded_run(tmp_path / "a", GRADES)
    assert main(["report", str(run.path), "--format", "html"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"page: {run.path}/report.html"
    assert not (tmp_path / "results.md").exists()
    first = (run.path / "report.html").read_bytes()
    assert main(["report", str(run.path), "--format", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"results: {tmp_path}/results.md", f"page: {run.path}/report.html"]
    assert (run.path / "report.html").read_bytes() == first


def test_the_page_of_several_runs_goes_beside_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(write_graded_run(tmp_path / name, GRADES).path) for name in ("a", "b")]
    assert main(["report", *runs, "--format", "html"]) == 0
    assert main(["report", *runs, "--format", "html", "--out", str(tmp_path / "new" / "folder")]) == 0
    files = [tmp_path / "report.html", tmp_path / "new" / "folder" / "report.html"]
    pages = [line for line in capsys.readouterr().out.splitlines() if line.startswith("page: ")]
    assert pages == [f"page: {file}" for file in files]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_markdown_stays_the_default(tmp_path: Path) -> None:
    run = write_graded_run(tmp_path / "a", GRADES)
    assert main(["report", str(run.path)]) == 0
    assert (tmp_path / "results.md").is_file()
    assert not (run.path / "report.html").exists()


def test_a_page_of_another_hand_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write_graded_run(tmp_path / "a", GRADES)
    page = run.path / "report.html"
    page.write_text("mine", encoding="utf-8")
    for form in ("html", "all"):
        assert main(["report", str(run.path), "--format", form]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{page}: would be replaced, but ragaliq did not write it; move it away" in line
    assert page.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "results.md").exists()


def test_files_of_grades_have_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps([{"score": 5, "question": "q"}]), encoding="utf-8")
    run = write_graded_run(tmp_path / "a", GRADES)
    for paths in ([log], [run.path, log]):
        assert main(["report", *map(str, paths), "--format", "html"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line == "ragaliq: --format html: a page shows run folders; of files of grades, take md"


def test_a_run_that_is_not_graded_yet_has_a_page_and_fails_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_graded_run(tmp_path / "a", GRADES)
    run.verdicts_file.unlink()
    assert main(["report", str(run.path), "--format", "html"]) == 1
    assert "coverage 0 (0 of 3) is below 0.95" in capsys.readouterr().err
    assert (run.path / "report.html").is_file()
    assert main(["report", str(run.path), "--format", "all"]) == 2
    assert "not graded yet" in capsys.readouterr().err


def test_what_cannot_be_viewed_is_one_line_and_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [write_graded_run(tmp_path / name, GRADES, data=name) for name in ("a", "b")]
    for paths, message in (
        ([tmp_path / "nowhere"], "no such folder"),
        ([tmp_path], "no run here (config.json is missing), but there is one in"),
        ([run.path for run in runs], "these runs answer different data"),
    ):
        assert main(["view", *map(str, paths)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line
    with pytest.raises(SystemExit) as stop:
        main(["view", str(runs[0].path), "--port", "70000"])
    assert stop.value.code == 2
    assert "a port from 0 to 65535 is expected" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_view_serves_until_it_is_stopped(tmp_path: Path, number: int) -> None:
    run = write_graded_run(tmp_path / "a", GRADES)
    before = {file.name: file.read_bytes() for file in run.path.iterdir()}
    command = [sys.executable, "-m", "ragaliq", "view", str(run.path), "--no-browser"]
    source = Path(__file__).resolve().parents[3] / "src"
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    ) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            url = urlsplit(process.stdout.readline().strip())
            assert url.hostname == "127.0.0.1"
            connection = HTTPConnection("127.0.0.1", url.port or 0, timeout=20)
            for name, kind in (("", "text/html; charset=utf-8"), ("status", "application/json")):
                connection.request("GET", url.path + name)
                reply = connection.getresponse()
                reply.read()
                assert (reply.status, reply.getheader("Content-Type")) == (200, kind)
            connection.close()
            process.send_signal(number)
            assert process.wait(20) == 0
            assert process.stderr.read() == "the page is open to this machine alone; Ctrl-C ends\n\n"
        finally:
            process.kill()
    assert {file.name: file.read_bytes() for file in run.path.iterdir()} == before

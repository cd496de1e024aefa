"""Our own files as input, and files of others where ours would stand: one line, and nothing is lost."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fakes import write_run_folder
from ragaliq.aggregate.run_figures import read_figures
from ragaliq.cli import main
from ragaliq.cli.run import finish
from ragaliq.runs.folder import RunFolder
from small import write_small

ROOT = Path(__file__).resolve().parents[3]
MINE = "My own notes\n"


def refused(capsys: pytest.CaptureFixture[str], *command: object) -> str:
    """What a refused command says in its one line."""
    capsys.readouterr()
    assert main([str(part) for part in command]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_broken_neighbour_stops_no_run_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run_folder(tmp_path / "a", [5])
    write_run_folder(tmp_path / "broken", [5]).metrics_file.write_text('{"overlap": {"en": {}}}')
    assert finish(read_figures(RunFolder(tmp_path / "a")), 0.95) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path}/broken is left out of {tmp_path}/results.md" in line and "'overlap.en.n' is missing" in line
    assert "`broken`" in (tmp_path / "results.md").read_text(encoding="utf-8")


def test_results_of_another_hand_stop_a_command_before_its_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_run_folder(tmp_path / "runs" / "a", [5])
    bench = write_small(tmp_path / "bench")
    (tmp_path / "runs" / "results.md").write_text(MINE)
    before = folder.verdicts_file.read_bytes()
    for command in (
        ("judge", folder),
        ("report", folder),
        ("run", "--data", bench, "--lang", "en", "--limit", 1, "--out", tmp_path / "runs" / "b"),
    ):
        line = refused(capsys, *command)
        assert "runs/results.md: would be replaced, but ragaliq did not write it; move it away" in line, command
    assert (tmp_path / "runs" / "results.md").read_text() == MINE
    assert folder.verdicts_file.read_bytes() == before
    assert not (tmp_path / "runs" / "b").exists()


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.run.jsonl", "lgtm.json"])
def test_labels_of_another_hand_are_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = write_run_folder(tmp_path / "run", [5])
    monkeypatch.setattr(sys, "stdin", io.StringIO("5\n"))
    assert main(["review", str(folder), "--terminal", "--rater", "ada"]) == 0
    out = tmp_path / "out"
    assert main(["review", str(folder), "--export", str(out)]) == 0
    assert main(["review", str(folder), "--export", str(out)]) == 0
    written = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(written) == ["labels.jsonl", "labels.run.jsonl"]
    (out / name).write_text(MINE)
    line = refused(capsys, "review", folder, "--export", out)
    assert f"{name}: would be replaced, but ragaliq did not write it; give another folder with --export" in line
    assert (out / name).read_text() == MINE
    assert "holds the judgements themselves" in refused(capsys, "review", folder, "--export", folder.path / "review")


@pytest.mark.parametrize("name", ["metrics.json", "retrieval.md"])
def test_a_report_of_another_hand_stops_an_experiment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "x.yaml").write_text(
        f"name: x\ndata: {write_small(tmp_path / 'bench')}\nsystems: [{{retriever: bm25}}]\n"
    )
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text(MINE)
    assert f"{name}: would be replaced" in refused(capsys, "experiment", tmp_path / "x.yaml", "--out", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]


@pytest.mark.parametrize("name", ["report.md", "report.json", "CARD.md"])
def test_a_build_report_of_another_hand_stops_a_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "text.md").write_text("# Roof\n\nThe roof is blue.\n")
    assert main(["build", "init", "--bench", str(tmp_path / "b"), "--from", str(tmp_path / "text.md")]) == 0
    (tmp_path / "b" / name).write_text(MINE)
    assert f"{name}: would be replaced" in refused(capsys, "build", "all", "--bench", tmp_path / "b")
    assert not (tmp_path / "b" / "build").exists()


def test_a_record_of_another_hand_is_not_appended_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.md").write_text("# Roof\n\nThe roof is blue.\n")
    (tmp_path / "notes.txt").write_text("first\nlast line without its end")
    assert main(["build", "init", "--bench", str(tmp_path / "b"), "--from", str(tmp_path / "text.md")]) == 0
    record = tmp_path / "notes.txt"
    assert "notes.txt: would be replaced" in refused(
        capsys, "build", "all", "--bench", tmp_path / "b", "--record", record
    )
    assert record.read_text() == "first\nlast line without its end"


def test_a_pipe_as_answers_is_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run_folder(tmp_path / "run", [5])
    for name in ("answers.jsonl", "timings.jsonl"):
        whole = (folder.path / name).read_bytes()
        (folder.path / name).unlink()
        os.mkfifo(folder.path / name)
        assert f"{name}: is no regular file but a pipe" in refused(capsys, "report", folder), name
        (folder.path / name).unlink()
        (folder.path / name).write_bytes(whole)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.json", ""),
        ("config.json", '{"system": {"reader": {}}}'),
        ("metrics.json", '{"overlap": 1}'),
        ("answers.jsonl", '{"query_id": "q1", "lang": "en", "in_language": "x"}'),
        ("timings.jsonl", '{"lang": "en", "query_id": "q1", "seconds": 1' + "0" * 400 + "}"),
        ("verdicts.jsonl", "[" * 100_000 + "\n"),
    ],
)
def test_a_broken_file_of_a_run_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    folder = write_run_folder(tmp_path / "run", [5])
    (folder.path / name).write_text(text)
    assert f"run/{name}" in refused(capsys, "report", folder)


def test_a_page_of_another_shape_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_run_folder(tmp_path / "run", [5])
    (folder.path / "review").mkdir()
    (tmp_path / "labels.jsonl").write_text(json.dumps({"page": "ab12", "sheet": "x", "value": 5}) + "\n")
    shapes: list[object] = [[], {"x": [[["run"], "en", "q1"]]}, {"x": [["run", "en"]]}, {"x": {}}]
    for sheets in shapes:
        (folder.path / "review" / "page.ab12.json").write_text(json.dumps({"task": "grade", "sheets": sheets}))
        line = refused(capsys, "review", folder, "--rater", "ada", "--import", tmp_path / "labels.jsonl")
        assert "page.ab12.json: not what `ragaliq review --html` wrote ('sheets" in line, sheets


TERMINATED = """
import os, signal, sys
from ragaliq import cli
from ragaliq.cli import report
report.call = lambda arguments: os.kill(os.getpid(), signal.SIGTERM)
sys.exit(cli.main(["report", "x"]))
"""


def test_an_early_request_to_terminate_ends_a_command_like_an_interruption() -> None:
    done = subprocess.run([sys.executable, "-c", TERMINATED], env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
                          capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (3, "")
    assert "interrupted; what is finished is on disk" in done.stderr and "Traceback" not in done.stderr


def test_the_handler_of_a_caller_is_put_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert main(["report", str(tmp_path / "none")]) == 2
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_names_what_is_full(tmp_path: Path) -> None:
    folder: RunFolder = write_run_folder(tmp_path / "run", [5])
    command = [sys.executable, "-m", "ragaliq", "aggregate", str(folder)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)  # fmt: skip
    assert f"the output or a temporary file: {os.strerror(errno.ENOSPC)}; fix it" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_runs_of_a_clone_are_ignored_by_git() -> None:
    paths = [
        "results/results.md",
        "results/velmora/config.json",
        "results/try/answers.jsonl",
        "results/remade/default/x",
    ]
    if not (ROOT / ".git").exists():
        pytest.skip("no clone")
    done = subprocess.run(["git", "check-ignore", *paths], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == paths


@pytest.mark.parametrize(
    "command",
    ["run --data", "run --out", "run --knowledge_base", "report", "judge", "validate", "compare a", "agree --labels"],
)
def test_a_path_that_cannot_be_or_is_no_text_is_one_line(capsys: pytest.CaptureFixture[str], command: str) -> None:
    for name, told in (
        ("d\udcffx", "'d\\udcffx' is not UTF-8; rename the file or folder"),
        ("a\0b", "'a\\x00b' holds a null character, which no path has; check the path"),
    ):
        with pytest.raises(SystemExit) as end:
            main([*command.split(), name])
        assert end.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line == f"ragaliq: {told}; see ragaliq --help"


def test_a_null_character_in_a_config_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, key in (("run", "data"), ("run", "knowledge_base"), ("run", "reader"), ("experiment", "data")):
        Path("c.yaml").write_text(f'name: x\n{key}: "a\\0b"\n', encoding="utf-8")
        assert refused(capsys, command, "c.yaml").startswith("ragaliq: c.yaml:2: not valid YAML (a null character")
    assert [path.name for path in tmp_path.iterdir()] == ["c.yaml"]


def test_a_run_in_a_folder_whose_name_is_no_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "d\udcff").mkdir()
    monkeypatch.chdir(tmp_path / "d\udcff")
    assert refused(capsys, "report", ".").endswith("d\\udcff' is not UTF-8; rename the file or folder")

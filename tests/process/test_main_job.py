"""The main job as a user runs it: real processes, real files, a real kill, no network."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = Path("results") / "velmora_extractive_use-multilingual_none"
STABLE = ("answers.jsonl", "verdicts.jsonl", "checks.jsonl", "nugget_scores.jsonl", "waterfall.jsonl", "metrics.json")

# Refuses, and reports, any connection that is not to a local socket file.
NO_NETWORK = """
import socket, sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo") and not isinstance(arguments[-1], (str, bytes)):
        sys.stderr.write(f"NETWORK {event} {arguments!r}\\n")
        raise OSError("the test refuses connections")
sys.addaudithook(refuse)
"""


def bare_environment(cwd: Path) -> dict[str, str]:
    """Return the variables of a run: others, such as OPENBLAS_CORETYPE, may change the last digits of its scores."""
    return {"PATH": os.environ["PATH"], "HOME": str(cwd)}


def run_eval(cwd: Path, *options: str, prefix: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[str]:
    command = [*prefix, sys.executable, str(ROOT / "eval.py"), *options]
    environment = bare_environment(cwd) | env
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)


def stop(cwd: Path, path: Path, lines: int, how: signal.Signals) -> subprocess.Popen[str]:
    """Run the first queries, send a signal as soon as `path` has so many lines, and wait for the end."""
    command = [sys.executable, str(ROOT / "eval.py"), "--limit", "20"]
    process = subprocess.Popen(
        command, cwd=cwd, env=bare_environment(cwd), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            break
        time.sleep(0.001)
    os.kill(process.pid, how)
    process.wait(timeout=60)
    return process


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in STABLE}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the first queries in all languages that nobody disturbed."""
    cwd = tmp_path_factory.mktemp("undisturbed")
    done = run_eval(cwd, "--limit", "20")
    assert done.returncode == 0, done.stderr
    return cwd


@pytest.mark.slow
def test_the_default_run_publishes_six_tables_and_a_whole_run_folder(tmp_path: Path) -> None:
    done = run_eval(tmp_path, "--lang", "all")
    assert done.returncode == 0, done.stderr
    results = (tmp_path / "results" / "results.md").read_text(encoding="utf-8")
    assert [line for line in results.splitlines() if line.startswith("## ")] == [
        "## en", "## de", "## fr", "## es", "## ru", "## zh",
    ]  # fmt: skip
    columns = (
        "run model_name embedder_name reranker_name lang weighted_score language_consistency_score mean_grade "
        "median_grade percentage percentage_with_zero 5 4 3 2 1 0 generation_time n coverage ci95 rank_ci "
        "selection_frequency new_sample95 judge mean_weight"
    )
    header = next(line for line in results.splitlines() if "| model_name" in line)
    assert [cell.strip() for cell in header.strip("|").split("|")] == columns.split()
    folder = tmp_path / RUN
    rows = [json.loads(line) for line in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len({(row["lang"], row["query_id"]) for row in rows}) == 6 * 174
    assert [(row["lang"], row["query_id"]) for row in rows] == sorted((row["lang"], row["query_id"]) for row in rows)
    assert {path.name for path in folder.iterdir()} == {
        "config.json", "answers.jsonl", "verdicts.jsonl", "checks.jsonl", "nugget_scores.jsonl", "timings.jsonl",
        "waterfall.jsonl", "metrics.json",
        *(f"retrieval.{lang}.trec" for lang in ("en", "de", "fr", "es", "ru", "zh")),
    }  # fmt: skip
    for aggregates in json.loads((folder / "metrics.json").read_text())["aggregates"]:
        assert (aggregates["n"], aggregates["n_expected"], aggregates["coverage"]) == (148, 148, 1.0)
        table = aggregates["abstention"]
        assert table["abstained_unanswerable"] + table["answered_unanswerable"] == 26
        assert table["abstained_answerable"] + table["answered_answerable"] == 148


@pytest.mark.slow
def test_the_default_run_opens_no_connection(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_NETWORK)
    cut_off = ("unshare", "--map-root-user", "--net")
    probe = subprocess.run([*cut_off, "true"], capture_output=True, check=False) if shutil.which("unshare") else None
    # Where the system lets us make a network namespace without interfaces, native code is cut off, too.
    prefix = cut_off if probe is not None and probe.returncode == 0 else ()
    done = run_eval(tmp_path, "--limit", "2", prefix=prefix, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "NETWORK" not in done.stderr


def test_the_refusal_of_connections_works(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_NETWORK)
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, check=False
    )
    assert done.returncode != 0
    assert b"NETWORK socket." in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "lines"),
    [
        ("answers.jsonl", 1),
        ("answers.jsonl", 101),
        ("verdicts.jsonl", 60),
        ("waterfall.jsonl", 40),
    ],
)
def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path, undisturbed: Path, file: str, lines: int) -> None:
    path = tmp_path / RUN / file
    process = stop(tmp_path, path, lines, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "the run was over before it could be killed"
    before = path.read_bytes().count(b"\n")
    assert lines <= before
    again = run_eval(tmp_path, "--limit", "20")
    assert again.returncode == 0, again.stderr
    assert contents(tmp_path / RUN) == contents(undisturbed / RUN)


@pytest.mark.slow
def test_an_interrupted_run_says_so_and_goes_on(tmp_path: Path, undisturbed: Path) -> None:
    process = stop(tmp_path, tmp_path / RUN / "answers.jsonl", 30, signal.SIGINT)
    assert process.returncode == 3
    assert process.stderr is not None
    last = process.stderr.read().splitlines()[-1]
    assert last.startswith("ragaliq: interrupted; what is finished is on disk, the same command goes on (")
    again = run_eval(tmp_path, "--limit", "20")
    assert again.returncode == 0, again.stderr
    assert contents(tmp_path / RUN) == contents(undisturbed / RUN)


@pytest.mark.slow
def test_a_finished_run_is_not_done_again(undisturbed: Path) -> None:
    before = contents(undisturbed / RUN)
    timings = (undisturbed / RUN / "timings.jsonl").read_bytes()
    again = run_eval(undisturbed, "--limit", "20")
    assert again.returncode == 0
    assert contents(undisturbed / RUN) == before
    assert (undisturbed / RUN / "timings.jsonl").read_bytes() == timings
    assert "answering" not in again.stderr


@pytest.mark.slow
def test_another_hash_seed_and_locale_give_the_same_bytes(tmp_path: Path, undisturbed: Path) -> None:
    done = run_eval(tmp_path, "--limit", "20", PYTHONHASHSEED="123", LC_ALL="C", LANG="tr_TR.UTF-8")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / RUN) == contents(undisturbed / RUN)


@pytest.mark.slow
def test_a_longer_limit_extends_the_run(tmp_path: Path) -> None:
    assert run_eval(tmp_path, "--lang", "de", "--limit", "3").returncode == 0
    assert run_eval(tmp_path, "--lang", "de,zh", "--limit", "5").returncode == 0
    rows = [json.loads(line) for line in (tmp_path / RUN / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["lang"] for row in rows] == ["de"] * 5 + ["zh"] * 5
    assert json.loads((tmp_path / RUN / "config.json").read_text())["expected"] == {
        "de": {"answerable": 5, "unanswerable": 0},
        "zh": {"answerable": 5, "unanswerable": 0},
    }


@pytest.mark.slow
def test_a_smaller_limit_takes_nothing_away(tmp_path: Path) -> None:
    assert run_eval(tmp_path, "--lang", "fr", "--limit", "6").returncode == 0
    before = contents(tmp_path / RUN)
    done = run_eval(tmp_path, "--lang", "fr", "--limit", "2")
    assert done.returncode == 0 and "fr: an earlier call took 6 queries, this one 2: all 6 count" in done.stderr
    assert done.stderr.count("\n") == 1 and contents(tmp_path / RUN) == before
    assert "graded 6/6" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["before the configuration", "while throwing away"])
def test_a_kill_at_the_first_write_leaves_a_folder_that_is_taken(tmp_path: Path, killed: str) -> None:
    folder = tmp_path / RUN
    folder.mkdir(parents=True)
    (folder / ".config.json.123.draft").write_text("{")
    if killed == "while throwing away":
        assert run_eval(tmp_path, "--lang", "fr", "--limit", "2").returncode == 0
        (folder / "answers.jsonl").unlink()
    assert run_eval(tmp_path, "--lang", "fr", "--limit", "2", "--fresh").returncode == 0


@pytest.mark.slow
def test_a_run_folder_may_be_the_working_directory(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    done = run_eval(here, "--lang", "fr", "--limit", "1", "--out", ".")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results.md").is_file() and (here / "metrics.json").is_file()


@pytest.mark.parametrize("program", [[str(ROOT / "eval.py"), "--help"], ["-c", "import ragaliq"]])
def test_help_and_import_load_nothing_heavy(program: list[str]) -> None:
    heavy = ["torch", "transformers", "chromadb", "langchain", "langchain_core", "pandas", "numpy", "openai", "bm25s"]
    code = (
        "import runpy, sys\n"
        "sys.argv = sys.argv[1:]\n"
        "try:\n"
        "    exec(sys.argv[1]) if sys.argv[0] == '-c' else runpy.run_path(sys.argv[0], run_name='__main__')\n"
        "except SystemExit as stop:\n"
        "    assert stop.code == 0\n"
        f"print('heavy:', [module for module in {heavy!r} if module in sys.modules])\n"
    )
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code, *program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"


@pytest.mark.slow
def test_readme_python_runs_as_printed(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = readme.split("```python\n")[1].split("```")[0]
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = [line.partition("# → ")[2] for line in code.splitlines() if "# → " in line]
    assert expected and expected == done.stdout.splitlines()

"""What a user types on the first day: one line that names what was meant, exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import write_run_folder
from ragaliq.cli import main
from small import write_small

# A command line, and what its line says.
CASES = {
    "run --langs de": "ragaliq run: unknown option --langs, did you mean --lang?; see ragaliq run --help",
    "run --lang=de --ouput=x": "ragaliq run: unknown option --ouput, did you mean --out?",
    "run --config x.yaml": "unknown option --config: give its value without --config",
    "run --retriever bm25": "unknown option --retriever: write 'retriever: …' into CONFIG.yaml",
    "run --gpus embedding=1": "ragaliq: --gpus: is an option of --engine ray; name that, too",
    "run --engine ray --gpus reader=1": "ragaliq: --gpus: unknown stage 'reader'",
    "run --engine ray --gpus embedding": "ragaliq: --gpus 'embedding': write STAGE=SHARE, such as embedding=.25",
    "run --engine ray --gpus judging=1.5": "ragaliq: --gpus judging=1.5: a share of a GPU, or a whole number of them",
    "grade-file a.jsonl --ouput b": "ragaliq grade: unknown option --ouput, did you mean --out?",
    "--versoin": "ragaliq: unknown option --versoin, did you mean --version?",
    "rnu": "unknown 'rnu', did you mean 'run'?",
    "help": "unknown 'help', known: aggregate, agree, ",
    "report one --format htm": "--format: unknown 'htm', did you mean 'html'?",
    "run --judge gpt-4o": "judge 'gpt-4o': unknown kind 'gpt-4o'; did you mean 'openai:gpt-4o'?",
    "judge one --judge gpt-4o": "did you mean 'openai:gpt-4o'?",
    "run --judge nosuch": "unknown kind 'nosuch'; known: offline, openai, panel",
    "run --judge opnai:m": "unknown kind 'opnai'; did you mean 'openai'?",
    "run --check gpt-4o": "did you mean 'openai:gpt-4o'?",
    "run --reader_model_id gpt-4o": "did you mean 'openai:gpt-4o'?",
    "run --embedder_model_id text-embedding-3": "did you mean 'openai:text-embedding-3'?",
    "run --data file.txt": "file.txt: is a file; give a benchmark's folder with --data",
    "run --data bench --out file.txt": "file.txt: is a file; give a folder with --out",
    "judge file.txt": "file.txt: is a file; give a run folder",
    "judge one/answers.jsonl": "one/answers.jsonl: is a file; give a run folder",
    "judge nosuch": "nosuch: no such folder; give a run folder",
    "report runs": "runs: no run here (config.json is missing), but there is one in runs/two; give a run folder",
    "grade bench --out o.jsonl": "bench: is a folder; name a file of answers",
    "aggregate empty.jsonl": "empty.jsonl: holds no row; give a file with grades",
    "aggregate blank.jsonl": "blank.jsonl: holds no row; give a file with grades",
    "compare one empty.jsonl": "empty.jsonl: holds no row; give a file with grades",
    "run --judge openai:m": "judge 'openai': TOKEN is not set",
    "run --reader_model_id openai:m": "reader 'openai': READER_TOKEN or TOKEN is not set",
    "run --data bench --waterfall --no-judge": "run: --waterfall needs grades, and --no-judge makes none",
    "plan --data bench --waterfall --no-judge": "--waterfall needs grades, and --no-judge makes none",
    "run --data bench --lang xx": "--lang: unknown language 'xx'; known: ",
}


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    write_small(tmp_path / "bench")
    write_run_folder(tmp_path / "one", [5])
    write_run_folder(tmp_path / "runs" / "two", [5])
    for name, text in {"file.txt": "hi", "empty.jsonl": "", "blank.jsonl": "\n"}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("line", CASES)
def test_wrong_usage_is_one_line_that_names_what_was_meant(
    line: str, in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(in_folder.rglob("*"))
    try:
        code = main(line.split())
    except SystemExit as stop:
        code = int(str(stop.code))
    out, err = capsys.readouterr()
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert CASES[line] in err
    assert [path for path in sorted(in_folder.rglob("*")) if path not in before and path.name != ".ragaliq"] == []


def test_an_option_may_still_be_shortened_and_hold_dashes(in_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--data", "bench", "--lan", "en", "--lim", "1", "--out=--odd", "--no-judge"]) == 0
    assert (in_folder / "--odd" / "answers.jsonl").is_file()


def test_a_log_of_a_short_run_holds_a_line_for_each_stage(in_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--data", "bench", "--lang", "en", "--out", "r"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith(("note:", "warning"))]
    assert [line.split(":")[0] for line in lines][:2] == ["indexing en", "answering en"]
    assert len(lines) <= 6 and not any("\r" in line for line in lines)


def test_a_smaller_limit_is_told_and_the_figures_say_their_n(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", "--data", "bench", "--lang", "en", "--out", "r"]
    assert main(command) == 0
    first = capsys.readouterr().out
    assert main([*command, "--limit", "1"]) == 0
    again, err = capsys.readouterr()
    assert again == first and "graded " in first
    assert "an earlier call took" in err and "--fresh, or another folder with --out, takes fewer" in err

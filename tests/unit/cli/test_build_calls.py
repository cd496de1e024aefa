from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ragaliq.cli import main
from small_build import STAGES, build, write_documents


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bench = write_documents(tmp_path_factory.mktemp("finished"))
    build(bench)
    return bench


@pytest.fixture
def bench(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(finished.parent, tmp_path / "copy")
    return tmp_path / "copy" / "bench"


def table(text: str) -> dict[str, dict[str, str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "|" in line]
    return {line[0]: dict(zip(lines[0], line, strict=True)) for line in lines[2:]}


def run(bench: Path, *arguments: str) -> int:
    return main(["build", *arguments, "--bench", str(bench)])


def test_status_tells_what_is_up_to_date(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(bench, "status") == 0
    stages = table(capsys.readouterr().out)
    assert tuple(stages) == STAGES and {row["status"] for row in stages.values()} == {"done"}
    assert stages["generate"] == {"stage": "generate", "status": "done", "kept": "12", "removed": "3", "failed": "0"}
    file = bench / "build" / "nuggets.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    row = json.loads(lines[0]) | {"decision": "removed", "reason": "failed"}
    file.write_text("\n".join([json.dumps(row), *lines[1:]]) + "\n", encoding="utf-8")
    (bench / "build" / "export.jsonl").unlink()
    assert run(bench, "status") == 0
    stages = table(capsys.readouterr().out)
    assert stages["nuggets"] == {"stage": "nuggets", "status": "stale", "kept": "11", "removed": "0", "failed": "1"}
    assert [stages[name]["status"] for name in ("dedupe", "closed-book", "export")] == ["done", "stale", "missing"]


def test_a_dry_run_tells_calls_and_cost_and_does_nothing(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bench / "build" / "generate.jsonl").unlink()
    before = sorted(bench.rglob("*"))
    # Neither token nor link is needed.
    assert run(bench, "all", "--dry-run", "--backend", "openai:gpt-4o-mini") == 0
    said = capsys.readouterr().out
    stages = table(said)
    assert stages["chunk"]["status"] == "done" and stages["chunk"]["items"] == "—"
    assert (stages["generate"]["items"], stages["generate"]["calls at most"]) == ("15", "30")
    assert stages["critique"]["items"] == "≤ 15" and stages["critique"]["prompt tokens"] == "—"
    assert (
        f"cost: at most {stages['generate']['USD']} USD; that of critique, nuggets, closed-book, judge is known" in said
    )
    assert sorted(bench.rglob("*")) == before
    assert run(bench, "all", "--dry-run", "--backend", "openai:x") == 0
    assert "cost: unknown, there is no price of x; --prices FILE names another file" in capsys.readouterr().out
    assert run(bench, "all", "--dry-run") == 0
    assert "cost: nothing so far" in capsys.readouterr().out


def test_the_backend_of_a_build_stays_until_another_is_named(
    bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tmp_path / "r.jsonl"
    (bench / "build" / "state.json").unlink()
    for stage in STAGES:
        (bench / "build" / f"{stage}.jsonl").unlink()
    assert run(bench, "all", "--record", str(record)) == 0
    (bench / "build" / "nuggets.jsonl").unlink()
    assert run(bench, "all", "--backend", f"replay:{record}") == 0
    (bench / "build" / "nuggets.jsonl").unlink()
    assert run(bench, "all") == 0
    assert f"backend: replay:{record}, as before" in capsys.readouterr().err


def test_wrong_input_is_told_in_one_line(bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.jsonl").write_text("{}\n")
    for arguments, said in [
        (["jugde"], "build: unknown stage 'jugde'; did you mean 'judge'?"),
        (["all", "--backend", "scriptet"], "unknown kind 'scriptet'; did you mean 'scripted'?"),
        (["all", "--faults", "refusl=1"], "--faults: unknown kind 'refusl'"),
        (["all", "--backend", "replay:r.jsonl"], "r.jsonl:1: not a recorded reply"),
        (["all", "--backend", "replay:none"], "none: no such file; --record writes one"),
        (["all", "--from", "none"], "--from none: no such file or folder"),
        (["all", "--human", "h.csv"], "build all: --human is for `ragaliq build certify`"),
        (["all", "--record", "/dev/null"], "--record /dev/null: not a regular file; name another one"),
        (["all", "--backend", "openai:m"], "TOKEN is not set"),
    ]:
        assert run(bench, *arguments) == 2, arguments
        err = capsys.readouterr().err
        assert said in err and len(err.strip().splitlines()) == 1
    assert main(["build", "status", "--bench", str(tmp_path / "new")]) == 2
    assert "build.yaml: no such file; `ragaliq build init` writes it" in capsys.readouterr().err


def test_items_that_failed_are_told_and_the_exit_code_says_so(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (bench / "build" / "closed-book.jsonl").unlink()
    # The second attempt gets over one fault of an item, not over one in each of two questions.
    assert run(bench, "all", "--faults", "500=.5") == 1
    err = capsys.readouterr().err
    assert "items failed; the same command tries them again" in err
    assert run(bench, "all") == 0


def test_a_killed_init_leaves_a_folder_that_the_next_one_takes(tmp_path: Path, finished: Path) -> None:
    documents = str(finished.parent / "documents")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / ".build.yaml.77.draft").write_text("half")
    assert run(tmp_path / "new", "init", "--from", documents, "--lang", "de") == 0
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    assert run(tmp_path / "full", "init", "--from", documents) == 2

"""`ragaliq build`: exit codes, messages, and what it leaves."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragaliq.build.model.scripted import ScriptedModel
from ragaliq.cli import main
from ragaliq.errors import Stopped
from ragaliq.storage.files import read_json

PIER = """\
# The pier

The pier of Orvella opens at 06:40 and closes at 21:15 on every day of the week.

A boat of up to 9 metres pays 14 crowns a night; a longer boat pays 31 crowns a night.
"""
LAKE = """\
# The lake

The ferry to the island leaves at 08:05, 12:35 and 17:50 from the northern landing stage.

Fishing is allowed from 12 March to 30 September, with a licence of the harbour office.
"""
YAML = """
generate: {queries: 12, per_chunk: 8}
critique: {votes: 2}
pool: {judged: 2, negatives: 1}
unanswerable: 0.2
"""


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of two documents, built by rules."""
    folder = tmp_path_factory.mktemp("complete")
    documents(folder)
    assert (
        main(["build", "init", "--bench", str(folder / "bench"), "--from", str(folder / "docs"), "--lang", "en"]) == 0
    )
    settings = folder / "bench/build.yaml"
    lines = [line for line in settings.read_text().splitlines() if not line.startswith(("generate", "unanswerable"))]
    settings.write_text("\n".join(lines) + YAML)
    assert build("all", folder / "bench") == 0
    return folder


def documents(folder: Path) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs/pier.md").write_text(PIER)
    (folder / "docs/lake.md").write_text(LAKE)
    return folder / "docs"


def build(stage: str, bench: Path, *options: str) -> int:
    return main(["build", stage, "--bench", str(bench), "--no-cache", *options])


@pytest.fixture
def bench(complete: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(complete, tmp_path / "copy")
    return tmp_path / "copy/bench"


def test_a4_one_config_gives_queries_nuggets_corpus_and_judgements_with_report_and_card(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in ("queries/en.jsonl", "nuggets/en.jsonl", "corpus/en.jsonl", "qrels/en.tsv", "nugget_qrels/en.tsv"):
        assert (bench / path).stat().st_size, path
    assert main(["validate", str(bench)]) == 0
    figures = read_json(bench / "report.json")
    assert all(one["items"] == one["kept"] + sum(one["removed"].values()) for one in figures["stages"])
    assert (bench / "report.md").read_text(encoding="utf-8").startswith("# Quality report: bench 1\n")
    card = (bench / "CARD.md").read_text(encoding="utf-8")
    assert "well-formed benchmark, not a valid one" in card and "written by rules" in card
    assert read_json(bench / "bench.json")["built_with"] == figures["built_with"]


def test_a_second_call_does_nothing_and_a_lost_report_is_written_again_alike(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {name: (bench / name).read_bytes() for name in ("report.json", "report.md", "CARD.md")}
    assert build("all", bench) == 0
    assert "report:" not in capsys.readouterr().err
    (bench / "report.json").unlink()
    assert build("export", bench) == 0
    assert f"report: {bench / 'report.md'}" in capsys.readouterr().err
    assert {name: (bench / name).read_bytes() for name in before} == before


def test_the_report_follows_the_settings(bench: Path) -> None:
    settings = bench / "build.yaml"
    settings.write_text(settings.read_text().replace('niche: ""', 'niche: "a harbour"'))
    assert build("all", bench) == 0
    assert "- **niche**: a harbour\n" in (bench / "CARD.md").read_text(encoding="utf-8")


def test_status_and_dry_run_say_what_is_to_be_done_and_do_nothing(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build("status", bench) == 0
    cells = [line.split("|") for line in capsys.readouterr().out.splitlines()[2:]]
    assert len(cells) == 11 and {row[2].strip() for row in cells} == {"done"}
    settings = bench / "build.yaml"
    settings.write_text(settings.read_text().replace("votes: 2", "votes: 3"))
    assert build("all", bench, "--dry-run") == 0
    out = capsys.readouterr().out.splitlines()
    # What comes after has been made of rows that are still there.
    assert next(line.split()[1] for line in out if "| stale" in line) == "critique"


def test_a_stage_without_a_model_needs_no_endpoint(
    bench: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("READER_TOKEN", "TOKEN"):
        monkeypatch.delenv(name, raising=False)
    shutil.rmtree(bench / "build")
    assert build("ingest", bench, "--backend", "openai:m") == 0
    assert capsys.readouterr().err.splitlines()[-1] == "ingest: 2 kept, 0 removed"
    assert build("chunk", bench, "--backend", "openai:m") == 0
    assert build("generate", bench, "--backend", "openai:m") == 2
    assert "READER_TOKEN or TOKEN is not set" in capsys.readouterr().err


def test_items_that_fail_are_exit_code_1_and_stand_in_the_report(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(bench / "build")
    assert build("all", bench, "--faults", "truncated=0.3,seed=3") == 1
    err = capsys.readouterr().err
    assert "items failed; the same command tries them again" in err
    assert "warning[failed-items]" in (bench / "report.md").read_text(encoding="utf-8")


def test_bad_input_is_one_line_and_exit_code_2(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = bench.parent / "other"
    cases: dict[tuple[str, Path, tuple[str, ...]], str] = {
        ("all", other, ()): f"ragaliq: {other / 'build.yaml'}: no such file; `ragaliq build init` writes it\n",
        ("init", other, ()): "ragaliq: build init: name the documents with --from\n",
        ("all", other, ("--from", "nowhere")): "ragaliq: --from nowhere: no such file or folder\n",
        ("pol", bench, ()): "ragaliq: build: unknown stage 'pol'; did you mean 'pool'?\n",
        ("updat", bench, ()): "ragaliq: build: unknown stage 'updat'; did you mean 'update'?\n",
        ("all", bench, ("--from", str(bench.parent))): f"ragaliq: {bench / 'build.yaml'}: names other sources than "
        "--from; edit it, or give another --bench\n",
    }  # fmt: skip
    for (stage, folder, options), message in cases.items():
        assert build(stage, folder, *options) == 2, message
        assert capsys.readouterr().err.splitlines(keepends=True)[-1] == message


def test_a_spent_budget_is_exit_code_3_and_the_same_command_goes_on(
    bench: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = (bench / "report.json").read_bytes()
    shutil.rmtree(bench / "build")
    complete, calls = ScriptedModel.complete, 0

    async def some(self: ScriptedModel, *request: object) -> object:
        nonlocal calls
        calls += 1
        if calls > 20:
            self._session.signal.ask("the budget is spent")
        return await complete(self, *request)  # type: ignore[arg-type]

    monkeypatch.setattr(ScriptedModel, "complete", some)
    assert build("all", bench) == Stopped.exit_code == 3
    monkeypatch.undo()
    assert build("all", bench) == 0
    assert (bench / "report.json").read_bytes() == whole


@pytest.mark.slow
def test_run_warns_of_a_benchmark_built_by_rules(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(bench.parent / "runs/a"))
    assert main(["run", "--data", str(bench), "--limit", "1", "--no-judge", *out]) == 0
    assert "warning[scripted]: the benchmark was built by rules" in capsys.readouterr().err

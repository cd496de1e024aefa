from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest

from fakes import ChangedBackend
from ragaliq.build.model import prompts
from ragaliq.build.model.backend import Backend
from ragaliq.build.pipeline import STAGES as PIPELINE
from ragaliq.build.pipeline import StageStatus, chosen_stages, statuses, wanted_stages
from ragaliq.build.settings import BuildSettings
from ragaliq.cli import main
from ragaliq.errors import ConfigError, InputError
from ragaliq.llm import CallFailed, FaultKind
from ragaliq.llm.prompts import load_prompt
from small_build import ASKING, STAGES, artifacts, build, change, context, rows
from unit.build.folders import write_folder
from unit.build.update.station import SOURCES


def not_done(bench: Path, backend: Backend | None = None) -> list[str]:
    return [name for name, status in statuses(context(bench, backend)).items() if status is not StageStatus.DONE]


def asked(backend: ChangedBackend) -> set[str]:
    return {task for task, _ in backend.asked}


def test_every_stage_keeps_or_removes_what_the_one_before_kept(small_build: Path) -> None:
    every = {stage: [row["id"] for row in rows(small_build, stage)] for stage in STAGES}
    kept = {stage: [row["id"] for row in rows(small_build, stage) if row["decision"] == "kept"] for stage in STAGES}
    chain = ["generate", "critique", "dedupe", "nuggets", "closed-book", "pool", "filter"]
    for before, after in itertools.pairwise(chain):
        assert every[after] == kept[before]
    assert every["export"] == kept["filter"] and len(kept["export"]) >= 10


def test_a_finished_build_asks_and_writes_nothing(built: Path) -> None:
    backend, before = ChangedBackend(), artifacts(built)
    times = {path: path.stat().st_mtime_ns for path in (built / "build").rglob("*.jsonl") if path.stem != "traces"}
    assert build(built, backend=backend) == 0
    assert not backend.asked and artifacts(built) == before
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())


def test_the_order_of_the_work_does_not_count(small_build: Path, bench: Path) -> None:
    for stage in STAGES:
        build(bench, stage)
    assert artifacts(bench) == artifacts(small_build)


def test_a_stage_wants_those_before_it(bench: Path) -> None:
    with pytest.raises(InputError, match="build judge: stage 'chunk' is missing; run it first"):
        build(bench, "judge")
    build(bench)
    # `dedupe` and what it reads directly are untouched, but not what those follow from.
    change(bench, "queries: 5", "queries: 3")
    with pytest.raises(InputError, match="build nuggets: stage 'dedupe' is stale; run it first"):
        build(bench, "nuggets")
    with pytest.raises(ConfigError, match="unknown stage 'jugde'; did you mean 'judge'"):
        chosen_stages("jugde")


@pytest.mark.parametrize(
    "setting", ["questions: [{path: none.csv}]", "judge: {relevance: true, relevance_labels: none.txt}"]
)
def test_a_file_that_is_missing_is_told_before_anything_is_paid_for(bench: Path, setting: str) -> None:
    change(bench, "name: small", f"name: small\n{setting}")
    with pytest.raises(InputError, match=r"none\.(csv|txt): cannot be read"):
        build(bench)
    assert not (bench / "build" / "ingest.jsonl").exists()


def test_other_labels_of_people_make_the_relevance_stale(bench: Path) -> None:
    change(bench, "name: small", "name: small\njudge: {relevance: true, relevance_labels: labels.txt}")
    (bench / "labels.txt").write_text("q1 0 d1 3\n")
    build(bench)
    assert statuses(context(bench))["relevance"] is StageStatus.DONE
    (bench / "labels.txt").write_text("q1 0 d1 2\n")
    assert statuses(context(bench))["relevance"] is StageStatus.STALE


# What is changed in `build.yaml` → the first stage that follows from it, and the tasks that are asked again.
CHANGES = [
    ('version: "1"', 'version: "2"', "export", ()),
    ("max_tokens: 90", "max_tokens: 91", "chunk", ()),
    ("queries: 5", "queries: 4", "generate", ()),
    ("rewrites: 1", "rewrites: 1, temperature: 0.5", "critique", ("critique",)),
    ("name: small", "name: small\nnear_duplicate: 0.9", "dedupe", ()),
    ("name: small", "name: small\nclosed_book: {samples: 2}", "closed-book", ("subquestions", "closed_book", "assign")),
    ("unanswerable: 0.4", "unanswerable: 0.0", "filter", ()),
    ("name: small", "name: small\njudge: {temperature: 0.5}", "judge", ("support",)),
    ("name: small", "name: small\nfilter: {unsupported: false}", "filter", ()),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "first", "tasks"), CHANGES)
def test_a_setting_makes_stale_what_follows_from_it_and_no_more(
    old: str, new: str, first: str, tasks: tuple[str, ...], built: Path, small_build: Path
) -> None:
    change(built, old, new)
    assert not_done(built)[0] == first
    assert statuses(context(built))[first] is StageStatus.STALE
    backend = ChangedBackend()
    assert build(built, backend=backend) == 0
    assert asked(backend) == set(tasks)
    assert not_done(built) == []
    # And the build is the one that these settings make in a new folder, but for the traces of what is gone.
    change(built, new, old)
    build(built)
    gone = "build/traces.jsonl"
    assert {name: data for name, data in artifacts(built).items() if name != gone} == {
        name: data for name, data in artifacts(small_build).items() if name != gone
    }


def test_more_queries_ask_for_the_new_ones_alone(bench: Path) -> None:
    change(bench, "queries: 5", "queries: 3")
    build(bench)
    first = {(row["lang"], row["id"]) for row in rows(bench, "generate")}
    change(bench, "queries: 3", "queries: 5")
    backend = ChangedBackend()
    build(bench, "generate", backend)
    now = {(row["lang"], row["id"]) for row in rows(bench, "generate")}
    assert now > first and backend.n_asked("generate") == len(now - first)


def test_prompts_and_models_make_their_stages_stale(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not_done(built) == []
    for name in ("nuggets", "repair"):
        text = (Path(prompts.__file__).parent.parent / "prompts" / f"{name}.yaml").read_text()
        (tmp_path / f"{name}.yaml").write_text(text.replace("version: 1", "version: 2"))
        changed = load_prompt(tmp_path / f"{name}.yaml")
        plain = prompts.builder_prompt

        known = {task: plain(task) for stage in PIPELINE for task in (*stage.prompts, "repair")} | {name: changed}
        with monkeypatch.context() as patch:
            patch.setattr("ragaliq.build.pipeline.builder_prompt", known.__getitem__)
            assert not_done(built)[0] == ("nuggets" if name == "nuggets" else "generate")

    class Renamed(ChangedBackend):
        def open(self, *options: object) -> object:  # type: ignore[override]
            model = super().open(*options)  # type: ignore[arg-type]
            model.name = "another"
            return model

    assert not_done(built, Renamed())[0] == "generate"


def test_documents_that_change_make_the_build_stale(built: Path) -> None:
    documents = built.parent / "documents"
    assert not_done(built) == []
    # A file that is no document changes no document.
    (documents / "logo.png").write_bytes(b"x")
    assert not_done(built) == []
    text = (documents / "handbuch.md").read_text(encoding="utf-8")
    (documents / "handbuch.md").write_text(text.replace("14 Tage", "21 Tage"), encoding="utf-8")
    assert not_done(built)[0] == "ingest"
    backend = ChangedBackend()
    build(built, backend=backend)
    # Of six chunks one has changed: what was written from the others stays.
    chunks = {row["id"] for row in rows(built, "chunk") if "21 Tage" in row["text"]}
    affected = [row for row in rows(built, "generate") if any(set(group) & chunks for group in row["gold"])]
    assert 0 < backend.n_asked("generate") == len(affected) < len(rows(built, "generate"))


def test_what_failed_is_tried_again_and_nothing_else(bench: Path, small_build: Path) -> None:
    def spoil(task: str, reply: str, before: int) -> str:
        if task == "nuggets" and "Потерянную" in reply:
            raise CallFailed(FaultKind.SERVER, "HTTP 500", 5)
        return reply

    failing = ChangedBackend(change=spoil)
    n_failed = build(bench, backend=failing)
    failed = [row for row in rows(bench, "nuggets") if row.get("reason") == "failed"]
    assert n_failed == len(failed) == 1 and "HTTP 500" in failed[0]["detail"]
    assert statuses(context(bench))["nuggets"] is StageStatus.FAILED
    assert len(rows(bench, "closed-book")) == len(rows(bench, "nuggets")) - 1
    healthy = ChangedBackend()
    assert build(bench, backend=healthy) == 0
    assert healthy.n_asked("nuggets") == 1 and healthy.n_asked("generate") == 0
    # What came after is made anew for the new row alone.
    assert healthy.n_asked("subquestions") == 1
    assert artifacts(bench) == artifacts(small_build)


def test_asking_stages_have_prompts() -> None:
    wanted = wanted_stages(BuildSettings())
    assert tuple(stage.name for stage in wanted) == STAGES
    assert tuple(stage.name for stage in wanted if stage.prompts) == ASKING


def test_what_fails_once_is_tried_again_in_the_same_call(bench: Path, small_build: Path) -> None:
    def spoil(task: str, reply: str, before: int) -> str:
        if task == "nuggets" and before == 0:
            raise CallFailed(FaultKind.SERVER, "HTTP 500", 5)
        return reply

    backend = ChangedBackend(change=spoil)
    assert build(bench, backend=backend) == 0
    assert backend.n_asked("nuggets") == 2 * len(rows(bench, "nuggets"))
    assert artifacts(bench) == artifacts(small_build)


@pytest.mark.parametrize("lang", ["de", "fr", "ru", "zh"])
def test_what_the_documents_do_not_fit_is_told_once_they_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    text = (SOURCES / lang / "meals.md").read_text(encoding="utf-8")
    write_folder(tmp_path, {"house/a.md": text, "bench/terms.csv": "en,es\nmeal,comida\n"})
    for translate, message in (
        ({"languages": ["en", lang]}, f"'translate.languages' names '{lang}', the language of the documents"),
        ({"languages": ["en"], "glossary": "terms.csv"}, f"terms.csv:1: has no column '{lang}'"),
    ):
        bench = tmp_path / "bench"
        write_folder(bench, {"build.yaml": json.dumps({"sources": [{"path": "../house"}], "translate": translate})})
        assert main(["build", "all", "--bench", str(bench)]) == 2
        err = capsys.readouterr().err
        assert err.splitlines()[-1].startswith("ragaliq: ") and message in err.splitlines()[-1]
        # The stage before is whole; no other is begun.
        known = statuses(context(bench))
        assert known.pop("ingest") == "done" and set(known.values()) == {"missing"}
        assert not (bench / "build" / "chunk.jsonl").exists()
        shutil.rmtree(bench / "build")

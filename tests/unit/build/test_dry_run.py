from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.context import BuildContext
from ragaliq.build.dry_run import StageForecast, forecast
from ragaliq.build.model.backend import Backend
from ragaliq.build.pipeline import StageStatus
from ragaliq.build.workspace import Workspace
from ragaliq.llm import LLMSession, load_prices
from small_build import artifacts, build, change, rows
from unit.build.update.station import SOURCES

PRICES = "date: 2026-01-01\nmodels:\n  m: {prompt: 1, completion: 1000000}\n"


def plan(bench: Path, tmp_path: Path, backend: str = "scripted") -> dict[str, StageForecast]:
    (tmp_path / "prices.yaml").write_text(PRICES)
    session = LLMSession(planned=True, prices=load_prices(tmp_path / "prices.yaml"))
    return {one.stage: one for one in forecast(BuildContext(Workspace(bench), session, Backend(backend)))}


def test_before_the_first_stage_little_is_known(bench: Path, tmp_path: Path) -> None:
    stages = plan(bench, tmp_path)
    assert {(one.status, one.items, one.calls) for one in stages.values()} == {(StageStatus.MISSING, None, None)}
    change(bench, "languages: []", "languages: [de, ru, zh]")
    stages = plan(bench, tmp_path)
    # 5 queries in 3 languages; each question is asked at most twice: votes 1 · (1 + 1 rewrite) + 1 rewrite = 3.
    known = {name: (one.items, one.at_most, one.calls) for name, one in stages.items() if one.asks}
    assert known == {
        "generate": (15, True, 15 * 2), "critique": (15, True, 15 * 3 * 2), "nuggets": (15, True, 15 * 2),
        # Sub-questions, an answer, its nuggets. Of 5 · 3 + 1 + 2 documents all go into one call, asked for three times.
        "closed-book": (15, True, 15 * 3 * 2), "judge": (15, True, 15 * 3 * 2),
    }  # fmt: skip
    assert all(one.prompt_tokens is None for one in stages.values())


def test_questions_of_people_leave_no_bound_until_they_are_read(bench: Path, tmp_path: Path) -> None:
    change(bench, "languages: []", "languages: [de, ru, zh]\nquestions: [{path: log.csv}]")
    asked = [
        "Was kostet die Fähre?",
        "Wie hoch ist der Turm?",
        "Где купить билет?",
        "Сколько стоит обед?",
        "几点关门？",
    ]
    (bench / "log.csv").write_text("\n".join(["question", *asked]), encoding="utf-8")
    assert {one.items for one in plan(bench, tmp_path).values()} == {None}
    for stage in ("ingest", "chunk"):
        build(bench, stage)
    items = plan(bench, tmp_path)["generate"].items
    build(bench, "generate")
    assert items == len(rows(bench, "generate"))
    assert {row.get("text") for row in rows(bench, "generate")} >= {*asked}


def test_a_stage_whose_needs_are_done_is_counted_and_nothing_is_written(bench: Path, tmp_path: Path) -> None:
    for stage in ("ingest", "chunk"):
        build(bench, stage)
    before = artifacts(bench)
    one = plan(bench, tmp_path, "openai:m")["generate"]
    assert artifacts(bench) == before
    build(bench, "generate")
    n = len(rows(bench, "generate"))
    assert (one.items, one.calls, one.at_most, one.cached) == (n, 2 * n, False, 0)
    # A reply may have 1024 tokens, and be asked for twice; a token of it costs a dollar, a prompt's hardly anything.
    assert one.reply_tokens == 2 * 1024 * n
    assert one.cost is not None
    assert one.cost == pytest.approx(2 * 1024 * n, rel=1e-3) and one.cost > 2 * 1024 * n
    assert one.prompt_tokens is not None and one.prompt_tokens > (1024 + 400) * n
    assert plan(bench, tmp_path)["generate"].status is StageStatus.DONE
    assert plan(bench, tmp_path)["critique"].items == sum(row["decision"] == "kept" for row in rows(bench, "generate"))
    assert plan(bench, tmp_path, "openai:x")["generate"].unpriced == {"x"}
    assert plan(bench, tmp_path, "openai:x")["generate"].cost is None


def test_what_is_done_costs_nothing_and_only_what_is_pending_counts(built: Path, tmp_path: Path) -> None:
    assert all(one == StageForecast(name, StageStatus.DONE) for name, one in plan(built, tmp_path).items())
    file = built / "build" / "nuggets.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[2:]))
    stages = plan(built, tmp_path)
    assert (stages["nuggets"].status, stages["nuggets"].items, stages["nuggets"].calls) == (StageStatus.STALE, 2, 4)
    # All rows that there will be are the bound of the next stage.
    assert (stages["closed-book"].items, stages["closed-book"].at_most) == (12, True)
    assert stages["generate"].status is StageStatus.DONE


@pytest.mark.parametrize("lang", ["de", "en", "es", "fr", "ru", "zh"])
def test_translations_are_bounded_only_when_the_chunks_are_there(bench: Path, tmp_path: Path, lang: str) -> None:
    targets = [one for one in ("de", "ru", "zh") if one != lang][:2]
    change(bench, "languages: []", f"languages: [{lang}]\ntranslate: {{languages: [{', '.join(targets)}]}}")
    change(bench, "../documents", str(SOURCES / lang / "meals.md"))
    build(bench, "ingest")
    one = plan(bench, tmp_path)["translate"]
    assert (one.asks, one.items, one.calls, one.at_most) == (True, None, None, False)
    build(bench, "chunk")
    n_chunks = sum(row["decision"] == "kept" for row in rows(bench, "chunk"))
    # One document has many.
    assert n_chunks > 5
    stages = plan(bench, tmp_path)
    one, n_queries = stages["translate"], stages["generate"].items
    assert n_queries
    assert (one.items, one.calls, one.at_most) == (2 * (n_chunks + n_queries), 4 * (n_chunks + n_queries), True)

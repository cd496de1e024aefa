"""A run keeps each call of its reader and its judge, those that failed included, and goes on with the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server
from ragaliq import RunConfig, evaluate, load_benchmark
from ragaliq.config import Component
from ragaliq.llm import LLMSession
from ragaliq.pipeline.check import check_run, make_checking
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.runs.folder import RunFolder


@pytest.fixture
def config(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
    for name in ("JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    reader, judge = Component("openai", "r"), Component("openai", "j")
    return RunConfig(data=str(small), retriever=Component("bm25"), reader=reader, judge=judge)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_call_is_kept_sorted_and_a_later_command_adds_its_own(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, folder = load_benchmark(config.data, ["en"]), RunFolder(tmp_path / "r")
    second = benchmark.items["en"][1].query
    is_well = False

    def reply(request: dict[str, Any], number: int) -> Scripted:
        if request["model"] == "r":
            fails = second.text in request["messages"][-1]["content"] and not is_well
            return Scripted("too much", status=400) if fails else Scripted("It opens at 7.")
        # The first reply of the judge is in no readable form.
        return Scripted("[RESULT] 4" if len(request["messages"]) > 2 else "Four, I would say.")

    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        evaluate(config, benchmark, folder.path, RunOptions(limit=2, session=LLMSession()))
        seen = [(r["component"], r["query_id"], r["turn"], r["raw_reply"]) for r in rows(folder.traces_file)]
        assert seen == [
            ("judge", "q1", 1, "Four, I would say."),
            ("judge", "q1", 2, "[RESULT] 4"),
            ("reader", "q1", 1, "It opens at 7."),
            ("reader", "q2", 1, ""),
        ]
        failed = rows(folder.traces_file)[3]
        assert (failed["model"], failed["lang"], failed["usage"]) == ("r", "en", None)
        assert failed["error"] == "bad_request: HTTP 400: too much"
        verdicts = rows(folder.verdicts_file)
        assert {r["prompt_hash"] for r in rows(folder.traces_file)[:2]} == {verdicts[0]["prompt_hash"]}

        is_well = True
        evaluate(config, benchmark, folder.path, RunOptions(limit=2, session=LLMSession()))
        assert [(r["component"], r["query_id"], r["turn"], "error" in r) for r in rows(folder.traces_file)] == [
            ("judge", "q1", 1, False), ("judge", "q1", 2, False),
            ("judge", "q2", 1, False), ("judge", "q2", 2, False),
            ("reader", "q1", 1, False), ("reader", "q2", 1, True), ("reader", "q2", 1, False),
        ]  # fmt: skip
        session = LLMSession()
        checking = make_checking(Component("openai", "c"), session)
        assert checking is not None and checking.context is not None
        check_run(folder, checking, session)
        checked = [r for r in rows(folder.traces_file) if r["component"] == "check"]
        # Each answer and its context.
        assert [(r["model"], r["query_id"]) for r in checked] == [("c", "q1")] * 2 + [("c", "q2")] * 2
        assert {r["prompt_hash"] for r in checked} == {checking.checker.prompt_hash, checking.context.prompt_hash}

        fresh = RunOptions(limit=2, fresh=True, session=LLMSession(traced=False))
        evaluate(config, benchmark, folder.path, fresh)
        assert not folder.traces_file.exists()


def test_a_run_without_a_model_has_no_traces(config: RunConfig, tmp_path: Path) -> None:
    config = replace(config, reader=Component("extractive"), judge=Component("offline"))
    evaluate(config, load_benchmark(config.data, ["en"]), tmp_path / "r", RunOptions(limit=1))
    assert not (tmp_path / "r" / "traces.jsonl").exists()

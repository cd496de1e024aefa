"""The file of a run's calls: one durable line each, no secret, and sorted when the work ends."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.llm import LLMSession
from ragaliq.runs.traces import ItemTraces, TraceFile, asked_under, traced
from ragaliq.types import Condition, Trace, Usage

SECRET = "sk-canary-77aa00c3"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_holds_all_but_secrets_and_what_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", SECRET)
    path = tmp_path / "r" / "traces.jsonl"
    call = Trace("judge", "m", "zh", "q1", 2, {"seed": 3}, "p", "r", f"看 {SECRET}", "", "stop", Usage(3, 4), 2)
    with TraceFile(path) as file:
        assert not path.parent.exists(), "without a call there is no file"
        file.append(call)
        file.sync()
        assert rows(path) == [
            {
                "component": "judge", "model": "m", "lang": "zh", "query_id": "q1", "turn": 2,
                "parameters": {"seed": 3}, "prompt_hash": "p", "request_hash": "r", "raw_reply": "看 ***",
                "finish_reason": "stop", "usage": {"prompt_tokens": 3, "completion_tokens": 4}, "attempts": 2,
            }
        ]  # fmt: skip
        file.append(Trace("reader", "m", reasoning=f"hm {SECRET}", error=f"no {SECRET}"))
    assert (rows(path)[1]["reasoning"], rows(path)[1]["error"]) == ("hm ***", "no ***")


def test_calls_are_sorted_at_the_end_whatever_order_they_came_in(tmp_path: Path) -> None:
    calls = [
        Trace("reader", "m", "de", "q1", request_hash="a"),
        Trace("judge", "m", "ru", "q1", request_hash="c"),
        Trace("judge", "m", "de", "q2", request_hash="a"),
        # The repair comes behind the first turn, though its hash is less.
        Trace("judge", "m", "de", "q1", 2, request_hash="a"),
        Trace("judge", "m", "de", "q1", request_hash="d"),
        Trace("judge", "m", "de", "q1", request_hash="b"),
    ]
    session, contents = LLMSession(), list[bytes]()
    for name, order in (("one", calls), ("other", calls[::-1])):
        path = tmp_path / name
        with traced(path, session):
            assert session.traces is not None
            for call in order[:4]:
                session.traces.append(call)
        # Later work adds to it.
        with traced(path, session):
            for call in order[4:]:
                session.traces.append(call)
        assert session.traces is None
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]
    assert [(r["component"], r["lang"], r["query_id"], r["turn"], r["request_hash"]) for r in rows(path)] == [
        ("judge", "de", "q1", 1, "b"), ("judge", "de", "q1", 1, "d"), ("judge", "de", "q1", 2, "a"),
        ("judge", "de", "q2", 1, "a"), ("judge", "ru", "q1", 1, "c"), ("reader", "de", "q1", 1, "a"),
    ]  # fmt: skip


def test_equal_requests_stay_in_the_order_of_their_calls(tmp_path: Path) -> None:
    session = LLMSession()
    for attempts in (1, 3, 2):
        with traced(tmp_path / "t", session):
            assert session.traces is not None
            session.traces.append(Trace("judge", "m", "de", "q1", attempts=attempts))
    assert [row["attempts"] for row in rows(tmp_path / "t")] == [1, 3, 2]


def test_what_failed_keeps_its_lines_and_a_torn_one_is_cut(tmp_path: Path) -> None:
    path, session = tmp_path / "t", LLMSession()
    with pytest.raises(KeyboardInterrupt), traced(path, session):
        assert session.traces is not None
        session.traces.append(Trace("reader", "m"))
        raise KeyboardInterrupt
    path.write_bytes(path.read_bytes() + b'{"component": "jud')
    with traced(path, session):
        assert session.traces is not None
        session.traces.append(Trace("judge", "m"))
    assert [row["component"] for row in rows(path)] == ["judge", "reader"]


def test_a_session_that_is_not_traced_keeps_nothing(tmp_path: Path) -> None:
    session = LLMSession(traced=False)
    with traced(tmp_path / "t", session):
        assert session.traces is None
    with traced(tmp_path / "t", LLMSession()):
        pass
    assert not (tmp_path / "t").exists()


def test_calls_about_one_item_are_read_by_its_key(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    with TraceFile(path) as file:
        file.append(Trace("judge", "m", "en", "q1", raw_reply="one"))
        file.append(Trace("check", "m", "en", "q1", raw_reply="of another"))
        file.append(Trace("reader", "m", "en", "q1", raw_reply="two"))
        file.append(Trace("judge", "m", "de", "q1", raw_reply="three"))
        file.append(Trace("embedder", "m"))
    calls = ItemTraces(path, ("judge", "reader"))
    assert [row["raw_reply"] for row in calls.of(("en", "q1"))] == ["one", "two"]
    assert [row["raw_reply"] for row in calls.of(("de", "q1"))] == ["three"]
    assert calls.of(("en", "q2")) == ()
    assert ItemTraces(tmp_path / "none.jsonl", ("judge",)).of(("en", "q1")) == ()


def test_calls_under_other_contexts_say_so_and_are_not_the_runs_own(tmp_path: Path) -> None:
    path, reader = tmp_path / "traces.jsonl", SerialThread()

    async def call(file: TraceFile, condition: Condition | None) -> None:
        trace = Trace("reader", "m", "en", "q1", raw_reply=condition or "the run's")
        with asked_under(condition) if condition else nullcontext():
            await reader.call(file.append, trace)

    async def calls(file: TraceFile) -> None:
        # At the same time, each on the thread of a local reader.
        await asyncio.gather(*(call(file, condition) for condition in (Condition.NONE, Condition.GOLD, None)))

    session = LLMSession()
    with traced(path, session):
        assert isinstance(session.traces, TraceFile)
        asyncio.run(calls(session.traces))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(row.get("condition"), row["raw_reply"]) for row in rows] == [
        (None, "the run's"), ("gold", "gold"), ("none", "none"),
    ]  # fmt: skip
    assert [row["raw_reply"] for row in ItemTraces(path, ("reader",)).of(("en", "q1"))] == ["the run's"]


def test_a_line_that_is_no_call_is_named(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.write_text('{"component": "judge"}\n{"component": "judge", "lang": "en", "query_id": 5}\n')
    with pytest.raises(InputError, match=r"traces.jsonl:2: not a row of this file \('query_id' must be a text\)"):
        ItemTraces(path, ("judge",))

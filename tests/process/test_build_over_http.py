"""The builder behind a real endpoint: the scripted rules served over HTTP, well or badly."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server
from ragaliq.build.model.backend import Backend
from ragaliq.cli import main
from ragaliq.llm import CallOptions, LLMSession
from small_build import ASKING, artifacts, build, rows, scripted_endpoint, write_documents

# `.ci/run` kills three times.
KILLS = int(os.environ.get("RAGALIQ_KILLS", "3"))
TOKEN = "sk-canary-0123456789abcdef"
PRICES = "date: 2026-01-01\nmodels:\n  scripted: {prompt: 0, completion: 1000}\n"
# The server reports 3 tokens a reply, which may have 1024 and more.
CALL, MOST = 3e-3, 1.024


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("ragaliq.llm.limiter._FIRST_PAUSE_S", 0.001)
    monkeypatch.chdir(tmp_path)
    for name in ("JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN", TOKEN)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small build of the scripted backend, with its report."""
    bench = write_documents(tmp_path_factory.mktemp("whole"))
    assert main(["build", "all", "--bench", str(bench), "--no-cache"]) == 0
    return bench


def test_rules_behind_an_endpoint_build_the_same(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = write_documents(tmp_path)
    with chat_server(scripted_endpoint) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        options = ["build", "all", "--bench", str(bench), "--backend", "openai:scripted", "--no-cache"]
        assert main(options) == 0
        n_requests = len(server.requests)
        assert main(options) == 0
        assert len(server.requests) == n_requests == len(rows(bench, "traces"))
    assert artifacts(bench, "usage") == artifacts(whole, "usage")
    assert {row["usage"]["completion_tokens"] for row in rows(bench, "traces")} == {3}
    # Schemas, limits and seeds reach the endpoint.
    assert all("response_format" in request and request["max_tokens"] >= 512 for request in server.requests)
    assert {request["model"] for request in server.requests} == {"scripted"}
    # The two backends are one and the same to the stages, so the other one goes on where this one ended.
    assert build(bench, backend=Backend("scripted")) == 0


def test_an_endpoint_that_fails_now_and_then_loses_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, before, spoilt = write_documents(tmp_path), Counter[str](), set[str]()
    faults = [Scripted("slow down", status=429, headers={"retry-after": "0"}), Scripted("broken", status=500),
              Scripted("broken", status=503), Scripted(reset=True), Scripted("{}", cut=True), Scripted(raw="{}"),
              Scripted("late", delay_s=1.0), None, None, None]  # fmt: skip

    def reply(request: dict[str, Any], number: int) -> Scripted:
        key = json.dumps([request["messages"], request.get("seed")])
        before[key] += 1
        fault = faults[int(hashlib.sha256(key.encode()).hexdigest(), 16) % len(faults)]
        if fault and before[key] == 1:
            spoilt.add(key)
            return fault
        return scripted_endpoint(request, number)

    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert build(bench, backend=Backend("openai:scripted", options=CallOptions(timeout_s=0.4))) == 0
        assert main(["build", "export", "--bench", str(bench)]) == 0
    # What came too late was asked for again, too.
    assert len(spoilt) > 20 and {key for key, count in before.items() if count > 1} >= spoilt
    assert artifacts(bench, "usage", "attempts") == artifacts(whole, "usage", "attempts")
    assert any(row["attempts"] > 1 for row in rows(bench, "traces"))


def test_an_endpoint_that_stays_broken_fails_items_that_are_tried_again(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = write_documents(tmp_path)
    broken = [True]

    def reply(request: dict[str, Any], number: int) -> Scripted:
        asks_nuggets = "Task: nuggets" in request["messages"][1]["content"]
        return Scripted("broken", status=500) if broken[0] and asks_nuggets else scripted_endpoint(request, number)

    options = ["build", "all", "--bench", str(bench), "--backend", "openai:scripted"]
    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        # All queries failed, so none is left to export.
        assert main(options) == 1
        failed = rows(bench, "nuggets")
        assert failed and {row["reason"] for row in failed} == {"failed"} and "HTTP 500" in failed[0]["detail"]
        broken[0] = False
        assert main(options) == 0
    assert artifacts(bench, "usage") == artifacts(whole, "usage")


def test_a_spent_budget_stops_the_build_and_another_one_goes_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = write_documents(tmp_path)
    Path("prices.yaml").write_text(PRICES)
    options = ["build", "all", "--bench", str(bench), "--backend", "openai:scripted", "--prices", "prices.yaml"]
    with chat_server(scripted_endpoint) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        assert main([*options, "--no-cache", "--max-cost", "1"]) == 3
        assert server.requests == [] and "--max-cost: 0.0000 of 1 USD spent" in capsys.readouterr().err
        # Room for one most expensive call beside some that are paid for.
        assert main([*options, "--no-cache", "--max-cost", str(MOST + 5.5 * CALL)]) == 3
        assert len(server.requests) == 6 == len(rows(bench, "generate"))
        assert main([*options, "--no-cache"]) == 0
    assert len(server.requests) == len({json.dumps([r["messages"], r.get("seed")]) for r in server.requests})
    assert artifacts(bench, "usage") == artifacts(whole, "usage")


def test_no_more_calls_are_under_way_than_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, lock, now, most = write_documents(tmp_path), threading.Lock(), [0], [0]

    def reply(request: dict[str, Any], number: int) -> Scripted:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.005)
        with lock:
            now[0] -= 1
        return scripted_endpoint(request, number)

    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        build(bench, backend=Backend("openai:scripted"), session=LLMSession(concurrency=3))
    assert most == [3]


def test_an_endpoint_that_repeats_the_token_gets_it_into_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = write_documents(tmp_path)

    def reply(request: dict[str, Any], number: int) -> Scripted:
        if "Task: critique" not in request["messages"][1]["content"]:
            return scripted_endpoint(request, number)
        faults = [Scripted(f"no such token {TOKEN}", status=400), Scripted(f"Bearer {TOKEN}"),
                  Scripted(None, refusal=f"I know {TOKEN}")]  # fmt: skip
        return faults[number % 3]

    record = tmp_path / "bench" / "build" / "replies.txt"
    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        build(bench, "ingest")
        for stage in ("chunk", "generate", "critique"):
            build(bench, stage, Backend("openai:scripted", record))
    assert {row["reason"] for row in rows(bench, "critique")} == {"failed"}
    assert b"***" in record.read_bytes()
    assert [name for name, data in artifacts(bench).items() if TOKEN.encode() in data] == []


def start(bench: Path, link: str) -> subprocess.Popen[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(bench), "TOKEN": TOKEN, "JUDGE_API_LINK": link}
    options = ["build", "all", "--bench", str(bench), "--backend", "openai:scripted", "--concurrency", "2"]
    return subprocess.Popen([sys.executable, "-m", "ragaliq", *options, "--no-cache"], cwd=bench.parent,
                            env=environment, stderr=subprocess.PIPE, text=True)  # fmt: skip


@pytest.mark.slow
def test_interrupted_from_the_keyboard_it_ends_in_order_and_goes_on(whole: Path, tmp_path: Path) -> None:
    bench, begun = write_documents(tmp_path), threading.Event()

    def reply(request: dict[str, Any], number: int) -> Scripted:
        if number == 20:
            begun.set()
        time.sleep(0.02)
        return scripted_endpoint(request, number)

    with chat_server(reply) as server:
        process = start(bench, server.link)
        assert begun.wait(60)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 3
        assert process.stderr is not None and "the same command goes on" in process.stderr.read()
        answered = len(server.requests)
        assert answered < 30
        assert start(bench, server.link).wait(60) == 0
        # Nothing that was answered is asked for again.
        assert len({json.dumps([r["messages"], r.get("seed")]) for r in server.requests}) == len(server.requests)
    assert artifacts(bench, "usage") == artifacts(whole, "usage")


@pytest.mark.slow
def test_kills_lose_nothing(whole: Path, tmp_path: Path) -> None:
    drawn, bench = random.Random(7), write_documents(tmp_path)
    begun = threading.Event()

    def reply(request: dict[str, Any], number: int) -> Scripted:
        begun.set()
        time.sleep(0.03)
        return scripted_endpoint(request, number)

    kills = 0
    with chat_server(reply) as server:
        while kills < KILLS:
            before = {stage: done(bench, stage) for stage in ASKING}
            begun.clear()
            process = start(bench, server.link)
            while not begun.wait(0.01) and process.poll() is None:
                pass
            # Two under way at a time: about four calls more.
            time.sleep(drawn.uniform(0.0, 0.06))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
            process.wait(60)
            assert all(before[stage] <= done(bench, stage) for stage in ASKING), "nothing that was done is lost"
            if process.returncode == 0:
                break
        assert kills == KILLS, f"the build was over after {kills} kills"
        assert start(bench, server.link).wait(60) == 0
    assert artifacts(bench, "usage") == artifacts(whole, "usage")


def done(bench: Path, stage: str) -> set[str]:
    """The whole rows of a stage."""
    path = bench / "build" / f"{stage}.jsonl"
    data = path.read_bytes() if path.is_file() else b""
    return set(data[: data.rfind(b"\n") + 1].decode().splitlines())

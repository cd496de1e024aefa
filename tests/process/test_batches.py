"""Answering and judging through a batch endpoint: the bytes of calls one by one, and every request accounted for."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from batch_server import BatchServer, Row, batch_server, chat
from ragaliq.cli import main
from ragaliq.llm import batches

pytestmark = pytest.mark.slow
CONFIG = "reader: openai:gpt-4o-mini\njudge: openai:gpt-4o-mini\nretriever: bm25\n"
LANGS = ("en", "ru", "zh")


@pytest.fixture(autouse=True)
def quick(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wait little, and find no `.env` of somebody else."""
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(batches, "_QUIET_S", 0.15)
    monkeypatch.setattr(batches, "_FIRST_POLL_S", 0.01)
    monkeypatch.chdir(tmp_path)
    Path("small").symlink_to(small)
    Path("system.yaml").write_text(CONFIG, encoding="utf-8")


def configure(server: BatchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("", "READER_", "JUDGE_"):
        monkeypatch.setenv(f"{role}TOKEN", "sk-secret-1234567890")
        if role:
            monkeypatch.setenv(f"{role}API_LINK", server.link)
            monkeypatch.setenv(f"{role}MODEL", "gpt-4o-mini")


def command(out: str, *more: str) -> list[str]:
    shared = ["--data", "small", "--lang", ",".join(LANGS), "--check", "none", "--no-controls", "--no-cache"]
    return ["run", "system.yaml", *shared, "--out", out, *more]


def sound(body: dict[str, Any], _: int = 0) -> Row:
    """A sentence for a reader, a grade for a judge, by what they are asked."""
    text = "".join(message["content"] for message in body["messages"])
    digit = hashlib.sha256(text[-300:].encode()).digest()[0] % 6
    return 200, chat(f"Feedback: as ever. [RESULT] {digit}" if "[RESULT]" in text else f"It is number {digit}.")


def files(run: str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in Path(run).iterdir() if file.name != "timings.jsonl"}


def test_a_run_in_batches_is_the_run_call_by_call(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with batch_server(BatchServer(sound)) as server:
        configure(server, monkeypatch)
        assert main(command("runs/one")) == 0
        n = len(server.chats)
        capsys.readouterr()
        assert main(command("runs/batch", "--batch")) == 0
        err = capsys.readouterr().err
    assert files("runs/batch") == files("runs/one")
    assert len(server.chats) == n == sum(map(len, server.submitted)) == 48
    # Each language's answers, then all grades that wait; a line for each batch accounts for all of it.
    lines = re.findall(r"^batch (\w+): (\d+) requests: (\d+) answered$", err, re.MULTILINE)
    assert [(name, int(n), int(done)) for name, n, done in lines] == [
        (f"batch_{place}", len(ids), len(ids)) for place, ids in enumerate(server.submitted)
    ]
    # Half the list price: 48 calls of 7 + 3 tokens at 0.15 and 0.60 dollars a million.
    assert "judge: 24 calls" in err and f"{24 * (7 * 0.15 + 3 * 0.6) / 2 / 1e6:.4f} USD" in err


def test_rows_that_fail_expire_or_are_missing_are_sent_again_and_typed_in_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fickle(body: dict[str, Any], before: int) -> Row:
        text = "".join(message["content"] for message in body["messages"])
        if "[RESULT]" not in text:
            return sound(body)
        kind = hashlib.sha256(text.encode()).digest()[1] % 6
        first: list[Row] = [
            (500, {"error": {"message": "broken"}}), (429, {"error": {"message": "too many"}}), None, "batch_expired",
            (400, {"error": {"message": "never"}}), sound(body),
        ]  # fmt: skip
        return first[kind] if before == 0 or kind == 4 else sound(body)

    with batch_server(BatchServer(fickle)) as server:
        configure(server, monkeypatch)
        assert main(command("runs/fickle", "--batch")) in (0, 1)
        err = capsys.readouterr().err
    verdicts = [
        json.loads(line) for line in Path("runs/fickle/verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    outcomes = {(row["lang"], row["query_id"]): row["outcome"] for row in verdicts}
    assert len(verdicts) == len(outcomes) == 24
    refused = [row for row in verdicts if row["outcome"] != "scored"]
    assert refused and all(row["outcome"] == "api_error" and "never" in row["feedback"] for row in refused)
    assert all(row["grade"] is None for row in refused)
    # Every request of every batch is in its line.
    for name, n, rest in re.findall(r"^batch (\w+): (\d+) requests: (.*)$", err, re.MULTILINE):
        counted = [int(n) for n in re.findall(r"(\d+) (?:answered|not)", rest)]
        assert sum(counted) == int(n) == len(server.submitted[int(name.removeprefix("batch_"))])
    assert "This request failed: batch_expired." in err and "without this request" in err


def test_a_batch_that_the_service_refuses_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with batch_server(BatchServer(sound, refuses="line 1: the model does not exist")) as server:
        configure(server, monkeypatch)
        assert main(command("runs/refused", "--batch")) == 2
    err = capsys.readouterr().err
    assert "ragaliq: batch batch_0: the service refuses it: line 1: the model does not exist" in err


def test_more_requests_than_a_batch_takes_are_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST_REQUESTS", 3)
    with batch_server(BatchServer(sound)) as server:
        configure(server, monkeypatch)
        assert main(command("runs/split", "--batch")) == 0
        assert main(command("runs/one")) == 0
    assert files("runs/split") == files("runs/one")
    assert all(len(ids) <= 3 for ids in server.submitted) and len(server.submitted) >= 16


def test_a_budget_that_is_too_small_stops_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with batch_server(BatchServer(sound)) as server:
        configure(server, monkeypatch)
        assert main(command("runs/poor", "--batch", "--max-cost", "0.0000001")) == 3
    assert server.submitted == [] and server.chats == []
    assert "--max-cost" in capsys.readouterr().err


def started(*more: str) -> subprocess.Popen[str]:
    code = (
        "import sys; from ragaliq.llm import batches; from ragaliq.cli import main; "
        "batches._QUIET_S, batches._FIRST_POLL_S = .15, .01; sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *command("runs/stopped", "--batch", *more)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ),
    )  # fmt: skip


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 3)])
@pytest.mark.parametrize("noted", [True, False])
def test_a_command_that_was_stopped_waits_for_the_same_batch(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int, noted: bool
) -> None:
    with batch_server(BatchServer(sound, held=True)) as server:
        configure(server, monkeypatch)
        process = started()
        _until(lambda: bool(server.submitted) and bool(server.looks))
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == code, err
        assert number is signal.SIGKILL or "the same command goes on" in err
        if not noted:
            # As if the kill had come between the service's answer and the note.
            Path(".ragaliq/batches.jsonl").unlink()
        sent = list(server.submitted)
        server.held = False
        process = started()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert main(command("runs/one")) == 0
    assert files("runs/stopped") == files("runs/one")
    every = [key for ids in server.submitted for key in ids]
    assert server.submitted[: len(sent)] == sent and len(every) == len(set(every)) == 48


def _until(done: Callable[[], bool]) -> None:
    for _ in range(2000):
        if done():
            return
        time.sleep(0.01)
    raise AssertionError("it does not happen")

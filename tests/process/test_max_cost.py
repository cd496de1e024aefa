"""A budget: the run stops before it spends more, and the same command goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server
from ragaliq.cli import main

# The server reports 10 prompt and 50 completion tokens a call, which costs 10 · 100 / 1e6 + 50 · 1000 / 1e6 = .051.
# Before the reply, a call may cost its 1024 completion tokens: 1.024, and its prompt: about .1.
PRICES = "date: 2026-01-01\nmodels:\n  m: {prompt: 100, completion: 1000}\n"
CALL = 0.051
ITEMS = 8


def reply(request: dict[str, Any], number: int) -> Scripted:
    message = {"role": "assistant", "content": "Feedback: fine. [RESULT] 4"}
    usage = {"prompt_tokens": 10, "completion_tokens": 50}
    return Scripted(raw=json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}))


@pytest.fixture(autouse=True)
def folder(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small").symlink_to(small)
    monkeypatch.setenv("TOKEN", "t")
    Path("prices.yaml").write_text(PRICES)


def run(*more: str) -> int:
    options = ["--data", "small", "--lang", "zh", "--judge", "openai:m", "--prices", "prices.yaml", "--out", "r"]
    return main(["run", "--no-controls", *options, *more])


def graded() -> int:
    return sum(json.loads(line)["grade"] is not None for line in Path("r/verdicts.jsonl").read_text().splitlines())


def test_a_spent_budget_stops_cleanly_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        # Too small for a single call: nothing is sent.
        assert run("--max-cost", "0.5") == 3
        assert server.requests == []
        assert "--max-cost: 0.0000 of 0.5 USD spent, the next call may cost 1." in capsys.readouterr().err

        # Room for one dearest call beside some that are paid for: one at a time, then it ends before the bound.
        first = 1.3
        assert run("--max-cost", str(first)) == 3
        sent = len(server.requests)
        assert 0 < sent < ITEMS and graded() == sent
        err = capsys.readouterr().err
        assert f"judge: {sent} calls, 0 from the cache, {10 * sent} + {50 * sent} tokens, {CALL * sent:.4f} USD" in err
        assert f"{ITEMS} of {ITEMS} answered, {sent} judged" in err
        assert CALL * sent <= first

        asked = {json.dumps(request["messages"]) for request in server.requests}
        assert run("--max-cost", "100") == 0
        assert len(server.requests) == graded() == ITEMS
        assert len({json.dumps(request["messages"]) for request in server.requests}) == ITEMS >= len(asked)


def contents() -> dict[str, bytes]:
    """The run's files without times."""
    return {path.name: path.read_bytes() for path in Path("r").iterdir() if path.name != "timings.jsonl"}


def test_a_second_identical_run_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(reply) as server:
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        options = ["--reader_model_id", "openai:m"]
        assert run(*options) == 0
        first = contents()
        assert len(server.requests) == 2 * ITEMS
        assert run(*options) == 0
        assert run(*options, "--fresh") == 0
        assert len(server.requests) == 2 * ITEMS, "a finished run calls nothing, a fresh one finds every reply kept"
        assert contents() == first
        assert run(*options, "--fresh", "--no-cache") == 0
        assert len(server.requests) == 4 * ITEMS

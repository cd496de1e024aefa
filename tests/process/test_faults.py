"""Judge and reader behind a real endpoint that misbehaves: every item is accounted for, no failure is a grade."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server
from ragaliq.cli import main
from ragaliq.metrics.answers.aggregates import aggregate

pytestmark = pytest.mark.usefixtures("few_draws")
TOKEN = "sk-canary-0123456789abcdef"
# All of these are answerable.
LIMIT, LANGS = 4, ("de", "ru", "zh")
ITEMS = LIMIT * len(LANGS)
Fault = Callable[[int], Scripted]


@pytest.fixture(autouse=True)
def quick(small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("ragaliq.llm.limiter._FIRST_PAUSE_S", 0.001)
    monkeypatch.chdir(tmp_path)
    Path("small").symlink_to(small)
    for name in ("JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN", TOKEN)
    write_system(timeout_s=30.0)


def write_system(timeout_s: float) -> None:
    Path("system.yaml").write_text(
        f"reader: {{kind: openai, model: reader, timeout_s: {timeout_s}}}\n"
        f"judge: {{kind: openai, model: judge, timeout_s: {timeout_s}}}\n"
        "retriever: bm25\nreranker: none\n"
    )


def draw(request: dict[str, Any]) -> int:
    """A number that depends on the question alone."""
    text = request["messages"][1]["content"]
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


@dataclass
class World:
    """An endpoint whose reader and judge are well, but for what `faulty` does to one of them."""

    role: str
    fault: Fault | None
    burst: bool = False
    asked: dict[str, list[str]] = field(default_factory=lambda: {"reader": [], "judge": []})
    healthy: bool = False

    def reply(self, request: dict[str, Any], number: int) -> Scripted:
        role, drawn = request["model"], draw(request)
        self.asked[role].append(request["messages"][1]["content"])
        if role == self.role and self.fault is not None and not self.healthy:
            if self.burst:
                # Two bursts, and single refusals between them.
                count = len(self.asked[role])
                if 3 <= count < 12 or 20 <= count < 26 or count % 7 == 0:
                    return self.fault(number)
            elif drawn % 5 == 0:
                return self.fault(number)
        if role == "reader":
            return Scripted(f"Antwort {drawn}. 答案是 {drawn}。")
        return Scripted(f"Feedback: weighed. [RESULT] {self.grade(request)}")

    def forget(self) -> None:
        for asked in self.asked.values():
            asked.clear()

    @staticmethod
    def grade(request: dict[str, Any]) -> int:
        return draw(request) // 5 % 6


def configure(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", server.link)


def run(*more: str) -> int:
    options = [
        "run",
        "system.yaml",
        "--data",
        "small",
        "--lang",
        ",".join(LANGS),
        "--limit",
        str(LIMIT),
        "--out",
        "results/r",
        *more,
    ]
    return main([*options, "--no-controls"])


def rows(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    lines = Path("results/r", name).read_text(encoding="utf-8").splitlines()
    found = {(row["lang"], row["query_id"]): row for row in map(json.loads, lines)}
    assert len(found) == len(lines), "one row for each item"
    return found


def check_aggregates(verdicts: dict[tuple[str, str], dict[str, Any]]) -> None:
    """The published figures are those of the grades that were given, over all that were asked."""
    aggregates = json.loads(Path("results/r/metrics.json").read_text())["aggregates"]
    for found in aggregates:
        grades = [row["grade"] for (lang, _), row in sorted(verdicts.items()) if lang == found["lang"]]
        truth = aggregate(grades, LIMIT)
        assert (found["n"], found["n_expected"], found["n_scored"]) == (truth.n, LIMIT, truth.n_scored)
        assert (found["coverage"], found["weighted_score"]) == (truth.coverage, truth.weighted_score)
        assert found["weighted_score_bounds"] == list(truth.weighted_score_bounds or ())


def no_token_anywhere(captured: tuple[str, str]) -> None:
    for path in Path().rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes(), path
    assert TOKEN not in "".join(captured)


# Name → what the endpoint does, and what becomes of the judge's and of the reader's item.
LASTING: dict[str, tuple[Fault, str, str]] = {
    "garbage": (lambda n: Scripted("Well, who can say?"), "unparseable", "answered"),
    "no JSON": (lambda n: Scripted(raw="<html>gateway</html>"), "api_error", "error"),
    "HTTP 500": (lambda n: Scripted(f"broken, your key is {TOKEN}", status=500), "api_error", "error"),
    "connection reset": (lambda n: Scripted(reset=True), "api_error", "error"),
    "truncated JSON": (lambda n: Scripted("Feedback: [RESULT] 5", cut=True), "api_error", "error"),
    "silence": (lambda n: Scripted("Feedback: [RESULT] 5", delay_s=1.5), "api_error", "error"),
    "empty choices": (lambda n: Scripted(raw='{"choices": []}'), "api_error", "error"),
    "cut off": (lambda n: Scripted("Feedback: fine. [RESULT] 5", finish_reason="length"), "truncated", "truncated"),
    "filtered": (lambda n: Scripted("", finish_reason="content_filter"), "filtered", "filtered"),
    "filtered request": (
        lambda n: Scripted(status=400, raw='{"error": {"code": "content_filter", "message": "no"}}'),
        "filtered",
        "filtered",
    ),
    "context length": (
        lambda n: Scripted(status=400, raw='{"error": {"code": "context_length_exceeded", "message": "too long"}}'),
        "api_error",
        "error",
    ),
    "empty": (lambda n: Scripted(""), "unparseable", "empty"),
}
FAILED = {"error", "filtered", "empty"}
# Those who are silent are waited for.
NAMES = [pytest.param(name, marks=[pytest.mark.slow] if name == "silence" else []) for name in LASTING]


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_that_fails_on_a_fifth(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fault, outcome, _ = LASTING[name]
    world = World("judge", fault)
    if name == "silence":
        write_system(timeout_s=0.5)
    with chat_server(world.reply) as server:
        configure(server, monkeypatch)
        assert run() == 1
        verdicts = rows("verdicts.jsonl")
        lost = {key for key, row in verdicts.items() if row["grade"] is None}
        assert len(verdicts) == ITEMS and 0 < len(lost) < ITEMS / 2
        assert {verdicts[key]["outcome"] for key in lost} == {outcome}
        assert {row["outcome"] for key, row in verdicts.items() if key not in lost} == {"scored"}
        check_aggregates(verdicts)

        world.healthy = True
        world.forget()
        assert main(["judge", "results/r", "--only-unscored", "--no-controls"]) == 0
        # A slow machine may ask for one of them twice.
        assert len(set(world.asked["judge"])) == len(lost) and world.asked["reader"] == []
        repaired = rows("verdicts.jsonl")
        assert all(row["grade"] is not None for row in repaired.values())
        assert {key: row for key, row in repaired.items() if key not in lost} == {
            key: row for key, row in verdicts.items() if key not in lost
        }
        check_aggregates(repaired)
    no_token_anywhere(capsys.readouterr())


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_that_fails_on_a_fifth(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fault, _, outcome = LASTING[name]
    world = World("reader", fault)
    if name == "silence":
        write_system(timeout_s=0.5)
    with chat_server(world.reply) as server:
        configure(server, monkeypatch)
        code = run()
        answers, verdicts = rows("answers.jsonl"), rows("verdicts.jsonl")
        assert len(answers) == len(verdicts) == ITEMS
        if outcome not in FAILED:
            # An answer like others, if a bad one: it is graded.
            assert code == 0 and all(row["grade"] is not None for row in verdicts.values())
            return
        assert code == 1
        lost = {key for key, row in answers.items() if row["outcome"] in FAILED}
        assert 0 < len(lost) < ITEMS / 2 and {answers[key]["outcome"] for key in lost} == {outcome}
        assert {key for key, row in verdicts.items() if row["outcome"] == "no_answer"} == lost
        check_aggregates(verdicts)

        world.healthy = True
        world.forget()
        assert run() == 0
        assert {role: len(set(asked)) for role, asked in world.asked.items()} == {
            "reader": len(lost),
            "judge": len(lost),
        }
        check_aggregates(rows("verdicts.jsonl"))
        assert all(row["grade"] is not None for row in rows("verdicts.jsonl").values())
    no_token_anywhere(capsys.readouterr())


@pytest.mark.parametrize("role", ["reader", "judge"])
@pytest.mark.parametrize("headers", [{}, {"retry-after": "0"}, {"retry-after": "0.05"}], ids=str)
def test_bursts_of_rate_limits_lose_nothing(
    role: str, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(role, lambda n: Scripted("slow down", status=429, headers=headers), burst=True)
    with chat_server(world.reply) as server:
        configure(server, monkeypatch)
        assert run() == 0
        assert len(world.asked[role]) > ITEMS, "there were refusals"
    verdicts = rows("verdicts.jsonl")
    assert len(verdicts) == ITEMS and all(row["outcome"] == "scored" for row in verdicts.values())
    check_aggregates(verdicts)


@pytest.mark.parametrize("role", ["reader", "judge"])
def test_passing_errors_of_a_fifth_of_the_calls_lose_nothing(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(role, None)

    def reply(request: dict[str, Any], number: int) -> Scripted:
        if request["model"] == role and number % 5 == 0:
            return Scripted("oops", status=500)
        return world.reply(request, number)

    with chat_server(reply) as server:
        configure(server, monkeypatch)
        assert run() == 0
    assert all(row["outcome"] == "scored" for row in rows("verdicts.jsonl").values())


@pytest.mark.parametrize("role", ["reader", "judge"])
def test_an_endpoint_that_goes_away_halfway_stops_the_run_and_it_goes_on(
    role: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = World(role, None)
    gone = False

    def reply(request: dict[str, Any], number: int) -> Scripted:
        nonlocal gone
        gone = gone or (len(world.asked[role]) >= ITEMS // 2 and not world.healthy)
        return Scripted(status=503) if gone and not world.healthy else world.reply(request, number)

    with chat_server(reply, alive=lambda: not gone or world.healthy) as server:
        configure(server, monkeypatch)
        assert run("--no-cache") == 3
        last = capsys.readouterr().err.strip().splitlines()[-1]
        assert "the endpoint does not answer" in last and "the same command goes on" in last
        finished = rows("verdicts.jsonl")
        assert all(row["grade"] is not None or row["outcome"] == "no_answer" for row in finished.values())
        assert 0 < len(finished) < ITEMS
        aggregates = json.loads(Path("results/r/metrics.json").read_text())["aggregates"]
        assert sum(found["n_scored"] for found in aggregates) == sum(r["grade"] is not None for r in finished.values())
        assert all(found["n_expected"] == LIMIT for found in aggregates)

        world.healthy = True
        asked = dict.fromkeys(world.asked[role])
        assert run("--no-cache") == 0
        again = world.asked[role][len(asked) :]
        assert not set(again) & set(asked), "what was finished is not asked again"
    verdicts = rows("verdicts.jsonl")
    assert len(verdicts) == ITEMS and all(row["outcome"] == "scored" for row in verdicts.values())
    check_aggregates(verdicts)


def test_an_endpoint_that_nobody_serves_stops_the_run_before_its_first_item(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    assert run() == 3
    assert "the endpoint does not answer" in capsys.readouterr().err.strip().splitlines()[-1]
    assert not Path("results/r/answers.jsonl").exists() or rows("answers.jsonl") == {}

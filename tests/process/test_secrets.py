"""With a canary for a key, no byte of it is in any file or stream, whatever becomes of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server
from ragaliq.storage.redaction import error_line, redact

ROOT = Path(__file__).resolve().parents[2]
CANARY, OTHER = "sk-canary-5f1d77aa00c3", "hf_other-canary-99b2e1"
OWN_PART = """
import os
class Reader:
    def read(self, query, context):
        raise RuntimeError(f"401 for key {os.environ['TOKEN']} and {os.environ['MY_API_KEY']}")
def broken(question):
    raise SystemExit(f"no access with {os.environ['TOKEN']}")
def telling(question):
    return f"The database opens with {os.environ['DBPASS']}."
class Judge:
    def grade(self, item, answer):
        from ragaliq.types import Verdict, VerdictOutcome
        query = item.query
        feedback, reasoning = os.environ["DBPASS"], os.environ["BOT_AUTH"]
        return Verdict(query.query_id, query.lang, 3, VerdictOutcome.SCORED, feedback, "own", "", reasoning=reasoning)
"""


def run(cwd: Path, link: str, *options: str, kill_after: float = 0.0) -> tuple[int, bytes]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(cwd), "TOKEN": CANARY, "MY_API_KEY": OTHER,
                   "DBPASS": CANARY, "BOT1": "no secret", "BOT_AUTH": OTHER,
                   "JUDGE_API_LINK": link, "JUDGE_MODEL": "m"}  # fmt: skip
    given = ["--lang", "fr", "--limit", "6", "--out", "results/r", "--no-controls", *options]
    command = [sys.executable, str(ROOT / "eval.py"), *given]
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if kill_after:
        deadline = time.monotonic() + 60
        while not (cwd / "results" / "r" / "verdicts.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    said, _ = process.communicate(timeout=120)
    return process.returncode, said


def check(cwd: Path, said: bytes) -> None:
    for canary in (CANARY.encode(), OTHER.encode()):
        assert canary not in said
        for path in cwd.rglob("*"):
            if path.is_file() and path.name != ".env":
                assert canary not in path.read_bytes(), path


def echo(status: int) -> Any:
    return lambda request, number: Scripted(f"bad key {CANARY}, {OTHER}", status=status)


def leaking(request: dict[str, Any], number: int) -> Scripted:
    """An endpoint that echoes the keys in text, reasoning and errors."""
    keys = f"{CANARY}, {OTHER}"
    if number % 3 == 2:
        return Scripted(f"bad key {keys}", status=400)
    message = {"role": "assistant", "content": f"Feedback: {number} [RESULT] 4", "reasoning_content": f"With {keys}?"}
    return Scripted(raw=json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}))


def good(request: dict[str, Any], number: int) -> Scripted:
    return Scripted("Feedback: fine. [RESULT] 4", delay_s=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "options", "code"),
    [
        (good, ("--judge", "openai"), 0),
        (good, ("--judge", "openai", "--reader_model_id", "openai:m", "--concurrency", "2"), 0),
        (echo(401), ("--judge", "openai"), 2),
        (echo(400), ("--judge", "openai"), 1),
        (good, ("--reader_model_id", "python:own:Reader"), 1),
        (good, ("--reader_model_id", "python:own:broken"), 1),
        (good, ("--reader_model_id", "python:own:telling"), 0),
        (good, ("--judge", "python:own:Judge"), 0),
    ],
    ids=["success", "both", "refused", "failing calls", "own part fails", "own part exits", "told", "told by a judge"],
)
def test_no_byte_of_a_key_is_written_or_printed(tmp_path: Path, reply: Any, options: Any, code: int) -> None:
    (tmp_path / "own.py").write_text(OWN_PART)
    with chat_server(reply) as server:
        returned, said = run(tmp_path, server.link, *options)
    assert returned == code, said.decode()
    check(tmp_path, said)
    told = [option for option in options if option in ("python:own:telling", "python:own:Judge")]
    assert said.count(b"note: 6 answers or feedbacks held the value of a secret variable") == len(told), said.decode()


@pytest.mark.slow
def test_a_variable_that_is_a_word_changes_no_answer(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def plain(question):\n    return 'The documents do not say.'\n")
    (tmp_path / ".env").write_text("SESSION_DRIVER=documents\nPRIMARY_KEY=documents\n")
    returned, said = run(tmp_path, "http://localhost:1", "--reader_model_id", "python:own:plain")
    assert returned == 0 and b"held the value" not in said, said.decode()
    answers = (tmp_path / "results" / "r" / "answers.jsonl").read_text(encoding="utf-8")
    assert answers.count("The documents do not say.") == 6


@pytest.mark.slow
def test_a_key_in_the_path_of_an_address_is_shown_nowhere(tmp_path: Path) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        return Scripted("no", status=400) if number % 2 else Scripted(raw=json.dumps({"answer": "Blue."}))

    with chat_server(reply) as server:
        address = f"http:{server.link}/bot{OTHER}/ask"
        returned, said = run(tmp_path, server.link, "--reader_model_id", address, "--concurrency", "1")
    assert returned == 1, said.decode()
    check(tmp_path, said)
    assert "/bot***/ask" in (tmp_path / "results" / "r" / "config.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_key_that_a_model_repeats_is_not_in_the_traces(tmp_path: Path) -> None:
    with chat_server(leaking) as server:
        returned, said = run(tmp_path, server.link, "--judge", "openai", "--no-cache")
    assert returned == 1, said.decode()
    text = (tmp_path / "results" / "r" / "traces.jsonl").read_text(encoding="utf-8")
    assert "With ***, ***?" in text and "bad key ***, ***" in text and server.link not in text
    assert CANARY not in text and OTHER not in text


@pytest.mark.slow
def test_a_killed_run_leaves_no_key(tmp_path: Path) -> None:
    with chat_server(good) as server:
        returned, said = run(tmp_path, server.link, "--judge", "openai", "--concurrency", "1", kill_after=0.1)
    assert returned == -9
    check(tmp_path, said)


def test_a_key_in_the_file_is_as_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARMLESS", "nothing secret")
    Path(".env").write_text(f"READER_TOKEN={CANARY}\nJUDGE_MODEL=gpt-4o-mini-long-name\n")
    assert error_line(ValueError(f"no {CANARY}\nfor gpt-4o-mini-long-name, nothing secret")) == (
        "ValueError: no *** for gpt-4o-mini-long-name, nothing secret"
    )
    Path(".env").write_text("TOKEN=short\n")
    assert redact("a short text") == "a short text"

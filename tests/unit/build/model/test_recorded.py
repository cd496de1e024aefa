from __future__ import annotations

import json
from pathlib import Path

import pytest

from fakes import CannedModel, ChangedBackend
from ragaliq.build.model.backend import Backend
from ragaliq.build.model.prompts import fenced_messages
from ragaliq.build.model.recorded import Recorder
from ragaliq.errors import ConfigError, InputError
from ragaliq.llm import LLMSession, Reply, Request
from ragaliq.storage.journal import Journal
from small_build import artifacts, build, change


def test_a_replayed_build_is_the_recorded_one(bench: Path, tmp_path: Path, small_build: Path, fresh: object) -> None:
    record = tmp_path / "replies.jsonl"
    build(bench, backend=Backend(record=record))
    assert artifacts(bench) == artifacts(small_build)
    again = fresh()  # type: ignore[operator]
    # A torn line is what a kill leaves.
    with record.open("ab") as file:
        file.write(b'{"key": "torn')
    build(again, backend=Backend(f"replay:{record}"))
    assert artifacts(again) == artifacts(small_build)


def test_what_was_not_recorded_is_shown(bench: Path, tmp_path: Path) -> None:
    record = tmp_path / "replies.jsonl"
    build(bench, backend=Backend(record=record))
    change(bench, "queries: 5", "queries: 5, temperature: 0.5")
    with pytest.raises(InputError) as caught:
        build(bench, backend=Backend(f"replay:{record}"))
    said = str(caught.value)
    assert "has no reply of 'scripted' with the key" in said and "--record" in said
    request = json.loads(said.partition("The request: ")[2])
    assert request["parameters"] == {"temperature": 0.5, "max_tokens": 1024}
    assert "Task: generate" in request["messages"][1]["content"]


def test_a_recording_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    reply = {"text": "", "finish_reason": "", "refused": False, "attempts": 1, "usage": None, "logprobs": []}
    for text, said in [
        ("", "has no reply of the model"),
        ("{}\n", "r.jsonl:1: not a recorded reply"),
        (json.dumps({"key": 5, "model": "m", "reply": reply}) + "\n", "r.jsonl:1: not a recorded reply"),
        (
            json.dumps({"key": "k", "model": "m", "reply": reply | {"usage": 5}}) + "\n",
            "r.jsonl:1: not a recorded reply",
        ),
        ("{\n", "r.jsonl:1: not valid JSON"),
    ]:
        file.write_text(text)
        with pytest.raises(InputError, match=said):
            Backend(f"replay:{file}").open(LLMSession())
    with pytest.raises(InputError, match="no such file"):
        Backend(f"replay:{tmp_path / 'none'}").open(LLMSession())


def test_a_recording_holds_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    # JSON writes this one with escapes, which a search in the line would miss.
    secret = 'pass"word\\ä-123'
    monkeypatch.setenv("DB_PASSWORD", secret)
    monkeypatch.setenv("READER_TOKEN", "sk-canary")
    monkeypatch.setenv("READER_API_LINK", "http://user:hidden-part@127.0.0.1:9/v1?key=in-the-link")
    backend = ChangedBackend("openai:m", record=tmp_path / "r.jsonl")
    model = backend.open(LLMSession()).model  # type: ignore[attr-defined]
    assert isinstance(model, Recorder)
    said = f"{secret} sk-canary hidden-part in-the-link"

    with Journal(tmp_path / "r.jsonl") as journal:
        recorder = Recorder(CannedModel([Reply(said, reasoning=said)]), journal, model._redacted)
        messages = fenced_messages("nuggets", "de", {"QUESTION": said, "ANSWER": "8"})
        asyncio.run(recorder.complete(Request(messages), lambda _: True))
    row = json.loads((tmp_path / "r.jsonl").read_text(encoding="utf-8"))
    assert row["reply"]["text"] == row["reply"]["reasoning"] == "*** *** *** ***"
    for part in ("word", "canary", "hidden", "in-the-link"):
        assert part not in json.dumps(row["reply"]) and f"-{part}" not in json.dumps(row["request"])


def test_backends_that_are_none_are_refused() -> None:
    for name, said in [
        ("scriptet", "unknown kind 'scriptet'; did you mean 'scripted'"),
        ("openai", "name its model, as in openai:NAME"),
        ("replay", "name its file, as in replay:NAME"),
    ]:
        with pytest.raises(ConfigError, match=said):
            Backend(name).open(LLMSession())

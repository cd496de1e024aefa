"""Each call of an endpoint leaves one trace: what was asked, what came back, from where, and for which query."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from fakes import Scripted, chat_server
from ragaliq.llm import LLMClient, LLMSession, ResponseCache
from ragaliq.types import Query, Trace, Usage
from unit.llm.calling import REQUEST, SCHEMA, TOKEN, Pointer, ask, embed, raw_reply

pytestmark = pytest.mark.usefixtures("quick")
ABOUT = replace(REQUEST, schema=SCHEMA, query=Query("q7", "zh", "食堂在哪里？"), prompt_hash="abc")


@dataclass
class Kept:
    traces: list[Trace] = field(default_factory=list)

    def append(self, trace: Trace) -> None:
        self.traces.append(trace)

    def sync(self) -> None:
        """Nothing is on disk."""


def client(role: str, kept: Kept, cache: Path | None = None) -> LLMClient:
    session = LLMSession(cache=None if cache is None else ResponseCache(cache))
    session.traces = kept
    return LLMClient(role, "m", session)


def test_a_reply_and_its_copy_from_the_cache_leave_a_trace_each(to: Pointer, tmp_path: Path) -> None:
    said = raw_reply({"content": f" 在东边 {TOKEN}", "reasoning_content": "先想想。"})
    kept, path = Kept(), tmp_path / "replies.sqlite"
    with chat_server(lambda request, number: said) as server:
        to(server)
        judge = client("judge", kept, path)
        ask(judge, ABOUT)
        ask(judge, ABOUT)
        assert len(server.requests) == 1
    first, second = kept.traces
    assert first == Trace(
        component="judge",
        model="m",
        lang="zh",
        query_id="q7",
        parameters={"temperature": 0.0, "max_tokens": 9, "schema": SCHEMA},
        prompt_hash="abc",
        request_hash=judge.request_hash(replace(REQUEST, schema=SCHEMA)),
        raw_reply=" 在东边 ***",
        reasoning="先想想。",
        finish_reason="stop",
    )
    assert second == first, "a reply from the cache leaves the same trace"


def test_a_call_that_fails_is_traced_with_its_attempts_and_reason(to: Pointer) -> None:
    kept = Kept()
    replies = [Scripted(f"busy {TOKEN}", status=500), Scripted("yes"), Scripted("no", status=400)]
    with chat_server(lambda request, number: replies[number]) as server:
        to(server)
        reader = client("reader", kept)
        ask(reader, REQUEST)
        ask(reader, REQUEST)
    told = [(t.component, t.attempts, t.raw_reply, t.error, t.usage) for t in kept.traces]
    assert told == [
        ("reader", 2, "yes", "", Usage(7, 3)),
        ("reader", 1, "", "bad_request: HTTP 400: no", None),
    ]


def test_a_second_turn_is_counted_and_vectors_are_left_out(to: Pointer) -> None:
    kept = Kept()
    again = replace(ABOUT, messages=[*ABOUT.messages, {"role": "assistant", "content": "?"}, ABOUT.messages[1]])
    with chat_server(lambda request, number: Scripted("yes")) as server:
        to(server)
        ask(client("judge", kept), again)
        embed(client("embedder", kept), ["a", "b"])
    chat, vectors = kept.traces
    assert chat.turn == 2 and chat.query_id == "q7"
    assert (vectors.component, vectors.parameters, vectors.usage) == ("embedder", {"texts": 2}, Usage(7, 0))
    assert (vectors.query_id, vectors.raw_reply, vectors.turn) == ("", "", 1)

from __future__ import annotations

import json
from pathlib import Path

from ragaliq.build.traces import traced_build
from ragaliq.llm import LLMSession
from ragaliq.types import Trace
from small_build import ASKING, artifacts, build, rows


def test_of_equal_requests_of_an_item_the_last_reply_stays(tmp_path: Path) -> None:
    session, file = LLMSession(), tmp_path / "traces.jsonl"

    def keep(query_id: str, request_hash: str, reply: str, error: str = "") -> None:
        assert session.traces is not None
        trace = Trace("builder", "m", "de", query_id, request_hash=request_hash, raw_reply=reply, error=error)
        session.traces.append(trace)

    for _ in range(2):
        with traced_build(file, session):
            keep("q2", "b", "old")
            keep("q1", "a", "one")
            keep("q2", "b", "new")
            keep("q2", "b", "", error="HTTP 500")
            keep("q3", "b", "of another item")
        assert [json.loads(line)["raw_reply"] for line in file.read_bytes().splitlines()] == [
            "one", "new", "of another item"
        ]  # fmt: skip


def test_every_artifact_of_a_model_has_its_traces(small_build: Path) -> None:
    hashes = {row["request_hash"] for row in rows(small_build, "traces")}
    for stage in ASKING:
        for row in rows(small_build, stage):
            assert row["traces"] and set(row["traces"]) <= hashes


def test_without_traces_the_build_is_the_same(small_build: Path, bench: Path) -> None:
    build(bench, session=LLMSession(traced=False))
    with_traces = artifacts(small_build)
    assert artifacts(bench) == {name: data for name, data in with_traces.items() if name != "build/traces.jsonl"}

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from fakes import CannedModel, KeptTraces
from ragaliq.build.model.backend import Backend
from ragaliq.build.model.faults import KINDS, FaultyModel, parse_faults
from ragaliq.build.model.prompts import fenced_messages
from ragaliq.errors import ConfigError
from ragaliq.llm import CallFailed, LLMSession, Reply, Request
from small_build import STAGES, artifacts, build, rows
from unit.build.written_build import rules


def test_shares_are_read() -> None:
    assert parse_faults("refusal=.1, 500=.05,seed=3").shares == {"500": 0.05, "refusal": 0.1}
    assert parse_faults("refusal=.1,seed=3").seed == 3
    assert parse_faults("all=.9").shares == dict.fromkeys(KINDS, pytest.approx(0.1))
    for spec, said in [
        ("refusl=.1", "unknown kind 'refusl'; did you mean 'refusal'"),
        ("refusal", "not KIND=SHARE"),
        ("refusal=x", "not KIND=SHARE"),
        ("refusal=-.1", "shares are at least 0"),
        ("refusal=nan", "shares are at least 0"),
        ("refusal=.6,500=.6", "sum to at most 1"),
        ("seed=.5", "a seed is a whole number"),
        ("seed=inf", "a seed is a whole number"),
    ]:
        with pytest.raises(ConfigError, match=said):
            parse_faults(spec)


def test_each_kind_hits_its_share_of_the_requests() -> None:
    faults = parse_faults("all=.45,seed=1")
    hits = Counter(faults.of(f"request {n}") for n in range(9000))
    # A share of .05 each, within four standard deviations: 4 · √(9000 · .05 · .95) = 83.
    assert all(abs(hits[kind] - 450) < 83 for kind in KINDS)
    assert hits[""] == 9000 - sum(hits[kind] for kind in KINDS)
    assert faults.of("request 7") == parse_faults("all=.45,seed=1").of("request 7")


def test_a_fault_spoils_the_first_reply_and_the_trace_shows_it() -> None:
    texts = {"QUESTION": "Wann öffnet die Werkstatt?", "ANSWER": "Um 8 Uhr.", "NUGGET": ["Sie öffnet um 8 Uhr."],
             "DOCUMENT": ["Die Werkstatt öffnet um 8 Uhr.", "Das Lager ist leer."]}  # fmt: skip
    request = Request(fenced_messages("support", "de", texts), {"max_tokens": 99})
    plain = Reply(rules(request))
    for kind in KINDS:
        session = LLMSession()
        session.traces = traces = KeptTraces()
        canned = CannedModel(rules)
        model = FaultyModel(canned, parse_faults(f"{kind}=1"), session)
        try:
            reply = asyncio.run(model.complete(request, lambda _: True))
        except CallFailed as failure:
            assert kind in ("429", "500", "timeout") and traces[-1].error == str(failure)
        else:
            assert reply != plain and traces[-1].raw_reply == reply.text
            if kind == "missing":
                assert [len(one["documents"]) for one in json.loads(reply.text)["nuggets"]] == [1]
        assert not canned.accepted
        assert asyncio.run(model.complete(request, lambda _: True)) == plain
        assert canned.accepted


def test_faults_lose_no_row_and_without_them_the_build_is_the_same(bench: Path, small_build: Path) -> None:
    for seed in (1, 2):
        n_failed = build(bench, backend=Backend(faults=f"all=.5,seed={seed}"))
        failed = [row for stage in STAGES for row in rows(bench, stage) if row.get("reason") == "failed"]
        assert len(failed) == n_failed
        kept = {stage: {row["id"] for row in rows(bench, stage) if row["decision"] == "kept"} for stage in STAGES}
        every = {stage: {row["id"] for row in rows(bench, stage)} for stage in STAGES}
        for before, after in [("generate", "critique"), ("critique", "dedupe"), ("dedupe", "nuggets"),
                              ("nuggets", "closed-book"), ("closed-book", "pool"), ("pool", "filter")]:  # fmt: skip
            assert every[after] == kept[before]
        assert every["generate"] == {row["id"] for row in rows(small_build, "generate")}
    assert build(bench) == 0
    ours, whole = artifacts(bench, "traces"), artifacts(small_build, "traces")
    assert {name: data for name, data in ours.items() if name != "build/traces.jsonl"} == {
        name: data for name, data in whole.items() if name != "build/traces.jsonl"
    }

"""At test time a system gets the question alone: nothing that it is handed leads to an answer or a nugget."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from ragaliq import Chunk, Hit, Query, RunConfig, evaluate, load_benchmark
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.types import Item, Nugget
from unit.benchmark.small_collection import FULL

SECRET = "Geheimnis-4711"
handed: list[object] = []


class Retriever:
    """Notes what it is handed."""

    def index(self, chunks: Sequence[Chunk]) -> None:
        handed.append(tuple(chunks))
        self._chunks = list(chunks)

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        handed.append(query)
        return [Hit(chunk, 1.0 / rank, rank) for rank, chunk in enumerate(self._chunks[:top_k], start=1)]


class Curious(Retriever):
    """Wants to be told the answers."""

    def __init__(self, gold: object) -> None:
        handed.append(gold)


class Reranker:
    """Notes what it is handed."""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        handed.extend([query, tuple(hits)])
        return list(hits)


class Reader:
    """Notes what it is handed."""

    def read(self, query: Query, context: Sequence[Hit]) -> str:
        handed.extend([query, tuple(context)])
        return "Rot."


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    collection = replace(
        FULL,
        items=tuple(replace(item, reference=f"{SECRET} als Antwort.") for item in FULL.items),
        nuggets=tuple(replace(nugget, text=f"{SECRET} als Tatsache.") for nugget in FULL.nuggets),
    )
    write_benchmark({"de": collection}, tmp_path / "bench")
    return tmp_path / "bench"


def test_c22_the_runner_has_no_way_to_answers_or_nuggets(bench: Path, tmp_path: Path) -> None:
    handed.clear()
    module = f"{__name__}:"
    config = RunConfig(
        data=str(bench),
        retriever=Component("python", f"{module}Retriever"),
        reranker=Component("python", f"{module}Reranker"),
        reader=Component("python", f"{module}Reader"),
    )
    evaluate(config, load_benchmark(bench), tmp_path / "run", RunOptions(judged=False))
    asked = [thing for thing in handed if isinstance(thing, Query)]
    assert {query.query_id for query in asked} == {"q1", "q2", "q3"}
    everything = [part for thing in handed for part in _reachable(thing)]
    assert not [part for part in everything if isinstance(part, Item | Nugget)]
    assert SECRET not in "".join(part for part in everything if isinstance(part, str))
    # The answers on disk hold the reference, for the judge.
    rows = [json.loads(line) for line in (tmp_path / "run" / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {row["reference"] for row in rows} == {f"{SECRET} als Antwort."}


def test_c22_the_oracle_alone_is_told_the_gold_and_what_reads_its_documents_is_not(bench: Path, tmp_path: Path) -> None:
    handed.clear()
    module = f"{__name__}:"
    config = RunConfig(
        data=str(bench),
        retriever=Component("gold"),
        reranker=Component("python", f"{module}Reranker"),
        reader=Component("python", f"{module}Reader"),
    )
    evaluate(config, load_benchmark(bench), tmp_path / "run", RunOptions(judged=False))
    everything = [part for thing in handed for part in _reachable(thing)]
    assert {part for part in everything if isinstance(part, Query)} == {item.query for item in FULL.items}
    assert not [part for part in everything if isinstance(part, Item | Nugget)]
    assert SECRET not in "".join(part for part in everything if isinstance(part, str))
    # A retriever of somebody's own that asks for the gold does not get it.
    curious = replace(config, retriever=Component("python", f"{module}Curious"))
    with pytest.raises(ConfigError, match="option 'gold' is needed"):
        evaluate(curious, load_benchmark(bench), tmp_path / "curious", RunOptions(judged=False))


def test_c22_a_query_is_a_question_and_nothing_else() -> None:
    assert [field.name for field in fields(Query)] == ["query_id", "lang", "text", "asked_in"]
    assert not hasattr(Query("q", "en", "?"), "__dict__")


def _reachable(thing: Any) -> list[object]:
    """Return a record with all that its fields hold."""
    if isinstance(thing, tuple | list):
        return [part for member in thing for part in _reachable(member)]
    if hasattr(thing, "__dataclass_fields__"):
        return [thing, *(part for field in fields(thing) for part in _reachable(getattr(thing, field.name)))]
    return [thing]

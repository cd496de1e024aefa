"""A plan: the calls that a run then makes, at no less than what they then cost; nothing is called or written."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import Scripted, chat_server
from parallel import write_parallel
from ragaliq import Chunk, Hit, Query, RunConfig, evaluate, load_benchmark
from ragaliq.cli import main
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.llm import LLMSession, ResponseCache, load_prices
from ragaliq.llm.prices import Price, Prices
from ragaliq.llm.tokens import estimate_tokens
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.pipeline.plan import plan
from ragaliq.pipeline.stage_plan import StagePlan
from ragaliq.storage.files import write_jsonl

LANGS, LIMIT = ["de", "zh"], 2
PRICES = Prices(Path("p.yaml"), "2026-05", {"r": Price(2.0, 8.0), "j": Price(1.0, 3.0)})
OPENAI = RunConfig(reader=Component("openai", "r"), judge=Component("openai", "j"), retriever=Component("bm25"))


@pytest.fixture
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_parallel(tmp_path_factory.mktemp("small"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(tmp_path)
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)


def reply(request: dict[str, Any], number: int) -> Scripted:
    return Scripted("Um sieben Uhr." if request["model"] == "r" else "Feedback: gut. [RESULT] 4")


def options(cache: Path | None = None, planned: bool = False, **more: Any) -> RunOptions:
    session = LLMSession(None if cache is None else ResponseCache(cache), PRICES, planned=planned)
    return RunOptions(limit=LIMIT, session=session, **more)


def counts(stages: Sequence[StagePlan]) -> dict[str, tuple[int, int, int]]:
    return {stage.stage: (stage.items, stage.calls, stage.cached) for stage in stages}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("judged", [True, False])
def test_a_plan_counts_the_calls_that_the_run_then_makes(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: bool
) -> None:
    config, benchmark = replace(OPENAI, data=str(small)), load_benchmark(str(small), LANGS)
    with chat_server(reply) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        planned = plan(config, benchmark, tmp_path / "r", options(tmp_path / "c.sqlite", judged=judged))
        assert server.requests == [] and files(tmp_path) == {}
        done = options(judged=judged)
        evaluate(config, benchmark, tmp_path / "r", done)
        asked = [request["model"] for request in server.requests]
    stages = {"reader": "r", **({"judge": "j"} if judged else {})}
    total = len(LANGS) * LIMIT
    assert counts(planned) == {stage: (total, asked.count(model), 0) for stage, model in stages.items()}
    assert {stage.component for stage in planned} == {f"openai:{model}" for model in stages.values()}
    for stage in planned:
        account = done.session.account(stage.stage)
        assert stage.calls == account.calls == total
        assert stage.prompt_tokens > account.prompt_tokens and stage.completion_tokens > account.completion_tokens
        assert stage.cost is not None and account.cost_usd is not None and stage.cost > account.cost_usd


def test_embedder_and_reranker_behind_an_endpoint_are_planned_too(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = replace(OPENAI, retriever=Component("hybrid"), embedder=Component("openai", "e", {"batch_size": 2}))
    config = replace(own, data=str(small), reranker=Component("llm", "k", {"depth": 1}))
    benchmark = load_benchmark(str(small), LANGS)

    def scripted(request: dict[str, Any], number: int) -> Scripted:
        return Scripted("7") if request["model"] == "k" else reply(request, number)

    with chat_server(scripted) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        planned = plan(config, benchmark, tmp_path / "r", options(judged=False))
        assert server.requests == [] and files(tmp_path) == {}
        done = options(judged=False)
        evaluate(config, benchmark, tmp_path / "r", done)
        asked = Counter(request["model"] for request in server.requests)
    total = len(LANGS) * LIMIT
    assert {stage.stage: stage.calls for stage in planned} == {
        "embedder": asked["e"], "reranker": asked["k"], "reader": asked["r"],
    }  # fmt: skip
    assert (asked["k"], asked["r"]) == (total, total)
    # The vectors of the chunks and of the queries, two texts in a request, each language by itself.
    assert asked["e"] == sum(-(-len(benchmark.chunks[lang]) // 2) + 1 for lang in LANGS)
    for stage in planned:
        # The server reports 7 tokens for each prompt.
        assert stage.prompt_tokens > 7 * stage.calls


@pytest.mark.parametrize("retriever", ["hybrid", "dense", "bm25"])
def test_as_many_chunks_are_planned_as_the_reranker_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, retriever: str
) -> None:
    """Vectors rank every chunk, the embedded search only those that share something with the query."""
    data = write_parallel(tmp_path / "data")
    config = replace(OPENAI, data=str(data), retriever=Component(retriever), embedder=Component("openai", "e"),
                     reranker=Component("llm", "k", {"depth": 4}), reader=Component("extractive"))  # fmt: skip
    benchmark = load_benchmark(str(data), LANGS)
    with chat_server(lambda request, number: Scripted("7")) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        planned = plan(config, benchmark, tmp_path / "r", options(judged=False))
        evaluate(config, benchmark, tmp_path / "r", options(judged=False))
        asked = Counter(request["model"] for request in server.requests)
    assert {stage.stage: stage.calls for stage in planned}["reranker"] == asked["k"]


def test_the_figures_by_hand(sample: Path, tmp_path: Path) -> None:
    config = replace(OPENAI, data=str(sample), sampling={"max_tokens": 100})
    benchmark = load_benchmark(str(sample), ["zh"])
    reader, judge = plan(config, benchmark, tmp_path / "r", options(planned=True))
    assert (reader.completion_tokens, judge.completion_tokens) == (LIMIT * 100, LIMIT * 1024)
    assert reader.cost == pytest.approx((reader.prompt_tokens * 2 + LIMIT * 100 * 8) / 1e6)
    assert judge.cost == pytest.approx((judge.prompt_tokens * 1 + LIMIT * 1024 * 3) / 1e6)
    # 4500 characters of context count 1500 Han characters, of a token each.
    assert 1500 * LIMIT * 0.8 <= reader.prompt_tokens <= 2200 * LIMIT


def test_without_a_price_the_cost_is_unknown_and_parts_without_a_model_cost_nothing(
    small: Path, tmp_path: Path
) -> None:
    benchmark = load_benchmark(str(small), ["en"])
    config = replace(OPENAI, data=str(small), reader=Component("extractive"), judge=Component("openai", "unknown"))
    reader, judge = plan(config, benchmark, tmp_path / "r", options(planned=True))
    assert reader == StagePlan("reader", "extractive", LIMIT, 0, 0, 0, 0, 0.0)
    assert (judge.calls, judge.cost) == (LIMIT, None)


def test_neither_token_nor_link_is_needed(small: Path, tmp_path: Path) -> None:
    config, benchmark = replace(OPENAI, data=str(small)), load_benchmark(str(small), LANGS)
    total = len(LANGS) * LIMIT
    assert counts(plan(config, benchmark, tmp_path / "r", options(planned=True))) == {
        "reader": (total, total, 0), "judge": (total, total, 0),
    }  # fmt: skip
    assert files(tmp_path) == {}


def test_what_is_finished_or_cached_is_not_called(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, cache = replace(OPENAI, data=str(small)), tmp_path / "c.sqlite"
    benchmark, folder = load_benchmark(str(small), LANGS), tmp_path / "r"
    total = len(LANGS) * LIMIT
    with chat_server(reply) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        evaluate(config, benchmark, folder, options(cache))
        assert len(server.requests) == 2 * total

        def planned(cache: Path | None, **more: Any) -> dict[str, tuple[int, int, int]]:
            before = files(tmp_path)
            chosen = options(cache, planned=True, **more)
            found = plan(config, benchmark, folder, chosen)
            asyncio.run(chosen.session.close())
            assert {name: data for name, data in files(tmp_path).items() if "sqlite" not in name} == {
                name: data for name, data in before.items() if "sqlite" not in name
            }
            return counts(found)

        assert planned(cache) == {"reader": (0, 0, 0), "judge": (0, 0, 0)}
        # The parts without a model find the same contexts again, so the reader's requests are those of the run.
        assert planned(cache, fresh=True)["reader"] == (total, 0, total)
        assert planned(None, fresh=True)["reader"] == (total, total, 0)
        first, *others = map(json.loads, (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines())
        # The reader failed, and answered before the run was killed.
        write_jsonl(folder / "verdicts.jsonl", [{**first, "grade": None, "outcome": "no_answer"}, *others])
        assert planned(None)["judge"] == (1, 1, 0)
        (folder / "verdicts.jsonl").unlink()
        assert planned(cache)["judge"] == (total, 0, total)
        assert planned(None)["judge"] == (total, total, 0)
        done = options(cache)
        evaluate(config, benchmark, folder, done)
        assert len(server.requests) == 2 * total and done.session.account("judge").cached == total


class DearestFirst:
    """A search that the plan cannot know: it finds the chunks with the most tokens in each character."""

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = sorted(chunks, key=lambda chunk: (-estimate_tokens(chunk.text) / len(chunk.text), chunk.doc_id))

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        return [Hit(chunk, 1.0 / rank, rank) for rank, chunk in enumerate(self.chunks[:top_k], start=1)]


def test_a_context_that_is_not_known_is_taken_to_cost_as_much_as_it_may(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "own_parts", sys.modules[__name__])
    found = replace(OPENAI, data=str(small), reranker=Component("none"), top_k=1000)
    own, cache = replace(found, retriever=Component("python", "own_parts:DearestFirst")), tmp_path / "c.sqlite"
    benchmark, folder = load_benchmark(str(small), LANGS), tmp_path / "r"
    total = len(LANGS) * LIMIT
    with chat_server(reply) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        evaluate(own, benchmark, folder, options(cache, judged=False))
    # The run was shown what the plan imagines: the requests are the same.
    assert counts(plan(own, benchmark, tmp_path / "other", options(cache, planned=True)))["reader"] == (total, 0, total)
    # A run that was killed has rankings; a plan reads them and leaves what the kill tore.
    (folder / "answers.jsonl").unlink()
    with (folder / "retrieval.de.trec").open("ab") as file:
        file.write(b"\n\nq9 Q0 torn")
    before = files(folder)
    assert counts(plan(own, benchmark, folder, options(cache, planned=True)))["reader"] == (total, 0, total)
    assert files(folder) == before


def test_more_queries_are_planned_beside_the_finished_ones(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, benchmark = replace(OPENAI, data=str(small)), load_benchmark(str(small), ["en"])
    with chat_server(reply) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        evaluate(config, benchmark, tmp_path / "r", options())
        more = replace(options(planned=True), limit=LIMIT + 1)
        assert counts(plan(config, benchmark, tmp_path / "r", more)) == {"reader": (1, 1, 0), "judge": (1, 1, 0)}
        fresh = options(planned=True, fresh=True)
        assert counts(plan(config, benchmark, tmp_path / "r", fresh))["reader"] == (LIMIT, LIMIT, 0)


def test_the_command_prints_a_table_and_writes_nothing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(reply) as server:
        monkeypatch.setenv("TOKEN", "sk-secret-1234567890")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        arguments = ["--data", str(small), "--lang", "de,zh", "--limit", "2", "--reader_model_id", "openai:gpt-4o-mini"]
        assert main(["plan", *arguments, "--judge", "openai:gpt-4.1"]) == 0
        said = capsys.readouterr().out
        lines = [line.strip("|").split("|") for line in said.splitlines() if "openai:" in line]
        rows = [[cell.strip() for cell in line] for line in lines]
        assert [row[:5] for row in rows] == [
            ["reader", "openai:gpt-4o-mini", "4", "4", "0"], ["controls", "openai:gpt-4.1", "70", "70", "0"],
            ["judge", "openai:gpt-4.1", "4", "4", "0"],
        ]  # fmt: skip
        total = re.search(rf"at most ([0-9.]+) USD, at the list prices of {load_prices().date}", said)
        assert total is not None
        assert 0 < float(total[1]) == pytest.approx(sum(float(row[-1]) for row in rows), abs=2e-4)
        assert main(["plan", *arguments, "--judge", "openai:nobody-knows-it"]) == 0
        unpriced = "cost: unknown, prices.yaml has no price of nobody-knows-it; --prices"
        assert unpriced in capsys.readouterr().out
        assert main(["plan", "--data", str(small), "--limit", "1"]) == 0
        assert "cost: nothing, no endpoint is called" in capsys.readouterr().out
        assert server.requests == []
    assert files(tmp_path) == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"judge": Component("openai")},
        {"judge": Component("opnai", "j")},
        {"check": Component("openai")},
        {"check": Component("openai", "c", {"promt": "x"})},
        {"embedder": Component("openai"), "retriever": Component("dense")},
        {"reranker": Component("llm")},
    ],
)
def test_names_and_models_are_checked_before_anything_is_counted(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    def index(self: Chatbot, corpus: Sequence[Chunk]) -> Chatbot:
        raise AssertionError("nothing is indexed for a plan that cannot be made")

    monkeypatch.setattr(Chatbot, "index", index)
    with pytest.raises(ConfigError):
        plan(replace(OPENAI, **changes), load_benchmark(small, LANGS), tmp_path / "run", options(planned=True))

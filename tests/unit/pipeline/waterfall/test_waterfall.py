"""The waterfall of a run: where each group of gold is lost, and the same reader and judge under other contexts."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import ListRetriever, ReversingReranker, Scripted, chat_server
from ragaliq import Chatbot, Hit, Item, Query, Reading, RunConfig, Verdict, evaluate, load_benchmark
from ragaliq.aggregate.items.run_items import RunItems
from ragaliq.aggregate.run_figures import RunFigures
from ragaliq.config import Component
from ragaliq.llm import LLMSession
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.pipeline.plan import plan
from ragaliq.pipeline.rejudge import grade_again
from ragaliq.runs.folder import RunFolder
from ragaliq.types import Answer, AnswerOutcome, VerdictOutcome

GERMAN = "Das Tor des Platzes schließt abends um halb elf, und morgens öffnet es wieder für alle Gäste. 2"
SAYS = {"q1": GERMAN, "q2": "0", "q3": "3"}


class TinyReader:
    """In the run: q1 in German, q2 abstains, q3 partly right, the rest wrong; the gold alone sets the rest right."""

    read_ids: list[tuple[str, ...]] = []  # noqa: RUF012 — shared on purpose: the engine makes the object from its class

    def read(self, query: Query, context: Sequence[Hit]) -> Reading:
        self.read_ids.append((query.query_id, *(hit.chunk.doc_id for hit in context)))
        text = SAYS.get(query.query_id, "1" if len(context) > 2 else "5") if context else "0"
        return Reading(text, AnswerOutcome.ABSTAINED if text == "0" else AnswerOutcome.ANSWERED)


class LastDigit:
    """Gives the grade that the answer ends with."""

    name, prompt_hash = "digit", "1"
    graded: list[tuple[str, str]] = []  # noqa: RUF012
    fails_on = ""

    def grade(self, item: Item, answer: Answer) -> Verdict:
        query_id, text = item.query.query_id, answer.text
        self.graded.append((query_id, text))
        if text == self.fails_on:
            raise ValueError("no opinion")
        return Verdict(query_id, item.query.lang, int(text[-1]), VerdictOutcome.SCORED, "", self.name, self.prompt_hash)


class OtherDigit(LastDigit):
    name = "other digit"


@pytest.fixture
def config(small: Path, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    monkeypatch.setitem(sys.modules, "tiny_parts", sys.modules[__name__])
    for owner, name, value in ((TinyReader, "read_ids", []), (LastDigit, "graded", []), (LastDigit, "fails_on", "")):
        monkeypatch.setattr(owner, name, value)
    return RunConfig(data=str(small), reader=Component("python", "tiny_parts:TinyReader"), context_k=3,
                     judge=Component("python", "tiny_parts:LastDigit"), check=Component("none"))  # fmt: skip


def run_of(config: RunConfig, out: Path, bot: type[Chatbot] = Chatbot, **parts: Any) -> RunFigures:
    """Run the small benchmark in English; the retriever ranks its twelve chunks as they stand in the corpus."""
    options = {"waterfall": parts.pop("waterfall", None), "judged": parts.pop("judged", True)}
    loaded = load_benchmark(config.data, ["en"], config.knowledge_base, config.chunking)
    chatbot = bot(config, retriever=ListRetriever(), **parts)
    run = evaluate(chatbot, loaded, out, RunOptions(**options))
    assert run is not None
    return run


def rows(run: Path) -> dict[str, dict[str, Any]]:
    lines = (run / "waterfall.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["query_id"]: row for row in map(json.loads, lines)}


def lost(run: Path) -> dict[str, list[str | None]]:
    return {query_id: [group["lost"] for group in row["groups"]] for query_id, row in rows(run).items()}


def test_reader_side_stages_and_other_contexts_by_hand(config: RunConfig, tmp_path: Path) -> None:
    run = run_of(config, tmp_path, waterfall=True)
    causes = {query_id: row["cause"] for query_id, row in rows(tmp_path).items()}
    cut = dict.fromkeys(("q4", "q5", "q6", "q7"), "context_cut")
    assert causes == {"q1": "language", "q2": "abstention", "q3": "reader", **cut, "q8": None}
    figures = run.metrics["waterfall"]["en"]
    values = {stage: one["value"] for stage, one in figures["stages"].items() if one["value"]}
    assert values == pytest.approx(
        {"language": 0.8 / 7, "abstention": 0.6 / 7, "reader": 0.4 / 7, "context_cut": 4 / 7}
    )
    assert figures["main"] == "context_cut" and figures["apart"] == []
    assert figures["loss"]["value"] == pytest.approx((0.8 + 0.6 + 0.4 + 4) / 7)
    bounds = figures["stages"]["context_cut"]
    assert (bounds["first"], bounds["last"]) == (pytest.approx(4 / 7), pytest.approx(4 / 7))
    conditions = figures["conditions"]
    assert list(conditions) == ["none", "run", "gold"]
    assert {name: (one["n"], one["n_right"]) for name, one in conditions.items()} == {
        "none": (7, 0), "run": (7, 0), "gold": (7, 4),
    }  # fmt: skip
    weights = [conditions[name]["mean_weight"] for name in conditions]
    assert weights == pytest.approx([0.4, (0.2 + 0.4 + 0.6) / 7, (0.2 + 0.4 + 0.6 + 4) / 7])
    assert [step["difference"] for step in figures["steps"]] == pytest.approx([1.2 / 7 - 0.4, 4 / 7])
    assert run.metrics["waterfall"]["all"]["stages"] == figures["stages"]
    # There is no reranker that could lose anything.
    assert list(figures["stages"]) == ["knowledge_base", "retriever", "context_cut", "language", "abstention", "reader"]
    # Nothing is read or graded twice: of 8 answers of the run, 6 others from no context, 4 from the gold.
    assert len(LastDigit.graded) == 8 + 6 + 4
    assert ("q7", "lake-01", "lake-03") in TinyReader.read_ids, "the gold of both groups"


def test_retrieval_curves_count_queries_with_all_their_gold(config: RunConfig, tmp_path: Path) -> None:
    run = run_of(replace(config, top_k=10), tmp_path)
    # Gold of q1 to q7 stands at 1, 2, 3, 5, 6, 10, and 5 and 7.
    assert run.metrics["retrieval"]["en"] == {
        "n": 7, "depths": [1, 2, 3, 5, 10], "ranked": [1 / 7, 2 / 7, 3 / 7, 4 / 7, 1.0], "retrieved": None,
        "shown": 3 / 7, "context_k": 3,
    }  # fmt: skip
    assert "conditions" not in rows(tmp_path)["q1"], "such parts are not asked again by themselves"
    assert run.metrics["waterfall"]["en"]["conditions"] is None


def test_a_reranker_loses_what_the_retriever_would_have_shown(config: RunConfig, tmp_path: Path) -> None:
    run = run_of(config, tmp_path / "a", reranker=ReversingReranker(), waterfall=True)
    assert lost(tmp_path / "a") == {
        "q1": ["reranker"], "q2": ["reranker"], "q3": ["reranker"], "q4": ["context_cut"], "q5": ["context_cut"],
        "q6": [None], "q7": ["context_cut", "context_cut"], "q8": [],
    }  # fmt: skip
    assert [(one["retrieved"], one["ranked"]) for one in rows(tmp_path / "a")["q7"]["groups"]] == [(5, 8), (7, 6)]
    assert list(run.metrics["waterfall"]["en"]["conditions"]) == ["none", "retrieved", "run", "gold"]
    assert run.metrics["waterfall"]["en"]["stages"]["reranker"]["n"] == 3
    assert run.metrics["retrieval"]["en"]["retrieved"][:2] == [1 / 7, 2 / 7]
    assert run.metrics["retrieval"]["en"]["ranked"][:3] == [0, 0, 1 / 7]
    assert rows(tmp_path / "a")["q6"]["conditions"]["retrieved"]["doc_ids"] == ["stay-01", "stay-02", "stay-03"]
    # A run of an earlier version does not hold the order before the reranker.
    for name in ("retrieved.en.trec", "waterfall.jsonl"):
        (tmp_path / "a" / name).unlink()
    old = run_of(config, tmp_path / "a", reranker=ReversingReranker())
    assert lost(tmp_path / "a")["q1"] == ["unknown"] and lost(tmp_path / "a")["q6"] == [None]
    assert old.metrics["waterfall"]["en"]["stages"]["unknown"]["n"] == 6
    assert old.metrics["retrieval"]["en"]["retrieved"] is None


class Dropping(ReversingReranker):
    """Keeps the last hit alone."""

    def rerank(self, query: Query, hits: Sequence[Hit]) -> list[Hit]:
        return super().rerank(query, hits)[:1]


class BotWithAnswer(Chatbot):
    def answer(self, query: Query | str) -> Any:
        return "4"


def test_what_is_not_ranked_or_not_known(config: RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(config, tmp_path / "dropping", reranker=Dropping())
    assert lost(tmp_path / "dropping")["q5"] == ["reranker"], "dropped, wherever it stood"
    run_of(replace(config, top_k=4), tmp_path / "few")
    assert lost(tmp_path / "few")["q4"] == ["retriever"]
    run = run_of(config, tmp_path / "answer", BotWithAnswer, waterfall=True)
    assert (
        set(run.metrics["waterfall"]["en"]["stages"]) - {"unknown"} and rows(tmp_path / "answer")["q1"]["groups"] == []
    )
    assert run.metrics["waterfall"]["en"]["main"] == "unknown" and "retrieval" not in run.metrics
    assert capsys.readouterr().err.count("it is not read from other contexts") == 1


def test_a_failed_grade_is_tried_again_alone(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LastDigit, "fails_on", "5")
    run = run_of(config, tmp_path, waterfall=True)
    gold = run.metrics["waterfall"]["en"]["conditions"]["gold"]
    assert (gold["n"], gold["n_expected"]) == (3, 7)
    assert rows(tmp_path)["q4"]["conditions"]["gold"]["error"] == "ValueError: no opinion"
    monkeypatch.setattr(LastDigit, "fails_on", "")
    LastDigit.graded.clear()
    TinyReader.read_ids.clear()
    run = run_of(config, tmp_path, waterfall=True)
    assert sorted(LastDigit.graded) == [(query_id, "5") for query_id in ("q4", "q5", "q6", "q7")]
    assert len(TinyReader.read_ids) == 4
    assert run.metrics["waterfall"]["en"]["conditions"]["gold"]["n"] == 7
    before = (tmp_path / "waterfall.jsonl").read_bytes()
    LastDigit.graded.clear()
    run_of(config, tmp_path)
    assert not LastDigit.graded and (tmp_path / "waterfall.jsonl").read_bytes() == before


def test_grading_again_keeps_only_the_answers_of_the_same_judge(
    config: RunConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_of(config, tmp_path, waterfall=True)
    before = (tmp_path / "waterfall.jsonl").read_bytes()
    grade_again(RunFolder(tmp_path), config)
    assert (tmp_path / "waterfall.jsonl").read_bytes() == before and "dropped" not in capsys.readouterr().err
    other = replace(config, judge=Component("python", "tiny_parts:OtherDigit"))
    figures = grade_again(RunFolder(tmp_path), other)
    assert "another judge graded the answers from other contexts" in capsys.readouterr().err
    assert figures.metrics["waterfall"]["en"]["conditions"] is None
    assert "conditions" not in rows(tmp_path)["q1"] and rows(tmp_path)["q1"]["cause"] == "language"


def test_answers_graded_later_get_their_rows_then(config: RunConfig, tmp_path: Path) -> None:
    chatbot = Chatbot(config, retriever=ListRetriever())
    assert evaluate(chatbot, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(judged=False)) is None
    assert not (tmp_path / "waterfall.jsonl").exists()
    figures = grade_again(RunFolder(tmp_path), config)
    assert figures.metrics["waterfall"]["en"]["main"] == "context_cut"


def test_another_knowledge_base_is_searched_for_the_sentences(config: RunConfig, tmp_path: Path) -> None:
    corpus = {chunk.doc_id: chunk.text for chunk in load_benchmark(config.data, ["en"]).chunks["en"]}
    texts = tmp_path / "kb.md"
    # Other white space, another cut, and lake-03 is missing.
    kept = [text.replace(" ", "  ") for doc_id, text in corpus.items() if doc_id != "lake-03"]
    texts.write_text("\n".join(kept), encoding="utf-8")
    replaced = replace(config, knowledge_base=str(texts), chunking="lines")
    run = run_of(replaced, tmp_path / "a")
    assert lost(tmp_path / "a")["q7"] == ["context_cut", "knowledge_base"]
    assert rows(tmp_path / "a")["q7"]["cause"] == "knowledge_base"
    assert (lost(tmp_path / "a")["q1"], lost(tmp_path / "a")["q4"]) == ([None], ["context_cut"])
    assert run.metrics["retrieval"]["en"]["n"] == 7
    texts.write_text("Nothing of the handbook stands in this text.", encoding="utf-8")
    run = run_of(replaced, tmp_path / "b")
    assert run.metrics["waterfall"]["en"]["main"] == "unknown", "another knowledge base, not one with losses"


@pytest.mark.parametrize(("kb_lang", "shown"), [("de", ["stay-01"]), ("all", ["stay-01@de"])])
def test_gold_of_other_languages_goes_by_its_id(config: RunConfig, tmp_path: Path, kb_lang: str, shown: str) -> None:
    foreign = replace(config, kb_lang=kb_lang, retriever=Component("gold") if kb_lang == "de" else Component("bm25"))
    loaded = load_benchmark(config.data, ["de"], kb_lang=kb_lang)
    run = evaluate(foreign, loaded, tmp_path, RunOptions(waterfall=True))
    assert run is not None
    assert run.metrics["waterfall"]["de"]["stages"]["knowledge_base"]["value"] == 0
    assert rows(tmp_path)["q1"]["groups"][0]["ranked"] == 1
    assert rows(tmp_path)["q1"]["conditions"]["gold"]["doc_ids"] == shown


def test_a_plan_counts_the_calls_that_a_run_then_makes(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        said = {"r": f"Answer number {number}.", "j": "Feedback: good. [RESULT] 4", "k": "Feedback: poor. [RESULT] 2"}
        return Scripted(said[request["model"]])

    config = RunConfig(data=str(small), reader=Component("openai", "r"), judge=Component("openai", "j"),
                       retriever=Component("bm25"), reranker=Component("lexical"), context_k=2,
                       check=Component("none"))  # fmt: skip
    loaded = load_benchmark(small, ["en"])
    with chat_server(reply) as server:
        monkeypatch.setenv("TOKEN", "t")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        planned = plan(config, loaded, tmp_path, RunOptions(session=LLMSession(planned=True), waterfall=True))
        assert not server.requests
        evaluate(config, loaded, tmp_path, RunOptions(waterfall=True))
        calls = {stage.stage: stage.calls for stage in planned}
        models = [request["model"] for request in server.requests]
        assert models.count("r") == calls["reader"] + calls["waterfall reader"] == 8 + calls["waterfall reader"]
        assert models.count("j") == calls["judge"] + calls["waterfall judge"]
        assert calls["waterfall reader"] >= 14, "no context and the gold of each of seven"
        traces = (tmp_path / "traces.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(traces) == len(server.requests)
        again = plan(config, loaded, tmp_path, RunOptions(session=LLMSession(planned=True), waterfall=True))
        assert sum(stage.calls for stage in again) == 0
        calls_of_items(RunFolder(tmp_path), "j")
        conditions = [json.loads(line).get("condition", "") for line in traces]
        assert conditions.count("none") == conditions.count("gold") == 14, "a reader and a judge, seven queries"
        assert conditions.count("") == 2 * calls["reader"]
        grade_again(RunFolder(tmp_path), replace(config, judge=Component("openai", "k")))
        calls_of_items(RunFolder(tmp_path), "k")
        grade_again(RunFolder(tmp_path), replace(config, judge=Component("offline")))
        calls_of_items(RunFolder(tmp_path), "")
        assert all(stage.items == 0 for stage in again if stage.stage.startswith("waterfall"))


def calls_of_items(folder: RunFolder, judge: str) -> None:
    """Check that an item has one call of the reader, for the answer in the run, and one of the judge of its verdict."""
    for key, item in RunItems(folder).items():
        called = [(row["component"], row["model"]) for row in item.traces]
        assert called == [("judge", judge)] * bool(judge) + [("reader", "r")], key
        assert item.traces[-1]["raw_reply"] == item.answered.answer.text

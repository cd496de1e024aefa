"""Evaluation with parts of the user's own: their failures are typed, and tried again."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fakes import answered
from ragaliq import Chatbot, Hit, Item, Query, Reading, RunConfig, Verdict, evaluate, load_benchmark
from ragaliq.aggregate.grades.graded import load_graded
from ragaliq.aggregate.grades.query_grades import read_query_grades
from ragaliq.aggregate.run_figures import compute_figures
from ragaliq.config import Component
from ragaliq.errors import InputError, Stopped
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.llm import LLMSession
from ragaliq.pipeline.distributed.engine import RayEngine
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.pipeline.grade import verdict_on
from ragaliq.pipeline.plan import plan
from ragaliq.pipeline.rejudge import grade_again
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import write_jsonl
from ragaliq.types import Answer, Chunk, Usage, VerdictOutcome


class MoodyReader:
    """Fails on the second query until it is fixed."""

    fixed = False
    asked: list[str] = []  # noqa: RUF012 — shared on purpose: the engine makes the object from its class

    async def read(self, query: Query, context: Sequence[Hit]) -> str:
        assert not hasattr(query, "reference") and not hasattr(query, "gold")
        await asyncio.sleep(0)
        self.asked.append(query.query_id)
        if query.query_id == "q2" and not self.fixed:
            raise RuntimeError("the model\nfell over")
        return "" if query.query_id == "q3" else f"Answer to {query.query_id}."


class FickleJudge:
    name = "fickle"
    prompt_hash = "1"

    def grade(self, item: Item, answer: Answer) -> Verdict:
        if item.query.query_id == "q4":
            raise ValueError("no opinion")
        query = item.query
        return Verdict(query.query_id, query.lang, 5, VerdictOutcome.SCORED, "", self.name, self.prompt_hash)


@pytest.fixture
def config(small: Path, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    monkeypatch.setattr(MoodyReader, "fixed", False)
    monkeypatch.setattr(MoodyReader, "asked", [])
    monkeypatch.setitem(sys.modules, "own_parts", sys.modules[__name__])
    reader, judge = Component("python", "own_parts:MoodyReader"), Component("python", "own_parts:FickleJudge")
    return RunConfig(data=str(small), retriever=Component("bm25"), reader=reader, judge=judge)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_failures_of_own_parts_are_typed_and_only_they_are_tried_again(config: RunConfig, tmp_path: Path) -> None:
    benchmark, options = load_benchmark(config.data, ["en"]), RunOptions(limit=5)
    run = evaluate(config, benchmark, tmp_path, options)
    assert run is not None
    summary = run.summaries["en"]
    answers = {row["query_id"]: row for row in rows(tmp_path / "answers.jsonl")}
    assert {key: row["outcome"] for key, row in answers.items()} == {
        "q1": "answered", "q2": "error", "q3": "empty", "q4": "answered", "q5": "answered",
    }  # fmt: skip
    assert answers["q2"]["error"] == "RuntimeError: the model fell over"
    assert [(row["outcome"], row["grade"]) for row in rows(tmp_path / "verdicts.jsonl")] == [
        ("scored", 5), ("no_answer", None), ("no_answer", None), ("api_error", None), ("scored", 5),
    ]  # fmt: skip
    assert (summary.aggregates.n, summary.aggregates.n_scored, summary.aggregates.coverage) == (5, 2, 2 / 5)

    MoodyReader.fixed = True
    MoodyReader.asked.clear()
    run = evaluate(config, benchmark, tmp_path, options)
    assert run is not None
    summary = run.summaries["en"]
    assert MoodyReader.asked == ["q2", "q3"]
    assert summary.aggregates.n_scored == 3


def test_a_run_without_judge_is_graded_later(config: RunConfig, tmp_path: Path) -> None:
    benchmark = load_benchmark(config.data, ["ru"])
    assert evaluate(config, benchmark, tmp_path, RunOptions(limit=2, judged=False)) is None
    assert not (tmp_path / "verdicts.jsonl").exists() and not (tmp_path / "metrics.json").exists()
    run = evaluate(config, benchmark, tmp_path, RunOptions(limit=2))
    assert run is not None and run.summaries["ru"].judge == "fickle"
    assert json.loads((tmp_path / "config.json").read_text())["judge"]["name"] == "fickle"


def test_two_processes_do_not_work_on_one_run(config: RunConfig, tmp_path: Path) -> None:
    with RunFolder(tmp_path).locked(), pytest.raises(InputError, match="another process"):
        evaluate(config, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(limit=1))


class Echo:
    def read(self, query: Query, context: Sequence[Hit]) -> str | Reading:
        return query.text


class NumpyRetriever:
    """Its scores are numpy's, as those of many libraries are."""

    score: float = np.float32(0.5)  # type: ignore[assignment]

    def index(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks

    def retrieve(self, query: Query, top_k: int) -> list[Hit]:
        return [Hit(self.chunks[0], self.score, 1)]


def test_numpy_scores_are_numbers_like_others_and_nan_is_an_error(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = replace(config, retriever=Component("python", "own_parts:NumpyRetriever"), reranker=Component("none"))
    benchmark = load_benchmark(config.data, ["en"])
    evaluate(own, benchmark, tmp_path, RunOptions(limit=1))
    evaluate(own, benchmark, tmp_path, RunOptions(limit=2))
    assert [row["context"][0]["score"] for row in rows(tmp_path / "answers.jsonl")[:1]] == [0.5]
    assert (tmp_path / "retrieval.en.trec").read_text().splitlines()[0].split()[4] == "0.5"
    monkeypatch.setattr(NumpyRetriever, "score", float("nan"))
    with pytest.raises(InputError, match="not a finite number"):
        evaluate(own, benchmark, tmp_path, RunOptions(limit=3))


def test_options_that_would_do_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        RunOptions(session=LLMSession(concurrency=0))
    with pytest.raises(InputError, match="at least 1"):
        RunOptions(limit=0)


def test_what_a_reader_returns_is_checked(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        def read(self, query: Query, context: Sequence[Hit]) -> object:
            return {"q1": None, "q2": Reading("x", "whatever")}.get(query.query_id, 7)  # type: ignore[arg-type]

    monkeypatch.setattr(sys.modules[__name__], "Odd", Odd, raising=False)
    own = replace(config, reader=Component("python", "own_parts:Odd"))
    evaluate(own, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(limit=3))
    found = rows(tmp_path / "answers.jsonl")
    assert [row["outcome"] for row in found] == ["error"] * 3
    assert "a reader returns a text or a Reading, not None" in found[0]["error"]
    assert "whatever" in found[1]["error"]


def test_what_a_judge_returns_is_checked(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        def grade(self, item: Item, answer: Answer) -> object:
            if item.query.query_id == "q1":
                return 3
            grade = 9 if item.query.query_id == "q4" else 4
            return Verdict("q1", "en", grade, VerdictOutcome.SCORED, "", "odd", "")

    monkeypatch.setattr(sys.modules[__name__], "Odd", Odd, raising=False)
    own = replace(config, judge=Component("python", "own_parts:Odd"))
    evaluate(own, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(limit=5))
    found = {row["query_id"]: (row["outcome"], row["feedback"]) for row in rows(tmp_path / "verdicts.jsonl")}
    assert found["q1"][0] == found["q4"][0] == found["q5"][0] == "api_error"
    assert "a judge returns a Verdict, not 3" in found["q1"][1]
    assert "whole number from 0 to 5, not 9" in found["q4"][1]
    assert "not on ('en', 'q5')" in found["q5"][1]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"attempts": 1.0}, "'attempts' must be a whole number from 0"),
        ({"attempts": -1}, "'attempts' must be a whole number from 0"),
        ({"usage": Usage(1.5, 2)}, "'usage.prompt_tokens' must be a whole number"),  # type: ignore[arg-type]
        ({"usage": Usage(-1, 2)}, "'usage.prompt_tokens' must be a whole number from 0"),
        ({"expected_grade": 10**400}, "'expected_grade' must be a number"),
        ({"judge": "j\ud83d"}, "'judge' must be a text of whole characters"),
    ],
)
def test_a_verdict_that_could_not_be_read_again_is_no_grade(change: dict[str, Any], place: str) -> None:
    class Odd:
        def grade(self, item: Item, answer: Answer) -> Verdict:
            whole = Verdict("q1", "en", 5, VerdictOutcome.SCORED, "", "odd", "", expected_grade=np.float64(4.5))
            return replace(whole, **change)

    verdict = asyncio.run(verdict_on(answered("q1", "Blue."), Odd(), SerialThread()))
    assert verdict.outcome is VerdictOutcome.API_ERROR and place in verdict.feedback
    change.clear()
    assert asyncio.run(verdict_on(answered("q1", "Blue."), Odd(), SerialThread())).grade == 5


def test_a_retriever_that_fails_is_one_line(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(self: NumpyRetriever, query: Query, top_k: int) -> list[Hit]:
        raise ConnectionError("vector database gone")

    monkeypatch.setattr(NumpyRetriever, "retrieve", gone)
    own = replace(config, retriever=Component("python", "own_parts:NumpyRetriever"))
    with pytest.raises(InputError, match="retriever or reranker: ConnectionError: vector database gone"):
        evaluate(own, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(limit=1))


def test_grading_the_rest_is_for_the_judge_who_began_it(config: RunConfig, tmp_path: Path) -> None:
    benchmark = load_benchmark(config.data, ["en"])
    evaluate(config, benchmark, tmp_path, RunOptions(limit=4, judged=False))
    grade_again(RunFolder(tmp_path), config, only_unscored=True)
    with pytest.raises(InputError, match="goes on with the same judge"):
        grade_again(RunFolder(tmp_path), replace(config, judge=Component("offline")), only_unscored=True)
    folder, manifest = RunFolder(tmp_path), RunFolder(tmp_path).config()
    # A configuration need not name its judge.
    folder.config_file.write_text(json.dumps({**manifest, "judge": {"kind": "openai", "model": "m"}}))
    with pytest.raises(InputError, match=r"graded by 'openai:m' \(kind: 'openai' then, 'python' now\)"):
        grade_again(folder, config, only_unscored=True)
    folder.config_file.write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="another configuration"):
        evaluate(replace(config, judge=Component("offline")), benchmark, tmp_path, RunOptions(limit=5))


class ItemJudge(FickleJudge):
    name = "items"
    items: list[Item] = []  # noqa: RUF012 — shared on purpose: the engine makes the object from its class

    def grade(self, item: Item, answer: Answer) -> Verdict:
        self.items.append(item)
        return super().grade(item, answer)


def test_the_judge_gets_the_benchmarks_own_item(
    config: RunConfig, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ItemJudge, "items", [])
    own, benchmark = replace(config, judge=Component("python", "own_parts:ItemJudge")), load_benchmark(small, ["en"])
    evaluate(own, benchmark, tmp_path / "r", RunOptions(limit=1))
    expected = benchmark.items["en"][0]
    assert ItemJudge.items == [expected] and expected.gold

    folder = RunFolder(tmp_path / "r")
    grade_again(folder, own)
    assert ItemJudge.items[1:] == [expected], "config.json names the benchmark, and it is at hand"
    manifest = folder.config()
    for data in ({"path": str(tmp_path / "gone")}, {"hash": "0"}):
        folder.config_file.write_text(json.dumps({**manifest, "data": {**manifest["data"], **data}}))
        grade_again(folder, own)
        assert ItemJudge.items[-1] == Item(expected.query, expected.reference, aliases=expected.aliases), data


def test_grading_the_rest_asks_about_what_has_no_grade_and_nothing_else(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(config, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(limit=4))
    graded: list[str] = []

    def grade(self: FickleJudge, item: Item, answer: Answer) -> Verdict:
        graded.append(item.query.query_id)
        return Verdict(graded[-1], "en", 3, VerdictOutcome.SCORED, "", self.name, self.prompt_hash)

    monkeypatch.setattr(FickleJudge, "grade", grade)
    evaluate(config, load_benchmark(config.data, ["en"]), tmp_path, RunOptions(limit=4))
    assert graded == [], "the same command leaves a verdict without a grade alone"
    grade_again(RunFolder(tmp_path), config, only_unscored=True)
    assert graded == ["q4"]
    assert [row["grade"] for row in rows(tmp_path / "verdicts.jsonl")] == [5, None, None, 3]


class Stopping:
    """Asks for the stop while it answers the third query, as Ctrl-C would, until `calls` is None."""

    session: LLMSession | None = None
    asked: list[str] = []  # noqa: RUF012 — shared on purpose, as above

    async def read(self, query: Query, context: Sequence[Hit]) -> str:
        await asyncio.sleep(0.001)
        self.asked.append(query.query_id)
        if query.query_id == "q3" and self.session is not None:
            self.session.signal.ask("interrupted")
        return f"Antwort auf {query.query_id}."


@pytest.mark.parametrize("judged", [True, False])
def test_a_stopped_run_keeps_what_was_under_way_and_goes_on(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: bool
) -> None:
    session = LLMSession(concurrency=1)
    monkeypatch.setattr(Stopping, "session", session)
    monkeypatch.setattr(Stopping, "asked", [])
    own = replace(config, reader=Component("python", "own_parts:Stopping"))
    benchmark = load_benchmark(config.data, ["de", "zh"])
    with pytest.raises(Stopped, match=r"interrupted \(3 of 8 answered"):
        evaluate(own, benchmark, tmp_path, RunOptions(limit=4, judged=judged, session=session))
    assert [row["query_id"] for row in rows(tmp_path / "answers.jsonl")] == ["q1", "q2", "q3"]
    assert (tmp_path / "metrics.json").exists() is judged
    if judged:
        nuggets = json.loads((tmp_path / "metrics.json").read_text())["nuggets"]
        assert all(nuggets[lang]["n_expected"] == 4 for lang in ("de", "zh"))
        assert nuggets["de"]["coverage"] < 1 and nuggets["zh"]["coverage"] == 0

    monkeypatch.setattr(Stopping, "session", None)
    evaluate(own, benchmark, tmp_path, RunOptions(limit=4, judged=judged))
    assert sorted(Stopping.asked) == sorted([f"q{n}" for n in range(1, 5)] * 2), "no item is answered twice"
    calm = tmp_path / "calm"
    evaluate(own, benchmark, calm, RunOptions(limit=4, judged=judged))
    for name in ("answers.jsonl", "retrieval.de.trec", "retrieval.zh.trec", *(["verdicts.jsonl"] * judged)):
        assert (tmp_path / name).read_bytes() == (calm / name).read_bytes()


def test_an_answer_inside_a_running_loop_as_in_a_notebook() -> None:
    bot = Chatbot(reader=Echo()).index([Chunk("d1", "en", "It opens at seven.", "s", 0, 18)])

    async def cell() -> str:
        return bot.answer("At seven.").text

    assert asyncio.run(cell()) == "At seven."


def test_c33_runs_without_documents_and_with_the_right_ones(small: Path, tmp_path: Path) -> None:
    benchmark = load_benchmark(small, ["en", "zh"])
    contexts = {}
    for kind in ("none", "gold"):
        run = RunConfig(data=str(small), retriever=Component(kind))
        evaluate(run, benchmark, tmp_path / kind, RunOptions(judged=False))
        answers = RunFolder(tmp_path / kind).answers()
        contexts[kind] = {key: [hit.chunk.doc_id for hit in answers[key].answer.context] for key in answers}
    assert not any(contexts["none"].values())
    for lang, items in benchmark.items.items():
        for item in items:
            found = contexts["gold"][lang, item.query.query_id]
            # One of each group at least, and nothing for a query that no document answers.
            assert all(set(group) & set(found) for group in item.gold) and bool(found) == item.answerable
    # The gold of a query names the same documents in the language that all are answered from.
    german = load_benchmark(small, ["en"], kb_lang="de")
    evaluate(RunConfig(data=str(small), retriever=Component("gold"), kb_lang="de"), german, tmp_path / "de",
             RunOptions(judged=False))  # fmt: skip
    answers = RunFolder(tmp_path / "de").answers()
    first = answers["en", min(query_id for _, query_id in answers)].answer
    assert [hit.chunk.text[:7] for hit in first.context] == ["Das Tor"]
    mixed = RunConfig(data=str(small), retriever=Component("gold"), kb_lang="all")
    with pytest.raises(InputError, match="finds documents of one language"):
        evaluate(mixed, load_benchmark(small, ["en"], kb_lang="all"), tmp_path / "all")


def test_an_edited_answer_is_graded_again_and_its_old_grade_counts_no_more(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark, options = load_benchmark(config.data, ["en"]), RunOptions(limit=4)
    monkeypatch.setattr(MoodyReader, "fixed", True)
    monkeypatch.setattr(ItemJudge, "items", [])
    config = replace(config, judge=Component("python", "own_parts:ItemJudge"), check=Component("none"))
    evaluate(config, benchmark, tmp_path, options)
    folder, before = RunFolder(tmp_path), (tmp_path / "verdicts.jsonl").read_bytes()
    # The reader says nothing to q3, the judge nothing about q4.
    assert [row["grade"] for row in rows(folder.verdicts_file)] == [5, 5, None, None]
    assert all(len(row["answer_hash"]) == 12 for row in rows(folder.verdicts_file))
    original = folder.answers_file.read_bytes()

    def planned() -> int:
        return next(s.items for s in plan(config, benchmark, tmp_path, options) if s.stage == "judge")

    # q3 is to be answered again.
    assert planned() == 1
    folder.answers_file.write_bytes(original.replace(b"Answer to q2.", b"Something else."))
    ItemJudge.items.clear()
    capsys.readouterr()

    # Every figure takes it for missing until it is graded again.
    (summary,) = compute_figures(folder).summaries.values()
    assert (summary.aggregates.n_scored, summary.aggregates.n_expected) == (1, 4)
    assert [grades.n_scored for grades in read_query_grades(tmp_path)] == [1]
    assert [row.query_id for row in load_graded(tmp_path).rows] == ["q1", "q3", "q4"]
    assert planned() == 2

    evaluate(config, benchmark, tmp_path, options)
    assert [item.query.query_id for item in ItemJudge.items] == ["q2"]
    told = "note: 1 of 4 answers have changed since they were graded; they are graded again"
    assert capsys.readouterr().err.count(told) == 1
    after = rows(folder.verdicts_file)
    assert [row["grade"] for row in after] == [5, 5, None, None]
    assert after[1]["answer_hash"] != json.loads(before.splitlines()[1])["answer_hash"]
    evaluate(config, benchmark, tmp_path, options)
    assert len(ItemJudge.items) == 1 and told not in capsys.readouterr().err

    # Edited back, and graded by the command that only grades.
    folder.answers_file.write_bytes(original)
    grade_again(folder, config, only_unscored=True)
    assert folder.verdicts_file.read_bytes() == before and told in capsys.readouterr().err


def test_a_verdict_of_an_earlier_version_counts_for_the_answer_that_is_there(
    config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, options = load_benchmark(config.data, ["en"]), RunOptions(limit=2)
    monkeypatch.setattr(MoodyReader, "fixed", True)
    evaluate(config, benchmark, tmp_path, options)
    folder = RunFolder(tmp_path)
    old = [{k: v for k, v in row.items() if k != "answer_hash"} for row in rows(folder.verdicts_file)]
    write_jsonl(folder.verdicts_file, old)
    (summary,) = compute_figures(folder).summaries.values()
    assert summary.aggregates.n_scored == 2
    evaluate(config, benchmark, tmp_path, options)
    assert rows(folder.verdicts_file) == old


def test_a_chatbot_of_ones_own_is_not_shared_out(config: RunConfig, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--engine ray: a Chatbot of your own runs on one machine"):
        evaluate(Chatbot(config), load_benchmark(config.data, ["en"]), tmp_path / "run", RunOptions(engine=RayEngine()))
    assert not (tmp_path / "run").exists()

"""Queries in one language answered over documents in another, or in all: from the benchmark to the run folder."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import ListRetriever, Scripted, chat_server
from parallel import TEXTS, write_parallel
from ragaliq import Chatbot, Hit, Query, RunConfig, evaluate, load_benchmark
from ragaliq.aggregate.token_scores import TokenScores
from ragaliq.cli import main
from ragaliq.config import Component, run_name
from ragaliq.errors import ConfigError, InputError
from ragaliq.formats.trec.run import read_run
from ragaliq.llm import LLMSession
from ragaliq.pipeline.evaluate import RunOptions
from ragaliq.pipeline.plan import plan
from ragaliq.retrieve.bm25 import word_analyzer
from ragaliq.text.refusals import not_found
from ragaliq.types import Answer, AnswerOutcome, Chunk, Item, TokenChoice

RANKINGS = ("retrieval.de.trec", "retrieval.en.trec", "retrieval.zh.trec")
STABLE = ("answers.jsonl", "config.json", *RANKINGS)


class CountingRetriever(ListRetriever):
    """Counts how often it indexes."""

    indexed: list[list[str]] = []  # noqa: RUF012 — shared on purpose: the engine makes the object from its class

    def index(self, chunks: Sequence[Chunk]) -> None:
        super().index(chunks)
        self.indexed.append([chunk.doc_id for chunk in chunks])


class NotingReader:
    """Answers with the first chunk, and notes whom it was asked by."""

    asked: list[tuple[str, str]] = []  # noqa: RUF012

    def read(self, query: Query, context: Sequence[Hit]) -> str:
        self.asked.append((query.lang, query.query_id))
        return context[0].chunk.text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(sys.modules, "own_parts", sys.modules[__name__])
    monkeypatch.setattr(CountingRetriever, "indexed", [])
    monkeypatch.setattr(NotingReader, "asked", [])
    return write_parallel(tmp_path / "hall")


def run(folder: Path, out: Path, kb_lang: str = "same", langs: list[str] | None = None, **parts: Any) -> Path:
    config = replace(RunConfig(data=str(folder), kb_lang=kb_lang), **parts)
    evaluate(config, load_benchmark(folder, langs, kb_lang=kb_lang), out, RunOptions(judged=False))
    return out


def answers(out: Path) -> dict[tuple[str, str], dict[str, Any]]:
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    return {(row["lang"], row["query_id"]): row for row in rows}


def test_all_queries_go_to_the_documents_of_one_language(folder: Path, tmp_path: Path) -> None:
    out = run(folder, tmp_path / "r", "en")
    assert json.loads((out / "config.json").read_text())["system"]["kb_lang"] == "en"
    found = answers(out)
    assert {lang for lang, _ in found} == {"de", "en", "zh"}
    shown = {(hit["doc_id"], hit["text"]) for row in found.values() for hit in row["context"]}
    assert shown <= set(TEXTS["en"].items())
    # Names and numbers alone cross the languages: "Alster", "B12".
    assert {key: row["context"][0]["doc_id"] for key, row in found.items() if key[1] == "q1"} == {
        ("de", "q1"): "canteen", ("en", "q1"): "canteen", ("zh", "q1"): "canteen",
    }  # fmt: skip
    assert found["zh", "q2"]["context"][0]["doc_id"] == "lost"
    # Nothing crosses in the question about the roof; the reader abstains in the query's language.
    assert (found["zh", "q3"]["outcome"], found["zh", "q3"]["answer"]) == ("abstained", not_found("zh"))
    assert read_run(out / "retrieval.zh.trec")["q2"][0].doc_id == "lost"


def test_the_documents_of_all_languages_are_one_index(folder: Path, tmp_path: Path) -> None:
    out = run(folder, tmp_path / "r", "all")
    found = answers(out)
    for lang in TEXTS:
        ranking = [doc.doc_id for doc in read_run(out / f"retrieval.{lang}.trec")["q2"]]
        assert ranking[0] == f"lost@{lang}"
        assert {"lost@de", "lost@en", "lost@zh"} <= set(ranking)
        for hit in found[lang, "q2"]["context"]:
            doc_id, _, own = hit["doc_id"].partition("@")
            assert hit["text"] in TEXTS[own][doc_id]
    assert found["en", "q2"]["answer"] == TEXTS["en"]["lost"]


def test_the_default_is_the_corpus_of_the_querys_language(folder: Path, tmp_path: Path) -> None:
    default = tmp_path / "default"
    evaluate(RunConfig(data=str(folder)), load_benchmark(folder), default, RunOptions(judged=False))
    named = run(folder, tmp_path / "named", "same")
    assert [name for name in STABLE if (default / name).read_bytes() != (named / name).read_bytes()] == []
    assert "kb_lang" not in (default / "config.json").read_text()
    for lang in TEXTS:
        docs = {doc.doc_id for docs in read_run(default / f"retrieval.{lang}.trec").values() for doc in docs}
        assert docs <= set(TEXTS[lang])
    # A run of an earlier version knows nothing of it, and goes on.
    run(folder, default, "same")


@pytest.mark.parametrize("kb_lang", ["en", "all"])
def test_a_language_may_be_asked_about_by_itself_and_the_others_added_later(
    folder: Path, tmp_path: Path, kb_lang: str
) -> None:
    whole = run(folder, tmp_path / "whole", kb_lang)
    parts = run(folder, tmp_path / "parts", kb_lang, ["zh"])
    assert {lang for lang, _ in answers(parts)} == {"zh"}
    run(folder, parts, kb_lang)
    # The languages stand in the configuration in the order in which they were asked for.
    files = (*RANKINGS, "answers.jsonl")
    assert [name for name in files if (whole / name).read_bytes() != (parts / name).read_bytes()] == []


@pytest.mark.parametrize("kb_lang", ["en", "all"])
def test_a_killed_run_goes_on_where_it_was(folder: Path, tmp_path: Path, kb_lang: str) -> None:
    reader = Component("python", "own_parts:NotingReader")
    whole = run(folder, tmp_path / "whole", kb_lang, retriever=Component("bm25"), reader=reader)
    assert len(NotingReader.asked) == len(answers(whole))
    killed = tmp_path / "killed"
    shutil.copytree(whole, killed)
    rows = (whole / "answers.jsonl").read_bytes().splitlines(keepends=True)
    # Two answers and a torn third, two rankings and a torn third.
    (killed / "answers.jsonl").write_bytes(b"".join(rows[:2]) + rows[2][:20])
    ranked = (whole / "retrieval.de.trec").read_text(encoding="utf-8").splitlines(keepends=True)
    first, second, third = ([line for line in ranked if line.startswith(name)] for name in ("q1", "q2", "q3"))
    growing = "".join(["\n\n", *first, "\n", *second, "\n", "".join(third)[:9]])
    (killed / "retrieval.de.trec").write_text(growing, encoding="utf-8")
    for lang in ("en", "zh"):
        (killed / f"retrieval.{lang}.trec").unlink()
    NotingReader.asked.clear()
    run(folder, killed, kb_lang, retriever=Component("bm25"), reader=reader)
    assert [name for name in STABLE if (whole / name).read_bytes() != (killed / name).read_bytes()] == []
    done = [(json.loads(row)["lang"], json.loads(row)["query_id"]) for row in rows]
    assert sorted(NotingReader.asked) == sorted(done[2:])


@pytest.mark.parametrize(("first", "then"), [("same", "en"), ("en", "same"), ("all", "en"), ("en", "de")])
def test_another_knowledge_base_needs_another_folder(folder: Path, tmp_path: Path, first: str, then: str) -> None:
    run(folder, tmp_path / "r", first)
    with pytest.raises(InputError, match=r"another configuration \(system.kb_lang"):
        run(folder, tmp_path / "r", then)


@pytest.mark.parametrize(("kb_lang", "times"), [("same", 3), ("en", 1), ("all", 1)])
def test_a_corpus_that_languages_share_is_indexed_once(folder: Path, tmp_path: Path, kb_lang: str, times: int) -> None:
    retriever = Component("python", "own_parts:CountingRetriever")
    run(folder, tmp_path / "r", kb_lang, retriever=retriever, reranker=Component("none"))
    assert len(CountingRetriever.indexed) == times
    assert len(CountingRetriever.indexed[0]) == (9 if kb_lang == "all" else 3)


@pytest.mark.parametrize("kb_lang", ["en", "all"])
def test_a_run_without_its_documents_writes_nothing(folder: Path, tmp_path: Path, kb_lang: str) -> None:
    config = RunConfig(data=str(folder), kb_lang=kb_lang)
    with pytest.raises(InputError, match=f"the knowledge base for '{kb_lang}' is not loaded"):
        evaluate(config, load_benchmark(folder, ["de"]), tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_folders_of_runs_are_named_by_the_knowledge_base() -> None:
    names = [run_name(RunConfig(name="s", kb_lang=kb_lang), "hall") for kb_lang in ("same", "en", "all")]
    assert names == ["hall_s", "hall_s_kb-en", "hall_s_kb-all"]
    judged = RunConfig(name="s", kb_lang="en", judge=Component("openai", "m"))
    assert run_name(judged, "hall") == "hall_s_kb-en_judge-openai-m"


def test_an_empty_language_is_refused() -> None:
    with pytest.raises(ConfigError, match="'kb_lang' is empty; name a language, or write same or all"):
        RunConfig(kb_lang=" ")


def test_a_mixed_index_analyses_words_in_all_of_its_languages() -> None:
    analyze = word_analyzer("de+en+zh")
    alone = {lang: word_analyzer(lang)("opened") for lang in ("de", "en", "zh")}
    assert alone == {"de": ["opened"], "en": ["open"], "zh": ["opened"]}
    # Each form once; what all languages leave as it is stays one term.
    assert analyze("opened") == ["opened", "open"]
    assert analyze("b12") == ["b12"]
    assert analyze("食堂") == word_analyzer("zh")("食堂") == ["食", "堂", "食堂"]
    assert word_analyzer("de+en", stemmer=False)("houses") == ["houses"]
    assert word_analyzer("de+en", stopwords=["houses"])("houses") == []


def test_inflections_meet_in_a_mixed_index() -> None:
    texts = {"de": "Die Gärten sind offen.", "en": "The gardens are open.", "ru": "Сады открыты для жителей."}
    chunks = [Chunk("garden", lang, text, "s", 0, len(text)) for lang, text in texts.items()]
    bot = Chatbot(RunConfig(kb_lang="all", retriever=Component("bm25"), reranker=Component("none"))).index(chunks)
    asked = {"de": "der Garten", "en": "garden opening", "ru": "открытый сад для жителя"}
    assert {lang: bot.retrieve(Query("q", lang, text))[0].chunk.lang for lang, text in asked.items()} == {
        "de": "de", "en": "en", "ru": "ru",
    }  # fmt: skip


def test_a_chatbot_of_ones_own_answers_from_all_languages(folder: Path) -> None:
    chunks = [chunk for own in load_benchmark(folder).chunks.values() for chunk in own]
    bot = Chatbot(RunConfig(kb_lang="all")).index(chunks)
    (hit, *_) = bot.retrieve("How long does lost property stay at desk B12?")
    assert (hit.chunk.doc_id, hit.chunk.lang) == ("lost@en", "en")


def test_a_plain_question_may_be_in_another_language_than_the_one_corpus(folder: Path) -> None:
    bot = Chatbot(RunConfig(kb_lang="en")).index(load_benchmark(folder, ["en"]).chunks["en"])
    answer = bot.answer("Wie lange liegen Fundsachen am Schalter B12?")
    assert answer.query.lang == "de"
    assert answer.context[0].chunk.doc_id == "lost"


def test_a_retriever_of_ones_own_is_asked_in_the_language_of_the_corpus(folder: Path) -> None:
    benchmark = load_benchmark(folder)
    chunks = [chunk for own in benchmark.chunks.values() for chunk in own]
    query = benchmark.items["zh"][0].query
    one = Chatbot(RunConfig(kb_lang="de"), retriever=ListRetriever()).index(chunks)
    assert [hit.chunk.doc_id for hit in one.retrieve(query)] == ["canteen", "lost", "permit"]
    assert {hit.chunk.lang for hit in one.retrieve(query)} == {"de"}
    plain = RunConfig(kb_lang="all", reranker=Component("none"))
    mixed = Chatbot(plain, retriever=ListRetriever()).index(chunks)
    assert [hit.chunk.lang for hit in mixed.retrieve(query)] == ["de"] * 3 + ["en"] * 3 + ["zh"] * 3


@pytest.mark.parametrize("kb_lang", ["same", "en", "all"])
def test_a_plan_counts_the_embedders_calls(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kb_lang: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with chat_server(lambda request, number: Scripted("")) as server:
        monkeypatch.setenv("EMBEDDER_API_LINK", server.link)
        monkeypatch.setenv("EMBEDDER_TOKEN", "t")
        monkeypatch.setenv("JUDGE_API_LINK", server.link)
        monkeypatch.setenv("TOKEN", "t")
        embedder = Component("openai", "e")
        config = RunConfig(data=str(folder), kb_lang=kb_lang, embedder=embedder, retriever=Component("dense"))
        benchmark = load_benchmark(folder, ["de", "zh"], kb_lang=kb_lang)
        (stage, *_) = plan(config, benchmark, tmp_path / "r", RunOptions(session=LLMSession(planned=True)))
        evaluate(config, benchmark, tmp_path / "r", RunOptions(judged=False))
        assert stage.stage == "embedder"
        # Chunks and queries of two languages: 3 + 3, 3, or 9 chunks.
        assert stage.items == {"same": 6, "en": 3, "all": 9}[kb_lang] + 6
        assert stage.calls == len(server.requests)
        assert len({text for request in server.requests for text in request["input"]}) == stage.items


def test_a_plan_of_a_mixed_run_reads_its_rankings(folder: Path, tmp_path: Path) -> None:
    out = run(folder, tmp_path / "r", "all", ["zh"])
    config = RunConfig(data=str(folder), kb_lang="all")
    stages = {s.stage: s.items for s in plan(config, load_benchmark(folder, kb_lang="all"), out, RunOptions())}
    assert stages["reader"] == 6


def test_token_scores_need_a_corpus_in_the_querys_language() -> None:
    class Reader:
        def tokens(self, text: str) -> list[str]:
            return text.split()

    def score(lang: str, corpora: dict[str, Sequence[Chunk]]) -> float | None:
        query = Query("q", lang, "?")
        answer = Answer(query, "opens", AnswerOutcome.ANSWERED, (), logprobs=((TokenChoice("opens", 1.0),),))
        return TokenScores(Reader(), corpora).of(Item(query, "opens"), answer)

    corpora: dict[str, Sequence[Chunk]] = {"en": (Chunk("d", "en", "it opens", "s", 0, 8),)}
    assert score("en", corpora) == pytest.approx(1.0)
    assert score("de", corpora) is None


def test_unanswerable_queries_and_grades_work_as_ever(folder: Path, tmp_path: Path) -> None:
    run = evaluate(RunConfig(kb_lang="all"), load_benchmark(folder, kb_lang="all"), tmp_path / "r")
    assert run is not None
    summaries = run.summaries.values()
    assert [(s.lang, s.aggregates.n_expected, s.aggregates.n_scored) for s in summaries] == [
        ("de", 2, 2), ("en", 2, 2), ("zh", 2, 2),
    ]  # fmt: skip
    tables = [s.abstention for s in summaries]
    assert [t and t.abstained_unanswerable + t.answered_unanswerable for t in tables] == [1, 1, 1]


@pytest.mark.slow
def test_the_command_runs_across_languages(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--data", str(folder), "--lang", "zh", "--no-judge"]
    (tmp_path / "s.yaml").write_text("kb_lang: en\n")
    assert main(["run", "s.yaml", *options]) == 0
    assert (tmp_path / "results" / "hall_s_kb-en" / "retrieval.zh.trec").is_file()
    # The option counts before the file.
    assert main(["run", "s.yaml", *options, "--kb_lang", "all"]) == 0
    assert main(["run", "s.yaml", *options, "--kb_lang", "same"]) == 0
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["hall_s", "hall_s_kb-all", "hall_s_kb-en"]
    capsys.readouterr()
    assert main(["plan", "s.yaml", *options, "--kb_lang", "fr"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told == ["ragaliq: --kb_lang: unknown language 'fr'; known: all, de, en, same, zh"]

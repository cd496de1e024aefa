"""What the sources ask for (docs/sources.md): each row is held by a test that exists."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import pytest

from fakes import FixedReader, ListRetriever, ReversingReranker, Scripted, chat_server, chunk, item
from ragaliq import Chatbot, Query
from ragaliq.cli import main
from ragaliq.cli.run import add_options
from ragaliq.cli.run_config import resolve
from ragaliq.execution.carry_out import run_to_end
from ragaliq.judge.openai import OpenAIJudge
from ragaliq.llm import LLMSession
from ragaliq.types import Answer, AnswerOutcome

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_the_table_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "sources.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8") if test else (ROOT / file).is_file(), file


def judged(server_link: str, **options: Any) -> OpenAIJudge:
    Path(".env").write_text(f"TOKEN=t\nJUDGE_API_LINK={server_link}\nJUDGE_MODEL=m\n")
    return OpenAIJudge(**options)


def test_d6_another_rubric_makes_another_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    meanings = "".join(f'"{grade}": meaning number {grade}\n' for grade in range(6))
    Path("mine.yaml").write_text(f"version: mine\n{meanings}")
    asked = item("Wann öffnet die Kantine?", "Um sieben.", "de")
    with chat_server(lambda request, number: Scripted("Feedback: gut. [RESULT] 4")) as server:
        session = LLMSession()
        shipped, mine = judged(server.link), judged(server.link, rubric="mine.yaml", session=session)

        async def grade() -> int | None:
            answer = Answer(asked.query, "Um 7.", AnswerOutcome.ANSWERED, ())
            return (await mine.grade(asked, answer)).grade

        assert run_to_end(grade(), session) == 4
        assert "meaning number 3" in server.requests[0]["messages"][1]["content"]
    assert shipped.prompt_hash != mine.prompt_hash


def test_d9_the_flags_of_the_sources_name_the_parts(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    sampling = tmp_path / "s.json"
    sampling.write_text('{"max_tokens": 512, "temperature": 0.0, "top_p": 0.9, "logprobs": 5}')
    flags = f"""--knowledge_base kb_{{lang}}.md --reader_model_id google/gemma-2-2b-it --sampling_params {sampling}
        --embedder_model_id sentence-transformers/all-MiniLM-L6-v2 --reranker_model_id BAAI/bge-reranker-base
        --lang all --use_decoder_as_embedder"""
    config = resolve(parser.parse_args(flags.split()))
    assert [str(part) for part in (config.reader, config.embedder, config.reranker)] == [
        "transformers:google/gemma-2-2b-it",
        "transformers:sentence-transformers/all-MiniLM-L6-v2",
        "cross-encoder:BAAI/bge-reranker-base",
    ]
    assert config.embedder.options == {"pooling": "last"} and config.knowledge_base == "kb_{lang}.md"
    assert config.sampling["logprobs"] == 5


def test_d10_every_stage_of_the_chatbot_can_be_replaced() -> None:
    bot = Chatbot(retriever=ListRetriever(), reranker=ReversingReranker(), reader=FixedReader("Rot."))
    bot.index([chunk("a", "Die Tür ist rot.", "de"), chunk("b", "Das Dach ist blau.", "de")])
    answer = bot.answer(Query("q", "de", "Welche Farbe hat das Dach?"))
    assert (answer.text, [hit.chunk.doc_id for hit in answer.context]) == ("Rot.", ["b", "a"])

    class Twice(Chatbot):
        def context(self, hits):  # type: ignore[no-untyped-def]
            return super().context(hits)[:1]

    changed = Twice(retriever=ListRetriever(), reader=FixedReader("Rot.")).index(
        [chunk("a", "Eins."), chunk("b", "Zwei.")]
    )
    assert len(changed.answer(Query("q", "en", "?")).context) == 1


def test_d13_the_score_of_the_sources_is_measured_where_log_probabilities_are(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(
        "from ragaliq.types import AnswerOutcome, Reading, TokenChoice\n"
        "class Sure:\n"
        "    def tokens(self, text):\n"
        "        return text.split()\n"
        "    def read(self, query, context):\n"
        "        word = context[0].chunk.text.split()[0]\n"
        "        return Reading(word, AnswerOutcome.ANSWERED, logprobs=((TokenChoice(word, 1.0),),))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    data = ["--data", str(small), "--no-judge"]
    options = [*data, "--lang", "de,ru", "--limit", "3", "--out", "r"]
    assert main(["run", *options, "--reader_model_id", "python:own:Sure"]) == 0
    scores = [json.loads(line)["token_consistency"] for line in Path("r/answers.jsonl").read_text().splitlines()]
    # One sure token of the language: the score is the share of that language in the reference's tokens.
    assert len(scores) == 6 and all(0.5 < score <= 1.0 for score in scores)
    assert main(["run", *data, "--lang", "de", "--limit", "2", "--out", "plain"]) == 0
    assert "token_consistency" not in Path("plain/answers.jsonl").read_text()


def test_d14_the_tree_and_the_packages_of_the_sources_are_there() -> None:
    for name in ("src", "cfg", "data", "results", "run_eval.sh", "requirements.txt", ".env.example", "eval.py"):
        assert (ROOT / name).exists(), name
    wanted = (ROOT / "requirements.txt").read_text()
    for package in ("langchain-core", "chromadb", "transformers", "openai", "python-dotenv", "pandas", "tqdm"):
        assert re.search(rf"^{package}\b", wanted, re.M), package


def test_f7_a_grade_names_its_scale_and_an_abstention_is_no_low_grade(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--data", str(small), "--lang", "es", "--out", "r"]) == 0
    metrics = json.loads(Path("r/metrics.json").read_text())
    assert metrics["scale"] == "grade-0-5"
    (aggregates,) = metrics["aggregates"]
    table = aggregates["abstention"]
    assert table["abstained_unanswerable"] + table["answered_unanswerable"] == 1
    assert sum(aggregates["counts"].values()) == 7, "unanswerable queries are in no grade"

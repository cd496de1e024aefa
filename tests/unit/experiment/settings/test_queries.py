"""What is asked of a retriever (C9, C10, C22)."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError
from ragaliq.experiment.corpus import read_corpus
from ragaliq.experiment.settings.queries import Mode, Source, judged, oracle_queries, read_queries
from ragaliq.experiment.settings.system import System
from ragaliq.experiment.tasks import plan_task
from ragaliq.storage.files import write_jsonl
from ragaliq.types import Query
from unit.experiment.small import ANSWER, collection

BM25 = Component("bm25")


@pytest.mark.parametrize("lang", ["en", "ru", "zh"])
def test_asking_the_question_has_no_path_to_references_and_nuggets(lang: str) -> None:
    # These nuggets have no text, and these items no reference that could be read.
    nuggets: Any = tuple(SimpleNamespace(query_id=nugget.query_id, doc_ids=()) for nugget in collection(lang).nuggets)
    items: Any = tuple(SimpleNamespace(query=query, gold=(), answerable=True) for query in collection(lang).queries)
    sealed = collection(lang, items=items, nuggets=nuggets)
    task, _ = plan_task(sealed, read_corpus(sealed), System(BM25))
    assert task.queries == collection(lang).queries
    with pytest.raises(AttributeError, match="reference"):
        plan_task(sealed, read_corpus(sealed), System(BM25, queries=Mode(Source.REFERENCE)))
    with pytest.raises(AttributeError, match="text"):
        plan_task(sealed, read_corpus(sealed), System(BM25, queries=Mode(Source.NUGGETS)))


def test_what_retrieves_is_given_documents_and_texts_and_nothing_else() -> None:
    from ragaliq.experiment.corpus import Corpus
    from ragaliq.experiment.retrieving import RetrievalTask

    assert {entry.name for entry in fields(RetrievalTask)} == {"corpus", "queries", "system", "own"}
    assert {entry.name for entry in fields(Query)} == {"query_id", "lang", "text", "asked_in"}
    assert {entry.name for entry in fields(Corpus)} & {"queries", "references", "nuggets", "gold", "qrels"} == set()


def test_the_oracles_ask_the_answer_and_the_nuggets_one_behind_the_other() -> None:
    for lang in ["en", "ru", "zh"]:
        own = collection(lang)
        reference, none = oracle_queries(Source.REFERENCE, own, own.queries)
        assert [query.text for query in reference] == [
            f"{ANSWER[lang]} {query_id}" for query_id in ("q1", "q2", "q3")
        ], lang
        nuggets, _ = oracle_queries(Source.NUGGETS, own, own.queries)
        first, second = (nugget.text for nugget in own.nuggets[:2])
        assert nuggets[0] == Query("q1", lang, f"{first} {second}"), lang
        assert none == 0, lang


def test_a_query_without_a_reference_asks_its_question_and_is_counted() -> None:
    own = collection(references={"q2": "closed", "q3": "  "})
    asked, kept = oracle_queries(Source.REFERENCE, own, own.queries)
    assert [query.text for query in asked] == [own.queries[0].text, "closed", own.queries[2].text]
    assert kept == 2


def test_an_oracle_that_knows_nothing_is_refused() -> None:
    for source in [Source.REFERENCE, Source.NUGGETS]:
        own = collection(references={}, nuggets=())
        with pytest.raises(InputError, match=f"--queries {source}: 'small' has none in 'en'"):
            oracle_queries(source, own, own.queries)


def test_a_mode_is_read_as_it_is_written() -> None:
    cases = [
        ("question", Mode(Source.QUESTION)),
        ("reference", Mode(Source.REFERENCE)),
        ("nuggets", Mode(Source.NUGGETS)),
        ("texts.jsonl", Mode(Source.FILE, "texts.jsonl")),
        ("subquestions:openai:m:7b", Mode(Source.SUBQUESTIONS, model=Component("openai", "m:7b"))),
        ("closed-book:openai:m", Mode(Source.CLOSED_BOOK, model=Component("openai", "m"))),
    ]
    for text, mode in cases:
        assert Mode.parse(text) == mode, text
        assert str(mode) == text, text
        assert mode.is_oracle == (text in ("reference", "nuggets")), text


def test_another_mode_is_an_error_with_a_hint() -> None:
    cases = [
        ("questoin", "did you mean 'question'"),
        ("closed-book:vllm:m", "is made by openai:MODEL"),
        ("subquestions:openai", "is made by openai:MODEL"),
        ("closed-book", "unknown queries 'closed-book'"),
    ]
    for text, says in cases:
        with pytest.raises(ConfigError, match=says):
            Mode.parse(text)


def test_only_queries_with_judgements_are_asked() -> None:
    own = collection(qrels={"q3": {"dogs": 1}, "lost": {"boat": 1}}, nuggets=())
    assert [query.query_id for query in judged(own)] == ["q3"]
    assert len(judged(collection(qrels={}, nuggets=()))) == 3
    assert [query.query_id for query in judged(collection(qrels={}))] == ["q1", "q2", "q3"]


def test_a_cross_lingual_query_is_asked_in_the_language_of_the_corpus() -> None:
    own = collection(queries=(Query("q1", "ru", "Когда выходит судно?"),))
    assert judged(own) == (Query("q1", "en", "Когда выходит судно?", asked_in="ru"),)


QUERIES = [Query("q1", "ru", "а"), Query("q2", "ru", "б")]


def test_texts_come_from_a_file_and_several_are_asked_as_one(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"query_id": "q2", "texts": ["что?", " ", "где? "]},
        {"query_id": "q1", "text": "судно", "lang": "ru", "note": 1},
        {"query_id": "q1", "text": "boat", "lang": "en"},
        {"query_id": "q9", "text": "other"},
    ]
    write_jsonl(tmp_path / "t.jsonl", rows)
    assert read_queries(tmp_path / "t.jsonl", QUERIES) == [Query("q1", "ru", "судно"), Query("q2", "ru", "что? где?")]


def test_a_bad_file_of_texts_is_told_by_line(tmp_path: Path) -> None:
    cases: list[tuple[list[dict[str, Any]], str]] = [
        ([{"query_id": "q1", "text": "x"}], r"t.jsonl: no text for 1 queries, the first is 'q2'"),
        ([{"query_id": 1, "text": "x"}], r"t.jsonl:1: 'query_id' must be a text"),
        ([{"query_id": "q1"}], r"t.jsonl:1: 'text', or a list 'texts'"),
        ([{"query_id": "q1", "texts": "x"}], r"t.jsonl:1: 'text', or a list"),
        ([{"query_id": "q1", "text": " "}], r"t.jsonl:1: 'text', or a list"),
        ([{"query_id": "q1", "text": "x"}] * 2, r"t.jsonl:2: query 'q1' occurs twice"),
    ]
    for number, (rows, says) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_jsonl(folder / "t.jsonl", rows)
        with pytest.raises(InputError, match=says):
            read_queries(folder / "t.jsonl", QUERIES)

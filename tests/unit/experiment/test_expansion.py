"""Query texts that a model makes of the question alone (C9)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server
from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError, Stopped
from ragaliq.experiment.expansion import Expander, expand, lines
from ragaliq.experiment.settings.queries import Mode, Source
from ragaliq.llm import LLMSession
from ragaliq.types import Query
from unit.experiment.small import ANSWER, QUESTIONS, collection

Reply = Callable[[dict[str, Any], int], Scripted]
TOKEN = "sk-secret-1234567890"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wait little between attempts, and find no `.env` of somebody else."""
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(tmp_path)
    for name in ("JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN", TOKEN)


def mode(source: Source = Source.SUBQUESTIONS, model: str = "m") -> Mode:
    return Mode(source, model=Component("openai", model))


def made(
    server: ChatServer, queries: Sequence[Query], own: Mode | None = None, file: str = "t.jsonl"
) -> tuple[list[Query], int]:
    Path(".env").write_text(f"READER_TOKEN={TOKEN}\nREADER_API_LINK={server.link}\n")
    session = LLMSession(concurrency=2)

    async def all_of() -> tuple[list[Query], int]:
        try:
            return await expand(Expander(own or mode(), session), queries, Path(file), session)
        finally:
            await session.close()

    return asyncio.run(all_of())


def rows(file: str = "t.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(("lang", "source"), [("ru", Source.SUBQUESTIONS), ("zh", Source.CLOSED_BOOK)])
def test_the_model_sees_the_question_and_never_the_gold_answer(lang: str, source: Source) -> None:
    own = collection(lang)
    with chat_server(lambda request, number: Scripted("a\nb")) as server:
        found, kept = made(server, own.queries, mode(source))
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert all(question in sent for question in QUESTIONS[lang].values())
    assert ANSWER[lang] not in sent
    assert not any(nugget.text in sent for nugget in own.nuggets)
    assert [query.text for query in found] == ["a b"] * 3
    assert kept == 0


def test_sub_questions_are_asked_as_one_and_stored_with_what_made_them() -> None:
    reply = "1. When does the boat leave?\n- From which harbour?\n\n2) When does the boat leave?\n"
    with chat_server(lambda request, number: Scripted(reply)) as server:
        found, _ = made(server, collection().queries[:1])
    assert found == [Query("q1", "en", "When does the boat leave? From which harbour?")]
    (row,) = rows()
    assert row["texts"] == ["When does the boat leave?", "From which harbour?"]
    assert row["question"] == QUESTIONS["en"]["q1"]
    assert (row["model"], row["temperature"], row["usage"]["prompt_tokens"]) == ("m", 0.0, 7)
    assert len(row["prompt_hash"]) == 12
    assert TOKEN not in Path("t.jsonl").read_text(encoding="utf-8")


def test_numbers_and_bullets_are_no_part_of_a_sub_question() -> None:
    cases = [
        ("1. 船几点开？\n2、从哪里开？", ("船几点开？", "从哪里开？")),
        ("• Когда?\n— Откуда?\n…", ("Когда?", "Откуда?")),
        ("2024 was when?\n(1) Why?", ("2024 was when?", "Why?")),
        ("١. متى؟", ("متى؟",)),
        ("", ()),
    ]
    for reply, expected in cases:
        assert lines(reply) == expected, reply


def test_what_was_made_is_asked_for_once_and_the_file_is_sorted() -> None:
    queries = collection().queries
    with chat_server(lambda request, number: Scripted(f"text {number}", delay_s=0.02 * (2 - number))) as server:
        first, _ = made(server, queries[1:])
        assert len(server.requests) == 2
        again, _ = made(server, queries)
        assert len(server.requests) == 3
    assert again[1:] == first
    assert [row["query_id"] for row in rows()] == ["q1", "q2", "q3"]


def test_another_question_under_the_same_id_is_asked_anew() -> None:
    with chat_server(lambda request, number: Scripted(f"text {number}")) as server:
        made(server, [Query("q1", "en", "old")])
        found, _ = made(server, [Query("q1", "en", "new")])
    assert found[0].text == "text 1"


def test_a_refusal_leaves_the_question_and_is_not_asked_again() -> None:
    with chat_server(lambda request, number: Scripted("I must not", finish_reason="content_filter")) as server:
        for _ in range(2):
            assert made(server, collection().queries[:1]) == ([collection().queries[0]], 1)
        assert len(server.requests) == 1
    assert rows()[0]["error"].startswith("refused")


def test_a_failing_endpoint_stops_and_the_same_call_goes_on() -> None:
    broken = [True]

    def reply(request: dict[str, Any], number: int) -> Scripted:
        fails = broken[0] and QUESTIONS["en"]["q2"] in json.dumps(request)
        return Scripted("no", status=500) if fails else Scripted("text")

    queries = collection().queries
    with chat_server(reply) as server:
        with pytest.raises(Stopped, match="1 of 3 queries have no text"):
            made(server, queries)
        assert sorted(row["query_id"] for row in rows()) == ["q1", "q3"]
        broken[0] = False
        before = len(server.requests)
        assert [query.text for query in made(server, queries)[0]] == ["text"] * 3
        assert len(server.requests) == before + 1


def test_texts_of_another_model_or_of_a_foreign_file_are_refused() -> None:
    with chat_server(lambda request, number: Scripted("text")) as server:
        made(server, collection().queries[:1])
        with pytest.raises(InputError, match=r"t.jsonl:1: made by another model or prompt; begin anew"):
            made(server, collection().queries[:1], mode(model="other"))
        Path("t.jsonl").write_text('{"query_id": "q1"}\n')
        with pytest.raises(InputError, match=r"t.jsonl:1: not a row of this file"):
            made(server, collection().queries[:1])


def test_without_a_token_the_role_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKEN")
    with pytest.raises(ConfigError, match="queries 'openai'"):
        Expander(mode())

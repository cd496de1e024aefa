"""What a client keeps: replies in the cache, tokens and dollars in the account, within the budget."""

from __future__ import annotations

import asyncio
import math
from contextlib import closing
from pathlib import Path

import pytest

from fakes import Scripted, chat_server, vector_of
from ragaliq.errors import ConfigError, Stopped
from ragaliq.llm import LLMSession, Reply, Request, ResponseCache
from ragaliq.llm.endpoints.endpoint import plain_address
from ragaliq.llm.prices import Prices
from ragaliq.llm.replies.reply import reply_to_row
from ragaliq.types import TokenChoice, Usage
from unit.llm.calling import (
    CHAT,
    COST,
    PRICES,
    REQUEST,
    SCHEMA,
    TOKEN,
    Pointer,
    ask,
    client_of,
    embed,
    one,
    raw_reply,
)

pytestmark = pytest.mark.usefixtures("quick")


def test_only_accepted_replies_are_kept_and_then_nothing_is_sent(tmp_path: Path, to: Pointer) -> None:
    path = tmp_path / "replies.sqlite"
    said = ["kein Urteil", "[RESULT] 5", "[RESULT] 1"]
    with chat_server(lambda request, number: Scripted(said[number])) as server:
        to(server)
        texts = []
        for _ in range(3):
            (reply,) = ask(client_of(LLMSession(ResponseCache(path))), REQUEST, accept=lambda reply: "[" in reply.text)
            assert isinstance(reply, Reply)
            texts.append(reply.text)
    assert texts == ["kein Urteil", "[RESULT] 5", "[RESULT] 5"]
    assert len(server.requests) == 2


def test_a_reply_counts_at_its_own_endpoint(tmp_path: Path, to: Pointer) -> None:
    path = tmp_path / "deep" / "replies.sqlite"
    first, other = Scripted("Там, 那里", finish_reason="length"), Scripted("Здесь")
    with chat_server(lambda request, number: first) as here, chat_server(lambda request, number: other) as there:
        to(here)
        kept = one(client_of(LLMSession(ResponseCache(path))))
        to(there)
        with closing(ResponseCache(path)) as cache:
            assert not client_of(LLMSession(cache)).is_cached(REQUEST)
        assert one(client_of(LLMSession(ResponseCache(path)))) == Reply("Здесь", "stop", usage=Usage(7, 3))
        assert embed(client_of(LLMSession(ResponseCache(path))), ["a"]) == [vector_of("a")]
        to(here)
        assert embed(client_of(LLMSession(ResponseCache(path))), ["a"]) == [vector_of("a")]
        assert [
            (request.get("input"), len(server.requests)) for server in (here, there) for request in server.requests[1:]
        ] == 2 * [(["a"], 2)]
        session = LLMSession(ResponseCache(path))
        client = client_of(session)
        assert client.is_cached(REQUEST)
        assert one(client) == kept == Reply("Там, 那里", "length", usage=Usage(7, 3))
        assert len(there.requests) == len(here.requests) == 2
        assert (session.account("judge").calls, session.account("judge").cached) == (0, 1)
        # Another model, another question, another temperature, a schema: other replies.
        others = [Request(CHAT[:1], REQUEST.parameters), Request(CHAT, {**REQUEST.parameters, "temperature": 1}),
                  Request(CHAT, REQUEST.parameters, SCHEMA)]  # fmt: skip
        assert not any(client.is_cached(request) for request in others)
        assert not client_of(session, model="m2").is_cached(REQUEST)
        asyncio.run(session.close())
    whole = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert "Там".encode() in whole or b"\\u0422" in whole
    for secret in (TOKEN, here.link, there.link, "127.0.0.1"):
        assert secret.encode() not in whole


def test_the_replies_of_an_earlier_address_move_to_the_new_one(tmp_path: Path, to: Pointer) -> None:
    path = tmp_path / "replies.sqlite"
    said = {text: Reply(text, "stop", usage=Usage(7, 3)) for text in ("alt", "neu")}
    with (
        chat_server(lambda request, number: Scripted("alt")) as old,
        chat_server(lambda request, number: Scripted("neu")) as new,
    ):
        to(old)
        before = LLMSession(ResponseCache(path))
        asked = one(client_of(before)), embed(client_of(before), ["a", "文"])
        to(new)
        # A model of another name has nothing at the earlier address.
        assert one(client_of(LLMSession(ResponseCache(path, plain_address(old.link))), "m2")) == said["neu"]
        for cache in (ResponseCache(path, plain_address(old.link)), ResponseCache(path)):
            session = LLMSession(cache)
            assert client_of(session).is_cached(REQUEST)
            assert (one(client_of(session)), embed(client_of(session), ["a", "文"])) == asked
            assert (session.account("judge").calls, session.account("judge").cached) == (0, 2)
        # What the endpoint has replied itself comes first.
        later = Request(CHAT[:1])
        assert one(client_of(LLMSession(ResponseCache(path))), later) == said["neu"]
        to(old)
        assert one(client_of(LLMSession(ResponseCache(path))), later) == said["alt"]
        to(new)
        assert one(client_of(LLMSession(ResponseCache(path, plain_address(old.link)))), later) == said["neu"]


def test_a_row_of_an_earlier_version_names_no_endpoint_and_is_not_taken(tmp_path: Path, to: Pointer) -> None:
    path = tmp_path / "replies.sqlite"
    with chat_server(lambda request, number: Scripted("neu")) as server:
        to(server)
        client = client_of(LLMSession(ResponseCache(path, plain_address("http://earlier/v1"))))
        with closing(ResponseCache(path)) as cache:
            cache.put(client.request_hash(REQUEST), reply_to_row(Reply("alt")))
        assert not client.is_cached(REQUEST)
        reply = one(client)
    assert isinstance(reply, Reply) and reply.text == "neu"


def test_a_cache_that_cannot_be_read_stops_with_one_line(tmp_path: Path, to: Pointer) -> None:
    (tmp_path / "replies.sqlite").write_bytes(b"no database at all, but a text" * 99)
    with chat_server(lambda request, number: Scripted("ja")) as server:
        to(server)
        failed = one(client_of(LLMSession(ResponseCache(tmp_path / "replies.sqlite"))))
    assert "the cache of replies cannot be used" in str(failed) and server.requests == []


def test_log_probabilities_become_probabilities(tmp_path: Path, to: Pointer) -> None:
    tops = [{"token": "4", "logprob": math.log(0.75)}, {"token": "5", "logprob": math.log(0.25)}]
    content = [{"token": "4", "logprob": math.log(0.75), "top_logprobs": tops}]
    scripted = raw_reply({"role": "assistant", "content": "4"}, logprobs={"content": content})
    request = Request(CHAT, {"logprobs": True, "top_logprobs": 2})
    with chat_server(lambda request, number: scripted) as server:
        to(server)
        for _ in range(2):
            reply = one(client_of(LLMSession(ResponseCache(tmp_path / "replies.sqlite"))), request)
            assert isinstance(reply, Reply)
            ((four, five),) = reply.logprobs
            assert (four.token, five.token) == ("4", "5")
            assert [four.prob, five.prob] == pytest.approx([0.75, 0.25])
            assert isinstance(four, TokenChoice) and reply.usage is None
    assert len(server.requests) == 1


def test_the_account_holds_calls_tokens_and_dollars(tmp_path: Path, to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("ja")) as server:
        to(server)
        session = LLMSession(ResponseCache(tmp_path / "r.sqlite"), PRICES)
        client = client_of(session)
        one(client)
        ask(client, REQUEST, Request(CHAT))
    account = session.account("judge")
    assert (account.calls, account.cached, account.unreported) == (2, 1, 0)
    assert (account.prompt_tokens, account.completion_tokens) == (2 * 7, 2 * 3)
    assert account.cost_usd == pytest.approx(2 * COST) == pytest.approx(session.budget.spent)


def test_without_a_price_the_cost_is_unknown(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("ja")) as server:
        to(server)
        session = LLMSession(prices=Prices(Path("p.yaml"), "2026-05", {}))
        one(client_of(session))
    assert session.account("judge").cost_usd is None and session.account("judge").calls == 1


def test_a_bound_needs_a_price(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("ja")) as server:
        to(server)
        with pytest.raises(ConfigError, match=r"--max-cost: the price file does not know 'm2'; --prices FILE"):
            client_of(LLMSession(prices=PRICES, max_cost=1.0), model="m2")


def test_no_more_is_spent_than_allowed(to: Pointer) -> None:
    cases: list[int] = [1, 8]
    for concurrency in cases:
        most = 10 * COST
        with chat_server(lambda request, number: Scripted("ja", delay_s=0.01)) as server:
            to(server)
            session = LLMSession(prices=PRICES, max_cost=most, concurrency=concurrency)
            client = client_of(session)
            ended = ask(client, *[REQUEST] * 40)
        replied = [end for end in ended if isinstance(end, Reply)]
        assert 0 < len(replied) == len(server.requests) < 40, concurrency
        assert all(
            isinstance(end, Stopped) and "--max-cost" in str(end) for end in ended if not isinstance(end, Reply)
        ), concurrency
        assert session.budget.spent == pytest.approx(len(replied) * COST), concurrency
        assert session.budget.spent <= most, concurrency
        # It stopped only when the next call might really have cost too much.
        assert session.budget.spent + client.greatest_cost(REQUEST) > most, concurrency


def test_a_reply_without_a_report_is_taken_to_cost_the_most(to: Pointer) -> None:
    with chat_server(lambda request, number: raw_reply({"content": "ja"})) as server:
        to(server)
        session = LLMSession(prices=PRICES, max_cost=100.0)
        client = client_of(session)
        assert isinstance(one(client), Reply)
    assert session.budget.spent == client.greatest_cost(REQUEST) > COST
    assert session.account("judge").unreported == 1


def test_a_call_that_fails_gives_its_money_back(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("bad", status=400) if number < 3 else Scripted("ja")) as server:
        to(server)
        session = LLMSession(prices=PRICES, concurrency=1)
        client = client_of(session)
        session.budget.most = client.greatest_cost(REQUEST)
        ended = ask(client, *[REQUEST] * 4)
    assert [isinstance(end, Reply) for end in ended] == [False, False, False, True]


def test_vectors_are_paid_for_too(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted()) as server:
        to(server)
        session = LLMSession(prices=PRICES, max_cost=0.02)
        client = client_of(session)
        assert isinstance(embed(client, ["食堂在哪里"]), list)
        assert session.budget.spent == pytest.approx(7 * 1000 / 1e6)
        stopped = embed(client, ["食堂在哪里" * 9])
    assert isinstance(stopped, Stopped) and len(server.requests) == 1


def test_a_planned_client_needs_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKEN")
    client = client_of(LLMSession(prices=PRICES, max_cost=1.0, planned=True), model="unknown")
    assert (client.endpoint.link, client.endpoint.token, client.price) == ("", "", None)
    assert not client.is_cached(REQUEST) and client.greatest_cost(REQUEST) == 0.0


def test_connections_are_closed_and_opened_again_in_another_loop(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("ja")) as server:
        to(server)
        session = LLMSession()
        client = client_of(session)

        async def twice() -> bool:
            await client.complete(REQUEST)
            connections = session.connections()
            await client.complete(REQUEST)
            assert session.connections() is connections
            await session.close()
            return connections.closed

        assert [asyncio.run(twice()) for _ in range(2)] == [True, True]
    assert len(server.requests) == 4

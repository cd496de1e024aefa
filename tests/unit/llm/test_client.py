"""One client over a real server: how often it tries, how long it waits, when it gives up."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from typing import Any

import pytest

from fakes import Scripted, chat_server
from ragaliq.errors import ConfigError, Stopped
from ragaliq.llm import CallFailed, FaultKind, LLMClient, LLMSession, Reply, Request
from ragaliq.llm.retry import REFUSALS
from ragaliq.types import Usage
from unit.llm.calling import (
    REQUEST,
    TOKEN,
    Ended,
    Pointer,
    ask,
    client_of,
    error,
    one,
)

pytestmark = pytest.mark.usefixtures("quick")
Answer = Callable[[dict[str, Any], int], Scripted]


FINAL: list[tuple[Scripted, FaultKind, int]] = [
    (Scripted("oops", status=500), FaultKind.SERVER, 5),
    (Scripted("loading", status=503), FaultKind.UNAVAILABLE, 5),
    (Scripted(reset=True), FaultKind.CONNECTION, 5),
    (Scripted("It is blue.", cut=True), FaultKind.CONNECTION, 5),
    (Scripted("It is blue.", delay_s=0.5), FaultKind.TIMEOUT, 3),
    (Scripted(raw='{"choices": [{"message"'), FaultKind.MALFORMED, 5),
    (Scripted(raw='{"choices": []}'), FaultKind.MALFORMED, 5),
    (Scripted(raw='{"choices": null}'), FaultKind.MALFORMED, 5),
    (Scripted(raw='{"choices": ["text"]}'), FaultKind.MALFORMED, 5),
    (Scripted(raw='{"choices": [{"text": "a completion, not a chat"}]}'), FaultKind.MALFORMED, 5),
    (Scripted(raw=error("Provider returned error", code=502)), FaultKind.UNAVAILABLE, 5),
    (Scripted(raw=error("runner has stopped")), FaultKind.SERVER, 5),
    (Scripted("bad", status=400), FaultKind.REQUEST, 1),
    (Scripted("too large", status=413), FaultKind.REQUEST, 1),
    (Scripted(status=400, raw=error("too long", code="context_length_exceeded")), FaultKind.CONTEXT_LENGTH, 1),
    (Scripted(status=400, raw=error("no", code="content_filter")), FaultKind.FILTERED, 1),
]


@pytest.mark.slow
def test_a_call_without_a_reply_fails_with_its_reason(to: Pointer) -> None:
    for scripted, kind, requests in FINAL:
        with chat_server(lambda request, number: scripted) as server:
            to(server)
            failed = one(client_of(timeout_s=0.2))
        assert isinstance(failed, CallFailed), failed
        assert (failed.kind, failed.attempts, len(server.requests)) == (kind, requests, requests), requests
        assert str(failed).startswith(f"{kind}: "), requests
        assert all(request == server.requests[0] for request in server.requests), requests


def test_what_no_later_call_can_mend_is_a_wrong_configuration(to: Pointer) -> None:
    cases: list[int] = [401, 403, 404, 301]
    for status in cases:
        with chat_server(lambda request, number: Scripted(f"no, {TOKEN}", status=status)) as server:
            to(server)
            failed = one(client_of())
        assert isinstance(failed, ConfigError), failed
        assert str(failed) == f"judge 'm': HTTP {status}: no, ***; check token, JUDGE_API_LINK and model", status
        assert len(server.requests) == 1, status


def test_a_spent_quota_stops_everybody(to: Pointer) -> None:
    cases: list[Scripted] = [Scripted(status=402), Scripted(status=429, raw=error("no", code="insufficient_quota"))]
    for scripted in cases:
        with chat_server(lambda request, number: scripted) as server:
            to(server)
            session = LLMSession(concurrency=1)
            ended = ask(client_of(session), *[REQUEST] * 4)
        assert all(isinstance(end, Stopped) for end in ended), ended
        assert "goes on when there is credit again" in str(ended[0]) and session.signal.asked, scripted
        assert len(server.requests) == 1, scripted


PASSING = [Scripted("oops", status=500), Scripted(status=503), Scripted(reset=True), Scripted("no", cut=True),
           Scripted("late", delay_s=0.5), Scripted(raw="{"), Scripted(raw='{"choices": []}'), Scripted(status=429),
           Scripted(raw=error("no", code=429))]  # fmt: skip


def test_what_passes_is_tried_again(to: Pointer) -> None:
    for scripted in PASSING:
        with chat_server(lambda request, number: scripted if number < 2 else Scripted("Там.")) as server:
            to(server)
            # How many refusals for too many requests there are depends on what else is under way: they do not count.
            attempts = 1 if "429" in repr(scripted) else 3
            assert one(client_of(timeout_s=0.2)) == Reply("Там.", attempts=attempts, usage=Usage(7, 3)), scripted
        assert len(server.requests) == 3, scripted


def arrivals(answer: Answer) -> tuple[Answer, list[float]]:
    """The same answers, and when each was asked for."""
    times: list[float] = []

    def timed(request: dict[str, Any], number: int) -> Scripted:
        times.append(time.monotonic())
        return answer(request, number)

    return timed, times


def test_the_waits_double(monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.04)
    answer, times = arrivals(lambda request, number: Scripted(status=500))
    with chat_server(answer) as server:
        to(server)
        one(client_of())
    waits = [later - earlier for earlier, later in pairwise(times)]
    # Half to one and a half of 0.04, 0.08, 0.16, 0.32 s; a busy machine only adds to it.
    assert len(waits) == 4
    assert all(0.5 * 0.04 * 2**n <= wait for n, wait in enumerate(waits)), waits
    assert sum(waits) < 1.5 * (0.04 + 0.08 + 0.16 + 0.32) + 2


@pytest.mark.slow
def test_the_endpoints_own_wait_is_kept_in_seconds(to: Pointer) -> None:
    cases: list[int] = [429, 503]
    for status in cases:
        asked = Scripted(status=status, headers={"Retry-After": "0.4"})
        answer, times = arrivals(lambda request, number: asked if number == 0 else Scripted("ja"))
        with chat_server(answer) as server:
            to(server)
            assert isinstance(one(client_of()), Reply), status
        assert times[1] - times[0] >= 0.4, status


@pytest.mark.slow
def test_the_endpoints_own_wait_is_kept_as_a_date(to: Pointer) -> None:
    def first(request: dict[str, Any], number: int) -> Scripted:
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        return Scripted(status=503, headers={"Retry-After": date}) if number == 0 else Scripted("ja")

    answer, times = arrivals(first)
    with chat_server(answer) as server:
        to(server)
        assert isinstance(one(client_of()), Reply)
    # A date has whole seconds.
    assert times[1] - times[0] >= 0.9


def test_an_endpoint_that_asks_for_an_hour_is_asked_sooner(monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._LONGEST_WAIT_S", 0.05)
    asked = Scripted(status=503, headers={"Retry-After": "3600"})
    with chat_server(lambda request, number: asked if number == 0 else Scripted("ja")) as server:
        to(server)
        assert isinstance(one(client_of()), Reply)


def test_rate_limits_take_no_attempt(to: Pointer) -> None:
    cases: list[dict[str, str]] = [{}, {"Retry-After": "0"}, {"Retry-After": "0.01"}]
    for headers in cases:
        refusal = Scripted("slow down", status=429, headers=headers)
        with chat_server(lambda request, number: refusal if number < 20 else Scripted("ja")) as server:
            to(server)
            reply = one(client_of())
        assert isinstance(reply, Reply) and (reply.attempts, len(server.requests)) == (1, 21), headers


def test_attempts_are_those_without_the_rate_limits(to: Pointer) -> None:
    statuses = [429] * 6 + [500] * 2 + [429] * 3 + [500] * 2
    with chat_server(lambda r, number: Scripted(status=statuses[number]) if number < 13 else Scripted("ja")) as server:
        to(server)
        reply = one(client_of())
    assert isinstance(reply, Reply) and (reply.attempts, len(server.requests)) == (5, 14)


def test_who_was_refused_goes_before_those_who_were_not_sent_yet(to: Pointer) -> None:
    asked: list[str] = []

    def answer(request: dict[str, Any], number: int) -> Scripted:
        asked.append(request["messages"][0]["content"])
        return Scripted(status=429) if number == 0 else Scripted("ja")

    with chat_server(answer) as server:
        to(server)
        ask(client_of(LLMSession(concurrency=1)), *(Request([{"role": "user", "content": name}]) for name in "abcd"))
    # When a is refused, the place goes to b, who stood in line first.
    assert asked == ["a", "b", "a", "c", "d"]


def test_nothing_but_rate_limits_is_an_endpoint_that_is_gone(monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setattr("ragaliq.llm.retry.PATIENCE_S", 0.3)
    begun = time.monotonic()
    with chat_server(lambda request, number: Scripted("slow down", status=429)) as server:
        to(server)
        ended = ask(client_of(), *[REQUEST] * 8)
    assert all(isinstance(end, Stopped) for end in ended), ended
    assert "nothing but rate limits for 0.3 s (HTTP 429: slow down)" in str(ended[0])
    assert time.monotonic() - begun >= 0.3
    # An endpoint that says nothing about waiting is not hammered: pauses double up to 0.01 s here.
    assert len(server.requests) < 300


@pytest.mark.slow
def test_who_is_refused_while_others_are_served_waits_for_its_turn(
    monkeypatch: pytest.MonkeyPatch, to: Pointer
) -> None:
    monkeypatch.setattr("ragaliq.llm.retry.PATIENCE_S", 0.2)
    begun = time.monotonic()

    def answer(request: dict[str, Any], number: int) -> Scripted:
        unlucky = request["messages"][0]["content"] == "unlucky" and time.monotonic() - begun < 0.6
        return Scripted(status=429) if unlucky else Scripted("ja", delay_s=0.01)

    with chat_server(answer) as server:
        to(server)
        unlucky = Request([{"role": "user", "content": "unlucky"}])
        ended = ask(client_of(LLMSession(concurrency=2)), unlucky, *[REQUEST] * 120)
    assert all(isinstance(end, Reply) for end in ended), [end for end in ended if not isinstance(end, Reply)]


def test_a_call_that_is_always_refused_fails_alone_once_the_others_are_served(
    monkeypatch: pytest.MonkeyPatch, to: Pointer
) -> None:
    monkeypatch.setattr("ragaliq.llm.retry.CALL_PATIENCE_S", 0.05)

    def answer(request: dict[str, Any], number: int) -> Scripted:
        poisoned = request["messages"][0]["content"] == "poisoned"
        return Scripted("too many for this one", status=429) if poisoned else Scripted("ja")

    with chat_server(answer) as server:
        to(server)
        client = client_of(LLMSession(concurrency=4))
        poisoned = Request([{"role": "user", "content": "poisoned"}])
        first, *others = ask(client, poisoned, *[REQUEST] * 15)
    assert all(isinstance(end, Reply) for end in others), others
    assert isinstance(first, CallFailed) and first.kind is FaultKind.RATE_LIMIT
    assert str(first) == "rate_limit: HTTP 429: too many for this one; others got replies"
    # Its later refusals do not slow the others down.
    assert client.limiter.window > 4 * 0.7 ** (REFUSALS + 1)


def test_of_calls_that_are_refused_alone_one_fails_and_the_next_stops_the_command(
    monkeypatch: pytest.MonkeyPatch, to: Pointer
) -> None:
    monkeypatch.setattr("ragaliq.llm.retry.CALL_PATIENCE_S", 0.05)
    monkeypatch.setattr("ragaliq.llm.retry.PATIENCE_S", 0.2)
    contents = ["poisoned", "b", "c", "poisoned"]

    def answer(request: dict[str, Any], number: int) -> Scripted:
        poisoned = request["messages"][0]["content"] == "poisoned"
        return Scripted("no", status=429) if poisoned else Scripted("ja")

    async def in_turn(client: LLMClient) -> list[Ended]:
        ended: list[Ended] = []
        for content in contents:
            request = Request([{"role": "user", "content": content}])
            ended += await asyncio.gather(client.complete(request), return_exceptions=True)
        await client.session.close()
        return ended

    with chat_server(answer) as server:
        to(server)
        ended = asyncio.run(in_turn(client_of(LLMSession(concurrency=1))))
    assert [type(end) for end in ended] == [CallFailed, Reply, Reply, CallFailed]
    # Where nothing but refusals comes, it is the endpoint.
    contents[1:] = ["poisoned"]
    with chat_server(answer) as server:
        to(server)
        ended = asyncio.run(in_turn(client_of(LLMSession(concurrency=1))))
    assert [type(end) for end in ended] == [CallFailed, Stopped]


def test_an_endpoint_of_small_capacity_serves_everybody_with_few_refusals(to: Pointer) -> None:
    lock, serving, refusals = threading.Lock(), 0, 0

    def answer(request: dict[str, Any], number: int) -> Scripted:
        nonlocal serving, refusals
        with lock:
            if serving >= 3:
                refusals += 1
                return Scripted("slow down", status=429)
            serving += 1
        time.sleep(0.02)
        with lock:
            serving -= 1
        return Scripted("ja")

    with chat_server(answer) as server:
        to(server)
        ended = ask(client_of(LLMSession(concurrency=16)), *[REQUEST] * 100)
    assert all(isinstance(end, Reply) for end in ended)
    assert refusals < 100


def test_no_more_than_so_many_are_under_way(to: Pointer) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def answer(request: dict[str, Any], number: int) -> Scripted:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1
        return Scripted("ja")

    with chat_server(answer) as server:
        to(server)
        assert all(isinstance(end, Reply) for end in ask(client_of(LLMSession(concurrency=4)), *[REQUEST] * 24))
    assert most == 4


def test_nobody_there_stops_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_API_LINK", "http://127.0.0.1:9/v1")
    session = LLMSession()
    ended = one(client_of(session))
    assert isinstance(ended, Stopped) and ended.exit_code == 3
    assert "judge 'm': the endpoint does not answer (connection refused by 127.0.0.1:9)" in str(ended)
    assert "the same command goes on" in str(ended) and session.signal.asked


def test_an_endpoint_that_falls_silent_stops_the_command(to: Pointer) -> None:
    cases: list[Scripted] = [Scripted(status=503), Scripted(reset=True), Scripted("late", delay_s=0.5)]
    for scripted in cases:
        with chat_server(lambda request, number: scripted, alive=lambda: False) as server:
            to(server)
            ended = one(client_of(timeout_s=0.2))
        assert isinstance(ended, Stopped) and "the endpoint does not answer" in str(ended), scripted


def test_errors_of_a_living_server_stop_nobody_else(to: Pointer) -> None:
    def answer(request: dict[str, Any], number: int) -> Scripted:
        return Scripted(reset=True) if request["messages"][0]["content"] == "poison" else Scripted("ja")

    with chat_server(answer, alive=lambda: True) as server:
        to(server)
        poison = Request([{"role": "user", "content": "poison"}])
        ended = ask(client_of(LLMSession(concurrency=1)), poison, *[REQUEST] * 3)
    assert isinstance(ended[0], CallFailed) and all(isinstance(end, Reply) for end in ended[1:])


def test_an_endpoint_that_serves_others_meanwhile_is_there(to: Pointer) -> None:
    def answer(request: dict[str, Any], number: int) -> Scripted:
        poison = request["messages"][0]["content"] == "poison"
        return Scripted(reset=True, delay_s=0.1) if poison else Scripted("ja", delay_s=0.01)

    # It has no list of models, and says so as if it were not there.
    with chat_server(answer, alive=lambda: False) as server:
        to(server)
        poison = Request([{"role": "user", "content": "poison"}])
        ended = ask(client_of(LLMSession(concurrency=2)), poison, *[REQUEST] * 100)
    assert isinstance(ended[0], CallFailed) and all(isinstance(end, Reply) for end in ended[1:])


def test_the_stop_ends_a_wait_at_once(monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 60.0)
    session = LLMSession()

    async def stopped(client: LLMClient) -> BaseException | None:
        asyncio.get_running_loop().call_later(0.3, session.signal.ask, "interrupted")
        (ended,) = await asyncio.gather(client.complete(REQUEST), return_exceptions=True)
        await session.close()
        return ended if isinstance(ended, BaseException) else None

    with chat_server(lambda request, number: Scripted(status=500)) as server:
        to(server)
        begun = time.monotonic()
        ended = asyncio.run(stopped(client_of(session)))
    assert isinstance(ended, Stopped) and str(ended) == "interrupted"
    assert time.monotonic() - begun < 5 and len(server.requests) == 1


def test_what_is_under_way_at_the_stop_is_finished(to: Pointer) -> None:
    session = LLMSession(concurrency=2)

    async def stopped(client: LLMClient) -> Sequence[Ended]:
        asyncio.get_running_loop().call_later(0.1, session.signal.ask, "interrupted")
        ended = await asyncio.gather(*[client.complete(REQUEST) for _ in range(5)], return_exceptions=True)
        await session.close()
        return ended

    with chat_server(lambda request, number: Scripted("ja", delay_s=0.4)) as server:
        to(server)
        ended = asyncio.run(stopped(client_of(session)))
    assert [isinstance(end, Reply) for end in ended] == [True, True, False, False, False]
    assert all(isinstance(end, Stopped) for end in ended[2:]) and len(server.requests) == 2

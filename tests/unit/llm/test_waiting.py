"""What a user sees while calls wait, and of an endpoint that is none of models."""

from __future__ import annotations

from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server, run_clocked
from ragaliq.errors import ConfigError, Stopped
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm import CallFailed, FaultKind, LLMSession, Reply, Request
from ragaliq.llm.connections.transport import Fault
from ragaliq.llm.endpoints.endpoint import Endpoint
from ragaliq.llm.limiter import Limiter
from ragaliq.llm.retry import ATTEMPTS, FOREIGN_REPLIES, RetryPolicy, Tries
from unit.llm.calling import PRICES, REQUEST, Pointer, ask, client_of, one

pytestmark = pytest.mark.usefixtures("quick")
LOGIN = Scripted(raw="<html><title>Sign in</title></html>", headers={"content-type": "text/html"})
REQUESTS = [Request(REQUEST.messages, {"seed": number}) for number in range(40)]


def policy(signal: StopSignal) -> RetryPolicy:
    async def is_alive() -> bool:
        return True

    return RetryPolicy("judge", Endpoint("http://h/v1", "m", ""), signal, Limiter(4), is_alive)


def told(fault: Fault, times: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of one call that fails again and again."""

    async def failing() -> None:
        retry, tries = policy(StopSignal()), Tries(sent_at=0.0, first_sent=0.0)
        for _ in range(times):
            await retry.wait(fault, tries)

    run_clocked(failing())
    return capsys.readouterr().err.splitlines()


def test_a_rate_limit_is_told_every_few_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    # Waits of 2 to 2.6 s: told at once, and then after three of them, or two.
    shown = told(Fault(FaultKind.RATE_LIMIT, "HTTP 429: slow down", 2.0), 10, capsys)
    assert set(shown) <= {f"judge 'm': rate limited (HTTP 429: slow down), next try in {n} s" for n in (2, 3)}
    assert 3 <= len(shown) <= 5


def test_a_long_wait_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = told(Fault(FaultKind.CONNECTION, "refused", 8.0), 1, capsys)
    assert line == f"judge 'm': does not answer (refused), try 2 of {ATTEMPTS} in 8 s"
    (line,) = told(Fault(FaultKind.SERVER, "HTTP 500: " + "x" * 100, 8.0), 1, capsys)
    assert line == f"judge 'm': HTTP 500: {'x' * 70}…, try 2 of {ATTEMPTS} in 8 s"


def test_what_passes_at_once_is_not_told_but_a_time_out_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(Fault(FaultKind.CONNECTION, "reset"), 1, capsys) == []
    assert told(Fault(FaultKind.RATE_LIMIT, "HTTP 429", 0.1), 3, capsys) == []
    # A time-out counts twice, so there are three tries.
    (line,) = told(Fault(FaultKind.TIMEOUT, "no reply within 120 s"), 1, capsys)
    assert line == "judge 'm': does not answer (no reply within 120 s), try 2 of 3 in 0 s"


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (LOGIN, "the reply is no JSON object: text/html 'Sign in'"),
        (Scripted(raw="hello"), "the reply is no JSON object: hello"),
        (Scripted(raw='{"status": "ok"}'), 'JSON that is no completion: {"status": "ok"}'),
        # The error of a gateway, which wraps everything in `data`.
        (
            Scripted(raw='{"msg": "log in", "data": null}'),
            'JSON that is no completion: {"msg": "log in", "data": null}',
        ),
    ],
)
def test_what_is_no_endpoint_of_models_stops_after_a_few(page: Scripted, shown: str, to: Pointer) -> None:
    session = LLMSession(prices=PRICES, concurrency=4)
    with chat_server(lambda request, number: page) as server:
        to(server)
        ended = ask(client_of(session), *REQUESTS)
    first = next(error for error in ended if isinstance(error, ConfigError))
    place = f"http://127.0.0.1:{server.port}/v1"
    assert str(first) == (
        f"judge 'm': {place} does not answer as an endpoint of models ({shown}); check JUDGE_API_LINK"
    )
    assert len(server.requests) <= len(REQUESTS) + ATTEMPTS
    assert session.accounts == {} and session.budget.spent == 0, "a page costs nothing"


def test_the_variable_is_the_one_that_names_the_link(to: Pointer, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(lambda request, number: LOGIN) as server:
        for name in ("JUDGE_API_LINK", "TOKEN"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", server.link)
        ended = one(client_of())
    assert isinstance(ended, ConfigError) and str(ended).endswith("check OPENAI_BASE_URL")


def test_one_page_among_good_replies_is_tried_again(to: Pointer) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        return LOGIN if number in (0, 3) else Scripted("good")

    with chat_server(reply) as server:
        to(server)
        ended = ask(client_of(LLMSession(concurrency=1)), *REQUESTS[:4])
    assert [reply.text for reply in ended if isinstance(reply, Reply)] == ["good"] * 4
    assert len(server.requests) == 6


def test_one_call_that_only_gets_pages_is_that_calls_failure(to: Pointer) -> None:
    def reply(request: dict[str, Any], number: int) -> Scripted:
        return LOGIN if request.get("seed") == 1 else Scripted("good")

    with chat_server(reply) as server:
        to(server)
        ended = ask(client_of(LLMSession(concurrency=1)), *REQUESTS[:3])
    assert isinstance(ended[1], CallFailed) and ended[1].kind is FaultKind.FOREIGN
    assert isinstance(ended[0], Reply) and isinstance(ended[2], Reply)
    assert len(server.requests) == 2 + ATTEMPTS


def test_a_login_that_runs_out_stops_in_order(to: Pointer) -> None:
    server: ChatServer
    with chat_server(lambda request, number: Scripted("good") if number < 3 else LOGIN) as server:
        to(server)
        ended = ask(client_of(LLMSession(concurrency=2)), *REQUESTS)
    stopped = [error for error in ended if isinstance(error, Stopped)]
    assert stopped and "the same command goes on" in str(stopped[0]) and "check JUDGE_API_LINK" in str(stopped[0])
    assert len(server.requests) <= 3 + FOREIGN_REPLIES + 2

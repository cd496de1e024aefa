"""One request over a real connection: a JSON object, or a typed fault without secrets."""

from __future__ import annotations

import asyncio
import json
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server
from ragaliq.llm import LLMSession
from ragaliq.llm.connections.transport import Fault, FaultKind, is_alive, post
from ragaliq.llm.endpoints.endpoint import Endpoint

TOKEN = "sk-secret-1234567890"
BODY = {"model": "m", "messages": [{"role": "user", "content": "Où est la cantine ? 在哪里？ \ud800"}]}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def send(link: str, timeout_s: float = 5.0) -> dict[str, Any] | Fault:
    async def sent() -> dict[str, Any] | Fault:
        session, endpoint = LLMSession(), Endpoint(link, "m", TOKEN)
        try:
            return await post(session.client(endpoint), endpoint, "/chat/completions", BODY, timeout_s)
        finally:
            await session.close()

    return asyncio.run(sent())


def answer(scripted: Scripted, timeout_s: float = 5.0) -> tuple[dict[str, Any] | Fault, ChatServer]:
    with chat_server(lambda request, number: scripted) as server:
        return send(server.link, timeout_s), server


def test_the_request_arrives_as_it_is() -> None:
    found, server = answer(Scripted("站 é"))
    assert isinstance(found, dict) and found["choices"][0]["message"]["content"] == "站 é"
    # Half a surrogate pair is in no encoding.
    sent = json.loads(json.dumps(BODY).replace("\\ud800", "\\ufffd"))
    assert (server.requests, server.tokens) == ([sent], [f"Bearer {TOKEN}"])
    assert server.paths == ["/v1/chat/completions"]


def test_the_path_comes_before_the_links_query() -> None:
    query_cases: list[str] = ["", "?api-version=2026-01-01&key=hunter2-hunter2"]
    end_cases: list[str] = ["", "/", "//"]
    for query in query_cases:
        for end in end_cases:
            with chat_server(lambda request, number: Scripted("ja")) as server:
                assert isinstance(send(f"{server.link}{end}{query}"), dict), (query, end)
            assert server.paths == [f"/v1/chat/completions{query}"], (query, end)


def test_a_user_in_the_link_stands_in_for_the_token() -> None:
    with chat_server(lambda request, number: Scripted("ja")) as server:
        assert isinstance(send(server.link.replace("//", "//amina:p%40ss@")), dict)
    # printf 'amina:p@ss' | base64
    assert server.tokens == ["Basic YW1pbmE6cEBzcw=="]


def error(message: str, **more: Any) -> str:
    return json.dumps({"error": {"message": message, **more}})


@pytest.mark.slow
def test_what_is_no_reply_is_a_typed_fault() -> None:
    cases: list[tuple[int, str, FaultKind]] = [
        (429, error("slow down"), FaultKind.RATE_LIMIT),
        (429, error("You exceeded your quota", code="insufficient_quota"), FaultKind.QUOTA),
        (402, error("Insufficient credits", code=402), FaultKind.QUOTA),
        (500, error("oops"), FaultKind.SERVER),
        (501, "", FaultKind.SERVER),
        (408, "", FaultKind.SERVER),
        (409, "", FaultKind.SERVER),
        (204, "", FaultKind.SERVER),
        (502, "<html>Bad Gateway</html>", FaultKind.UNAVAILABLE),
        (503, error("model is loading"), FaultKind.UNAVAILABLE),
        (504, "", FaultKind.UNAVAILABLE),
        (529, error("overloaded"), FaultKind.UNAVAILABLE),
        (401, error("Incorrect API key"), FaultKind.ACCESS),
        (403, error("country not supported"), FaultKind.ACCESS),
        (404, error("The model `m` does not exist", code="model_not_found"), FaultKind.ACCESS),
        (301, "", FaultKind.ACCESS),
        (308, "", FaultKind.ACCESS),
        (400, error("bad"), FaultKind.REQUEST),
        (422, '{"detail": [{"loc": ["body"], "msg": "bad"}]}', FaultKind.REQUEST),
        (413, "", FaultKind.REQUEST),
        (400, error("The response was filtered", code="content_filter"), FaultKind.FILTERED),
        (400, error("no", type="content_policy_violation"), FaultKind.FILTERED),
        (403, error("Your chosen model requires moderation and your input was flagged"), FaultKind.FILTERED),
        (400, error("no", code="context_length_exceeded"), FaultKind.CONTEXT_LENGTH),
        (
            400,
            '{"object": "error", "message": "This model\'s maximum context length is 4096 tokens."}',
            FaultKind.CONTEXT_LENGTH,
        ),
        (
            400,
            error("the request exceeds the available context size", type="exceed_context_size_error"),
            FaultKind.CONTEXT_LENGTH,
        ),
        (400, '{"error": "prompt is too long"}', FaultKind.CONTEXT_LENGTH),
        (
            429,
            error("Request too large for m on tokens per min (TPM): Limit 30000, Requested 41000.", type="tokens"),
            FaultKind.CONTEXT_LENGTH,
        ),
        (200, error("Provider returned error", code=502), FaultKind.UNAVAILABLE),
        (200, error("Rate limit exceeded", code=429), FaultKind.RATE_LIMIT),
        (200, error("no credit", code=402), FaultKind.QUOTA),
        (200, '{"error": "model runner has stopped"}', FaultKind.SERVER),
        (200, "<html>gateway</html>", FaultKind.FOREIGN),
        (200, "", FaultKind.FOREIGN),
        (200, "[1]", FaultKind.FOREIGN),
        (200, '{"choices": ', FaultKind.MALFORMED),
        (200, "[" * 100_000, FaultKind.FOREIGN),
    ]
    for status, raw, kind in cases:
        found, _ = answer(Scripted(status=status, raw=raw))
        assert isinstance(found, Fault), status
        assert found.kind is kind, found
        assert "\n" not in found.message and len(found.message) < 600, status


def test_an_error_of_null_is_none() -> None:
    found, _ = answer(Scripted(raw='{"error": null, "choices": []}'))
    assert found == {"error": None, "choices": []}


def test_the_refused_parameter_is_named() -> None:
    found, _ = answer(
        Scripted(status=400, raw=error("Unsupported value", param="temperature", code="unsupported_value"))
    )
    assert isinstance(found, Fault)
    assert (found.parameter, found.message) == ("temperature", "HTTP 400: Unsupported value")


def test_a_broken_connection_is_a_fault() -> None:
    cases: list[tuple[Scripted, FaultKind]] = [
        (Scripted(reset=True), FaultKind.CONNECTION),
        (Scripted("It is blue.", cut=True), FaultKind.CONNECTION),
        (Scripted("It is blue.", delay_s=0.6), FaultKind.TIMEOUT),
    ]
    for scripted, kind in cases:
        found, server = answer(scripted, timeout_s=0.2)
        assert isinstance(found, Fault) and found.kind is kind, found
        assert len(server.requests) == 1, "a request is not sent again behind our back"


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nobody_there_is_a_fault() -> None:
    cases: list[str] = ["127.0.0.1", "no-such-host.invalid"]
    for host in cases:
        found = send(f"http://amina:hunter2-hunter2@{host}:{closed_port()}/v1?key={TOKEN}")
        assert isinstance(found, Fault) and found.kind is FaultKind.UNREACHABLE, found
        assert host in found.message and "hunter2" not in found.message and TOKEN not in found.message, host


def test_an_endpoint_that_speaks_no_tls_is_a_fault() -> None:
    with chat_server(lambda request, number: Scripted("ja")) as server:
        found = send(server.link.replace("http://", "https://"))
    assert isinstance(found, Fault) and found.kind in (FaultKind.UNREACHABLE, FaultKind.CONNECTION)


def test_what_an_endpoint_echoes_of_secrets_is_not_told() -> None:
    cases: list[int] = [200, 400, 401, 429, 500]
    for status in cases:
        found, _ = answer(Scripted(status=status, raw=error(f"wrong key {TOKEN}", code=TOKEN, type=TOKEN)))
        assert isinstance(found, Fault), status
        assert "wrong key ***" in found.message and TOKEN not in repr(found), status


def test_the_wait_that_is_asked_for_in_seconds() -> None:
    cases: list[tuple[str | None, float | None]] = [
        ("7", 7.0),
        ("0", 0.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("soon", None),
        ("", None),
        (None, None),
        ("inf", None),
        ("nan", None),
    ]
    for header, seconds in cases:
        headers = {} if header is None else {"Retry-After": header}
        found, _ = answer(Scripted("slow down", status=429, headers=headers))
        assert isinstance(found, Fault) and found.wait_s == seconds, header


def test_the_wait_that_is_asked_for_as_a_date() -> None:
    cases: list[tuple[int, float, float]] = [(30, 25.0, 30.0), (-30, 0.0, 0.0)]
    for ahead, least, most in cases:
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=ahead), usegmt=True)
        found, _ = answer(Scripted("slow down", status=503, headers={"retry-after": date}))
        assert isinstance(found, Fault) and found.wait_s is not None, ahead
        assert least <= found.wait_s <= most, ahead


def test_a_harmless_question_tells_whether_an_endpoint_is_there() -> None:
    cases: list[bool] = [True, False]
    for alive in cases:

        async def asked(link: str) -> bool:
            session = LLMSession()
            try:
                return await is_alive(session.client(Endpoint(link, "m", TOKEN)), 2.0)
            finally:
                await session.close()

        with chat_server(lambda request, number: Scripted("ja"), alive=lambda: alive) as server:
            assert asyncio.run(asked(server.link)) is alive, alive
            assert server.requests == [], alive
        assert asyncio.run(asked(server.link)) is False, alive

"""What a client sends over a real connection: what the official one sends, less what the endpoint refuses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from fakes import Scripted, chat_server, vector_of
from ragaliq.llm import CallFailed, FaultKind, LLMSession, Reply, Request
from ragaliq.types import Usage
from unit.llm.calling import (
    CHAT,
    REQUEST,
    SCHEMA,
    TOKEN,
    Ended,
    Pointer,
    ask,
    client_of,
    embed,
    error,
    one,
)

pytestmark = pytest.mark.usefixtures("quick")


def structured(request: dict[str, Any]) -> bool:
    return "response_format" in request


def test_a_schema_that_is_refused_is_left_out_from_then_on(to: Pointer) -> None:
    cases: list[Scripted] = [
        Scripted(status=400, raw=error("'response_format' is not supported", param="response_format")),
        Scripted(status=500, raw=error("response_format: grammar could not be parsed", code=500, type="server_error")),
        Scripted(status=404, raw=error("No endpoints found that support structured outputs", code=404)),
        Scripted("Bad Request", status=400),
    ]
    for refusal in cases:
        with chat_server(lambda request, number: refusal if structured(request) else Scripted("[RESULT] 4")) as server:
            to(server)
            client = client_of(LLMSession(concurrency=1))
            request = Request(CHAT, {"max_tokens": 9}, SCHEMA)
            ended = ask(client, request, request, request)
        assert [end.attempts for end in ended if isinstance(end, Reply)] == [1, 1, 1], refusal
        assert [structured(request) for request in server.requests] == [True, False, False, False], refusal
        sent = {key: value for key, value in server.requests[0].items() if key != "response_format"}
        assert server.requests[1] == server.requests[3] == sent, refusal


def test_one_bad_request_does_not_cost_the_others_their_schema(to: Pointer) -> None:
    def answer(request: dict[str, Any], number: int) -> Scripted:
        return Scripted("Bad", status=400) if request["messages"][0]["content"] == "bad" else Scripted("ja")

    with chat_server(answer) as server:
        to(server)
        bad = Request([{"role": "user", "content": "bad"}], {}, SCHEMA)
        ended = ask(client_of(LLMSession(concurrency=1)), bad, *[Request(CHAT, {}, SCHEMA)] * 3)
    assert isinstance(ended[0], CallFailed) and ended[0].attempts == 1
    assert all(isinstance(end, Reply) for end in ended[1:])
    # The first place after the refusal goes to the next in line, who is asked without; then it is known better.
    assert [structured(request) for request in server.requests] == [True, False, False, True, True]


def test_a_schema_is_kept_where_it_was_taken(to: Pointer) -> None:
    with chat_server(lambda request, number: Scripted("Bad", status=400) if number == 1 else Scripted("ja")) as server:
        to(server)
        ended = ask(client_of(LLMSession(concurrency=1)), *[Request(CHAT, {}, SCHEMA)] * 3)
    assert [isinstance(end, Reply) for end in ended] == [True, False, True]
    assert all(structured(request) for request in server.requests)


def test_the_newer_name_of_max_tokens_is_learnt(to: Pointer) -> None:
    message = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
    refusal = Scripted(status=400, raw=error(message, param="max_tokens", code="unsupported_parameter"), delay_s=0.05)
    with chat_server(lambda request, number: refusal if "max_tokens" in request else Scripted("ja")) as server:
        to(server)
        client = client_of(LLMSession(concurrency=8))
        ended = ask(client, *[REQUEST] * 8)
        later = one(client)
    assert all(isinstance(end, Reply) and end.attempts == 1 for end in [*ended, later]), ended
    assert server.requests[-1] == {"model": "m", "messages": CHAT, "temperature": 0.0, "max_completion_tokens": 9}


def test_no_secret_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[int] = [200, 400, 401, 402, 500]
    for status in cases:
        body = error(f"key {TOKEN} of amina:hunter2-hunter2 at ?key=querysecret is wrong", code=TOKEN)
        session = LLMSession()
        with chat_server(lambda request, number: Scripted(status=status, raw=body)) as server:
            link = server.link.replace("//", "//amina:hunter2-hunter2@") + "?key=querysecret"
            monkeypatch.setenv("JUDGE_API_LINK", link)
            client = client_of(session)
            failed = one(client)
        assert isinstance(failed, Exception) and "is wrong" in str(failed), status
        told = f"{failed!r} {failed} {client.endpoint!r} {failed.__cause__!r} {failed.__context__!r}"
        assert TOKEN not in told, status
        assert "hunter2" not in str(failed) and "querysecret" not in str(failed), status


PARAMETERS: list[dict[str, Any]] = [
    {},
    {"temperature": 0.0, "max_tokens": 512},
    {"temperature": 0.7, "top_p": 0.9, "seed": 7, "stop": ["\n", "。"], "max_completion_tokens": 5},
    {"logprobs": True, "top_logprobs": 5, "frequency_penalty": 0.5, "presence_penalty": -0.5},
]


@pytest.mark.slow
def test_the_request_is_the_one_of_the_official_client(to: Pointer) -> None:
    schema_cases: list[dict[str, Any] | None] = [None, SCHEMA]
    for parameters in PARAMETERS:
        for schema in schema_cases:
            from openai import AsyncOpenAI

            async def official(link: str) -> Any:
                more = {}
                if schema is not None:
                    named = {"name": "reply", "strict": True, "schema": schema}
                    more = {"response_format": {"type": "json_schema", "json_schema": named}}
                async with AsyncOpenAI(api_key=TOKEN, base_url=link, max_retries=0) as sdk:
                    return await sdk.chat.completions.create(model="m", messages=CHAT, **parameters, **more)  # type: ignore[call-overload]

            with chat_server(lambda request, number: Scripted("站 é", finish_reason="length")) as server:
                to(server)
                ours = one(client_of(), Request(CHAT, parameters, schema))
                theirs = asyncio.run(official(server.link))
            assert server.requests[0] == server.requests[1], (parameters, schema)
            assert server.tokens[0] == server.tokens[1] and server.paths[0] == server.paths[1], (parameters, schema)
            assert isinstance(ours, Reply), (parameters, schema)
            assert (ours.text, ours.finish_reason) == (
                theirs.choices[0].message.content,
                theirs.choices[0].finish_reason,
            ), (parameters, schema)
            assert ours.usage == Usage(theirs.usage.prompt_tokens, theirs.usage.completion_tokens), (parameters, schema)


TEXTS = ["The canteen.", "Столовая", "食堂", ""]


@pytest.mark.slow
def test_vectors_are_those_of_the_official_client(to: Pointer) -> None:
    from openai import AsyncOpenAI

    async def official(link: str) -> list[list[float]]:
        async with AsyncOpenAI(api_key=TOKEN, base_url=link, max_retries=0) as sdk:
            reply = await sdk.embeddings.create(model="m", input=TEXTS, encoding_format="float")
            return [row.embedding for row in reply.data]

    with chat_server(lambda request, number: Scripted()) as server:
        to(server)
        session = LLMSession()
        ours = embed(client_of(session), TEXTS)
        assert ours == asyncio.run(official(server.link)) == [vector_of(text) for text in TEXTS]
    assert server.requests[0] == server.requests[1]
    assert server.paths == ["/v1/embeddings"] * 2
    account = session.account("judge")
    assert (account.calls, account.prompt_tokens, account.completion_tokens) == (1, 7, 0)


def test_what_an_endpoint_of_vectors_does_not_take_is_left_out(to: Pointer) -> None:
    refusal = Scripted(status=400, raw=error("'encoding_format' is not supported", param="encoding_format"))
    with chat_server(lambda request, n: refusal if "encoding_format" in request and n < 9 else Scripted()) as server:
        to(server)
        assert embed(client_of(), ["食堂"]) == [vector_of("食堂")]
    assert [sorted(request) for request in server.requests] == [
        ["encoding_format", "input", "model"],
        ["input", "model"],
    ]


def test_vectors_come_in_the_order_of_their_texts(to: Pointer) -> None:
    rows = [{"index": 1, "embedding": [1.0]}, {"index": 0, "embedding": [0.0]}]
    with chat_server(lambda request, number: Scripted(raw=json.dumps({"data": rows}))) as server:
        to(server)
        assert embed(client_of(), ["a", "b"]) == [[0.0], [1.0]]
    rows = [{"index": None, "embedding": [1.0]}, {"index": None, "embedding": [0.0]}]
    with chat_server(lambda request, number: Scripted(raw=json.dumps({"data": rows}))) as server:
        to(server)
        assert embed(client_of(), ["a", "b"]) == [[1.0], [0.0]]


def test_a_mark_of_the_byte_order_is_skipped_and_two_replies_in_one_are_none(to: Pointer) -> None:
    def ended(body: str) -> Ended:
        with chat_server(lambda request, number: Scripted(raw=body)) as server:
            to(server)
            return one(client_of())

    assert ended('\ufeff{"choices": [{"message": {"content": "a"}}]}') == Reply("a", "")
    twice = ended('{"choices": [], "choices": [{"message": {"content": "a"}}]}')
    assert isinstance(twice, CallFailed) and twice.kind is FaultKind.MALFORMED


def test_too_few_vectors_and_rows_without_an_order_are_no_reply(to: Pointer) -> None:
    unordered = [{"index": 0, "embedding": [1.0]}, {"index": None, "embedding": [2.0]}]
    cases: list[Any] = [
        unordered,
        [],
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0}, {"index": 1}],
        ["a", "b"],
    ]
    for data in cases:
        with chat_server(lambda request, number: Scripted(raw=json.dumps({"data": data}))) as server:
            to(server)
            failed = embed(client_of(), ["a", "b"])
        assert isinstance(failed, CallFailed) and failed.kind is FaultKind.MALFORMED, data
        assert len(server.requests) == 5, data

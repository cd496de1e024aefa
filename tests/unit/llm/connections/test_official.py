"""The official client against servers that keep what arrives: Azure, proxies, variables, headers, clients of users."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fakes import ChatServer, Scripted, chat_server
from ragaliq.errors import ConfigError, Stopped
from ragaliq.llm import CallFailed, CallOptions, FaultKind, LLMClient, LLMSession, Reply
from ragaliq.llm.connections.transport import proxy_of, trusted
from unit.llm.calling import REQUEST, TOKEN, Pointer, embed, one

KEY, TEAM = "key-0123456789abcdef", "team-0123456789"
OFFICIAL = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
AZURE = ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OPENAI_API_VERSION")
pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(autouse=True)
def nothing_set(quick: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("TOKEN", "JUDGE_API_LINK", "AZURE_OPENAI_API_VERSION", *OFFICIAL, *AZURE):
        monkeypatch.delenv(name, raising=False)
    proxy_of.cache_clear()
    yield
    proxy_of.cache_clear()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server(lambda request, number: Scripted("ja")) as running:
        yield running


def called(options: CallOptions | None = None, model: str = "m", client: Any = None) -> Reply | BaseException:
    return one(LLMClient("judge", model, LLMSession(client=client), options or CallOptions()))


def test_the_variables_of_the_official_client(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    values = (KEY, server.link, "org-1", "proj-1", "X-Gateway: gate-1\nX-Team:  t ")
    for name, value in zip(OFFICIAL, values, strict=True):
        monkeypatch.setenv(name, value)
    assert isinstance(called(), Reply)
    sent = server.headers[0]
    assert server.paths == ["/v1/chat/completions"] and sent["authorization"] == f"Bearer {KEY}"
    assert (sent["openai-organization"], sent["openai-project"]) == ("org-1", "proj-1")
    assert (sent["x-gateway"], sent["x-team"]) == ("gate-1", "t")
    assert not [name for name in sent if name.startswith("x-stainless")]


def test_no_variable_of_another_endpoint_goes_to_this_one(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    values = (KEY, "http://127.0.0.1:9/v1", "org-1", "proj-1", "X-Gateway: gate-1\nAuthorization: Bearer gate-2")
    for name, value in zip(OFFICIAL, values, strict=True):
        monkeypatch.setenv(name, value)
    for name in AZURE:
        monkeypatch.setenv(name, "http://azure.example/azure-1")
    monkeypatch.setenv("TOKEN", TOKEN)
    monkeypatch.setenv("JUDGE_API_LINK", server.link)
    assert isinstance(called(), Reply)
    sent = server.headers[0]
    assert sent["authorization"] == f"Bearer {TOKEN}"
    assert set(sent) == {
        "accept", "accept-encoding", "authorization", "content-length", "content-type", "host", "user-agent"
    }  # fmt: skip


def test_half_a_pair_is_refused(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("JUDGE_API_LINK", server.link)
    with pytest.raises(ConfigError, match=r"TOKEN is not set \(OPENAI_API_KEY .* without JUDGE_API_LINK"):
        called()
    assert server.requests == []


def test_without_any_variable_the_line_names_each_way() -> None:
    with pytest.raises(ConfigError, match="TOKEN is not set, nor is OPENAI_API_KEY or AZURE_OPENAI_ENDPOINT"):
        called()


@pytest.mark.parametrize("variable", ["AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"])
def test_azure_by_its_variables(server: ChatServer, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.link.removesuffix("/v1") + "/")
    monkeypatch.setenv("OPENAI_API_VERSION", "2026-10-01")
    monkeypatch.setenv(variable, KEY)
    assert isinstance(called(model="my-deployment"), Reply)
    assert isinstance(embed(LLMClient("judge", "vectors-1"), ["a", "b"]), list)
    assert server.paths == [
        "/openai/deployments/my-deployment/chat/completions?api-version=2026-10-01",
        "/openai/deployments/vectors-1/embeddings?api-version=2026-10-01",
    ]
    for sent in server.headers:
        with_key = variable == "AZURE_OPENAI_API_KEY"
        assert sent.get("api-key") == (KEY if with_key else None)
        assert sent.get("authorization") == (None if with_key else f"Bearer {KEY}")


def test_azure_without_a_version_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    with pytest.raises(ConfigError, match="AZURE_OPENAI_API_VERSION or OPENAI_API_VERSION is not set"):
        called()


def test_more_headers_and_more_of_a_body(server: ChatServer, monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    monkeypatch.setenv("TEAM", TEAM)
    to(server)
    extra = {"reasoning_effort": "low", "max_tokens": 99, "provider": {"order": ["a"]}, "note": None}
    options = CallOptions(headers_from_env="X-Team=TEAM", extra_body=extra)
    client = LLMClient("judge", "m", LLMSession(), options)
    assert isinstance(one(client), Reply)
    assert server.headers[0]["x-team"] == TEAM and server.headers[0]["authorization"] == f"Bearer {TOKEN}"
    assert {key: server.requests[0][key] for key in extra} == extra
    assert server.requests[0]["temperature"] == 0.0 and server.requests[0]["model"] == "m"
    assert client.endpoint.masked(f"no {TEAM}") == "no ***"
    assert isinstance(
        embed(LLMClient("judge", "m", LLMSession(), CallOptions(extra_body={"dimensions": 2})), "a"), list
    )
    assert server.requests[1]["dimensions"] == 2


def test_a_body_of_ones_own_is_asked_for_anew(to: Pointer, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    to(server)
    plain, low, high = (
        LLMClient("judge", "m", None, CallOptions(extra_body=body))
        for body in ({}, {"reasoning_effort": "low"}, {"reasoning_effort": "high"})
    )
    assert len({client.request_hash(REQUEST) for client in (plain, low, high)}) == 3


def test_a_parameter_that_is_refused_is_left_out_once_told(
    to: Pointer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)

    def reply(request: dict[str, Any], number: int) -> Scripted:
        if "min_p" in request:
            body = '{"error": {"message": "Unsupported parameter: min_p is not supported", "param": "min_p"}}'
            return Scripted(status=400, raw=body)
        return Scripted("ja")

    with chat_server(reply) as server:
        to(server)
        assert isinstance(called(CallOptions(extra_body={"min_p": 0.1, "top_k": 3})), Reply)
    assert [sorted(set(one) & {"min_p", "top_k"}) for one in server.requests] == [["min_p", "top_k"], ["top_k"]]
    assert capsys.readouterr().err == "note: m does not take 'min_p'; it is asked without\n"


def test_requests_go_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    monkeypatch.setenv("JUDGE_API_LINK", "http://models.example:8123/v1?v=2")
    with chat_server(lambda request, number: Scripted("ja")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.link.removesuffix("/v1"))
        assert isinstance(called(), Reply)
    assert proxy.paths == ["http://models.example:8123/v1/chat/completions?v=2"]
    assert proxy.headers[0]["host"] == "models.example:8123" and proxy.tokens == [f"Bearer {TOKEN}"]


@pytest.mark.usefixtures("fresh_trust")
def test_certificates_of_ones_own_are_trusted_by_their_variable(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, to: Pointer
) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    with chat_server(lambda request, number: Scripted("ja"), certificate=certificate) as server:
        to(server)
        assert isinstance(called(), Stopped) and server.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        trusted.cache_clear()
        assert isinstance(called(), Reply) and server.tokens == [f"Bearer {TOKEN}"]


@pytest.mark.parametrize("chosen", [False, True])
def test_a_client_of_the_users(server: ChatServer, monkeypatch: pytest.MonkeyPatch, chosen: bool) -> None:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    monkeypatch.setenv("TEAM", TEAM)
    connections = DefaultAsyncHttpxClient() if chosen else None
    mine = {"X-Mine": "1"}
    theirs = AsyncOpenAI(
        api_key=KEY, base_url=server.link, default_headers=mine, max_retries=7, http_client=connections
    )
    options = CallOptions(headers_from_env="X-Team=TEAM")
    # Two commands, each in an event loop of its own.
    assert isinstance(called(options, client=theirs), Reply) and isinstance(called(options, client=theirs), Reply)
    for sent in server.headers:
        assert (sent["authorization"], sent["x-mine"], sent["x-team"]) == (f"Bearer {KEY}", "1", TEAM)
    # A connection of theirs that the first command left open costs the second a request.
    assert not theirs.is_closed() and len(server.requests) <= 2 + chosen
    client = LLMClient("judge", "m", LLMSession(client=theirs), options)
    assert client.endpoint.link.rstrip("/") == server.link and client.endpoint.masked(KEY) == "***"


def test_an_azure_client_of_the_users(server: ChatServer) -> None:
    from openai import AsyncAzureOpenAI

    async def entra() -> str:
        return "fresh-token-1"

    host = server.link.removesuffix("/v1")
    theirs = AsyncAzureOpenAI(azure_endpoint=host, api_version="2026-10-01", azure_ad_token_provider=entra)
    assert isinstance(called(model="dep", client=theirs), Reply)
    assert server.paths == ["/openai/deployments/dep/chat/completions?api-version=2026-10-01"]
    assert server.tokens == ["Bearer fresh-token-1"]


def test_faults_of_a_client_of_the_users_are_typed_and_tried_as_ours(server: ChatServer) -> None:
    from openai import AsyncOpenAI

    with chat_server(lambda request, number: Scripted("no", status=500)) as broken:
        theirs = AsyncOpenAI(api_key=KEY, base_url=broken.link, max_retries=7)
        failed = called(client=theirs)
        assert isinstance(failed, CallFailed) and failed.kind is FaultKind.SERVER and len(broken.requests) == 5
    gone = AsyncOpenAI(api_key=KEY, base_url="http://127.0.0.1:9/v1", max_retries=7)
    assert "does not answer" in str(called(client=gone))


def test_what_a_client_of_the_users_sends_is_masked_where_it_comes_back() -> None:
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    def echo(request: dict[str, Any], number: int) -> Scripted:
        said = " ".join(f"{name}={value}" for name, value in running.headers[-1].items())
        return Scripted(said, status=400) if request["model"] == "refuses" else Scripted(f"<think>{said}</think>{said}")

    async def key() -> str:
        return "called-key-1"

    with chat_server(echo) as running:
        host = running.link.removesuffix("/v1")
        secret = {"X-Mine": "header-secret-1"}
        clients = [
            AsyncOpenAI(api_key=key, base_url=running.link, default_headers=secret),
            AsyncAzureOpenAI(azure_endpoint=host, api_version="1", azure_ad_token="entra-token-1"),
            AsyncAzureOpenAI(azure_endpoint=host, api_version="1", api_key="azure-key-1", default_headers=secret),
        ]
        for theirs in clients:
            for model in ("m", "refuses"):
                ended = str(called(model=model, client=theirs))
                assert "***" in ended
                for one in ("called-key-1", "entra-token-1", "azure-key-1", "header-secret-1"):
                    assert one not in ended, (theirs, model)


def test_a_header_that_comes_back_is_in_no_reply(monkeypatch: pytest.MonkeyPatch, to: Pointer) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    monkeypatch.setenv("TEAM", TEAM)
    with chat_server(lambda request, number: Scripted(f"You sent {TEAM} and {TOKEN}.")) as server:
        to(server)
        reply = called(CallOptions(headers_from_env="X-Team=TEAM"))
    assert isinstance(reply, Reply) and reply.text == "You sent *** and ***."


def test_further_keys_of_a_body_make_another_model(to: Pointer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    bodies: list[dict[str, Any]] = [{}, {"reasoning_effort": "low"}, {"reasoning_effort": "high"}]
    clients = [LLMClient("judge", "m", LLMSession(planned=True), CallOptions(extra_body=body)) for body in bodies]
    names = [client.name for client in clients]
    assert names[0] == "openai:m" and len(set(names)) == 3
    assert all(name.startswith("openai:m+") for name in names[1:])


def test_a_limit_of_ones_own_takes_the_place_of_ours(
    to: Pointer, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", TOKEN)
    to(server)
    assert isinstance(called(CallOptions(extra_body={"max_completion_tokens": 4000})), Reply)
    assert server.requests[0]["max_completion_tokens"] == 4000 and "max_tokens" not in server.requests[0]


def test_a_client_for_some_roles(server: ChatServer) -> None:
    from openai import AsyncOpenAI

    theirs = AsyncOpenAI(api_key=KEY, base_url=server.link)
    assert isinstance(called(client={"judge": theirs}), Reply)
    with pytest.raises(ConfigError, match="TOKEN is not set, nor is OPENAI_API_KEY"):
        called(client={"reader": theirs})
    with pytest.raises(ConfigError, match="unknown role 'juge'; did you mean 'judge'"):
        called(client={"juge": theirs})
    for wrong in ("sk-1", {"judge": 3}):
        with pytest.raises(ConfigError, match=r"'client' must be an AsyncOpenAI or AsyncAzureOpenAI, not (str|int)"):
            called(client=wrong)


def test_options_that_cannot_be() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"timeout_s": float("nan")}, "'timeout_s' must be above 0"),
        ({"extra_body": {"stream": True}}, "'stream' cannot be set here"),
        ({"extra_body": [1]}, "'extra_body' must be a mapping of names"),
        ({"extra_body": {1: 2}}, "'extra_body' must be a mapping of names"),
        ({"extra_body": {"a": {"b": date(2026, 1, 1)}}}, "'a' holds what JSON has not"),
        ({"extra_body": {"api_key": "sk-1234567890"}}, "'api_key' looks like a secret"),
        ({"extra_body": {"max_tokens": "lots"}}, "'max_tokens' must be a whole number of at least 1, not 'lots'"),
        ({"headers_from_env": "X-Key: sk-1"}, "write headers_from_env as HEADER=VARIABLE, HEADER=VARIABLE"),
        ({"extra_body": {"a": float("nan")}}, "'a' holds what JSON has not"),
    ]
    for options, message in cases:
        with pytest.raises(ConfigError, match=message):
            CallOptions(**options)


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_a_reply_without_end_is_typed_and_not_asked_for_again(
    coding: str, to: Pointer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zlib

    monkeypatch.setenv("TOKEN", TOKEN)

    def blocks() -> Iterator[bytes]:
        packer = zlib.compressobj(wbits=31)
        for _ in range(4096):
            zeros = bytes(2**20)
            yield zeros if coding == "identity" else packer.compress(zeros) + packer.flush(zlib.Z_SYNC_FLUSH)

    with chat_server(lambda request, number: Scripted(blocks=blocks, headers={"content-encoding": coding})) as server:
        to(server)
        failed = called()
    assert isinstance(failed, CallFailed) and failed.kind is FaultKind.TOO_LONG
    assert str(failed) == "reply_too_long: the reply is longer than 16 MB" and len(server.requests) == 1

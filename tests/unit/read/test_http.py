"""The reader over HTTP, against a real server on the loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from fakes import KeptTraces, chunk, hits
from ragaliq.components import make
from ragaliq.config import Component, RunConfig
from ragaliq.errors import ConfigError, Stopped
from ragaliq.llm import LLMSession
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.read.http import HttpReader
from ragaliq.text.refusals import not_found
from ragaliq.types import AnswerOutcome, CitedSentence, Query, Reading, Trace, Usage

QUERY = Query("q7", "zh", "补给船几点离开港口？")
CONTEXT = hits("补给船九点离开港口。", "狗必须拴绳。", lang="zh")
SECRET = "Bearer s3cret-t0ken"
NO_QUERY = "reader 'http': the address holds a query or fragment; secrets go into headers_from_env"


@dataclass
class Reply:
    body: bytes | str = '{"answer": "九点。"}'
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    # Says that more bytes come than do, then hangs up.
    torn: bool = False
    delay_s: float = 0.0


@dataclass
class Served:
    link: str
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def served(reply: Callable[[int], Reply], certificate: Path | None = None) -> Iterator[Served]:
    """Serve `reply(number of the request from 0)`, over TLS with a certificate and its key in one file."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            number = len(state.bodies)
            state.bodies.append(body)
            state.paths.append(self.path)
            state.headers.append({name.lower(): value for name, value in self.headers.items()})
            scripted = reply(number)
            time.sleep(scripted.delay_s)
            data = scripted.body if isinstance(scripted.body, bytes) else scripted.body.encode()
            self.send_response(scripted.status)
            self.send_header("content-type", scripted.kind)
            self.send_header("content-length", str(len(data) + 5 * scripted.torn))
            for name, value in scripted.headers.items():
                self.send_header(name, value)
            # Who asked may have lost patience.
            with suppress(BrokenPipeError):
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    scheme = "http" if certificate is None else "https"
    state = Served(f"{scheme}://127.0.0.1:{server.server_port}/rag/answer")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("ragaliq.read.http._FIRST_WAIT_S", 0.01)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nobody listens, and nobody else will."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/rag"


def read_all(reader: HttpReader, count: int) -> list[Reading | BaseException]:
    """Read at once, and close the connections."""

    async def done() -> list[Reading | BaseException]:
        try:
            reads = (reader.read(QUERY, CONTEXT) for _ in range(count))
            return await asyncio.gather(*reads, return_exceptions=True)
        finally:
            await reader.session.close()

    return asyncio.run(done())


def read(reader: HttpReader) -> Reading:
    (found,) = read_all(reader, 1)
    if isinstance(found, BaseException):
        raise found
    return found


def ask(link: str, **options: Any) -> Reading:
    return read(HttpReader(link, **options))


def failed(error: str) -> Reading:
    return Reading("", AnswerOutcome.ERROR, error=error)


def test_question_and_context_are_posted() -> None:
    with served(lambda number: Reply()) as server:
        assert ask(server.link) == Reading("九点。", AnswerOutcome.ANSWERED)
    assert server.bodies == [
        {
            "question": "补给船几点离开港口？",
            "lang": "zh",
            "query_id": "q7",
            "context": [{"doc_id": "d1", "text": "补给船九点离开港口。"}, {"doc_id": "d2", "text": "狗必须拴绳。"}],
        }
    ]
    assert server.paths == ["/rag/answer"]


def test_json_and_plain_text_are_answers() -> None:
    cases: list[tuple[Reply, Reading]] = [
        (
            Reply('{"answer": " 九点。\\n", "usage": {"prompt_tokens": 40, "completion_tokens": 3}, "more": 1}'),
            Reading("九点。", AnswerOutcome.ANSWERED, Usage(40, 3)),
        ),
        (Reply('{"answer": "九点。", "usage": null}', 201), Reading("九点。", AnswerOutcome.ANSWERED)),
        (
            Reply('{"answer": "九点。", "sentences": [{"text": "九点。", "citations": ["d", "d"]}, {"text": "b"}]}'),
            Reading("九点。", AnswerOutcome.ANSWERED, sentences=(CitedSentence("九点。", ("d",)), CitedSentence("b"))),
        ),
        # What is no text/plain is read as JSON, whatever it calls itself.
        (Reply(kind="text/html"), Reading("九点。", AnswerOutcome.ANSWERED)),
        (Reply("九点。\n", kind="text/plain"), Reading("九点。", AnswerOutcome.ANSWERED)),
        (
            Reply("девять".encode("cp1251"), kind="text/plain; charset=windows-1251"),
            Reading("девять", AnswerOutcome.ANSWERED),
        ),
        (Reply('{"answer": ""}'), Reading("", AnswerOutcome.EMPTY)),
        (Reply("", kind="text/plain"), Reading("", AnswerOutcome.EMPTY)),
        (Reply(not_found("zh"), kind="text/plain"), Reading(not_found("zh"), AnswerOutcome.ABSTAINED)),
    ]
    for reply, reading in cases:
        with served(lambda number: reply) as server:
            assert ask(server.link) == reading, reply
        assert len(server.bodies) == 1, reply


def test_what_is_no_answer_is_a_typed_error() -> None:
    cases: list[tuple[Reply, str]] = [
        (Reply("<html>Sorry</html>", kind="text/html"), "the reply of LINK is neither JSON nor text/plain"),
        (Reply("九点。"), "the reply of LINK is neither JSON nor text/plain"),
        (Reply("[" * 100_000), "the reply of LINK is neither JSON nor text/plain"),
        (Reply('{"text": "九点。"}'), "the reply of LINK has no text under the key 'answer'"),
        (Reply('{"answer": null}'), "the reply of LINK has no text under the key 'answer'"),
        (Reply('["九点。"]'), "the reply of LINK has no text under the key 'answer'"),
        (
            Reply('{"answer": "a", "usage": {"prompt_tokens": 1}}'),
            "the reply of LINK has a 'usage' without whole numbers ",
        ),
        (Reply('{"answer": "a", "sentences": "b"}'), "the reply of LINK has 'sentences' that are no list"),
        (Reply('{"answer": "a", "sentences": [{"text": "b", "citations": [1]}]}'), "the reply of LINK has 'sentences'"),
        (Reply('{"answer": "a", "usage": 7}'), "the reply of LINK has a 'usage' without whole numbers "),
        (Reply(b'{"answer": "\xff"}'), "the reply of LINK is not in the encoding that it names"),
        (Reply("{}", 400), "HTTP 400 from LINK"),
        (Reply("{}", 302, headers={"location": "http://127.0.0.1:1/"}), "HTTP 302 from LINK"),
    ]
    for reply, error in cases:
        with served(lambda number: reply) as server:
            found = ask(server.link)
        assert (found.text, found.outcome) == ("", AnswerOutcome.ERROR), error
        assert found.error.startswith(error.replace("LINK", server.link)), error
        assert len(server.bodies) == 1, error


def test_what_may_pass_is_tried_again() -> None:
    cases: list[Reply] = [Reply("", 429), Reply("", 500), Reply("", 503), Reply(torn=True)]
    for bad in cases:
        with served(lambda number: bad if number < 2 else Reply()) as server:
            assert ask(server.link) == Reading("九点。", AnswerOutcome.ANSWERED), bad
        assert len(server.bodies) == 3, bad


def test_after_the_third_attempt_it_is_an_error() -> None:
    cases: list[tuple[Reply, str]] = [
        (Reply("", 429), "HTTP 429 from LINK (attempt 3)"),
        (Reply("", 502), "HTTP 502 from LINK (attempt 3)"),
        (Reply(torn=True), "the connection to LINK failed (ClientPayloadError) (attempt 3)"),
    ]
    for bad, error in cases:
        with served(lambda number: bad) as server:
            assert ask(server.link) == failed(error.replace("LINK", server.link)), error
        assert len(server.bodies) == 3, error


def test_a_server_s_wish_to_wait_is_granted() -> None:
    with served(lambda number: Reply("", 429, headers={"retry-after": "0.3"}) if number < 1 else Reply()) as server:
        start = time.perf_counter()
        assert ask(server.link).text == "九点。"
        assert time.perf_counter() - start >= 0.3


@pytest.mark.slow
def test_a_date_to_wait_for_is_granted() -> None:
    # Dates have whole seconds: what is asked for is 2 to 3 seconds away.
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=3), usegmt=True)
    with served(lambda number: Reply("", 503, headers={"retry-after": then}) if number < 1 else Reply()) as server:
        start = time.perf_counter()
        assert ask(server.link).text == "九点。"
        assert time.perf_counter() - start >= 1.5


def test_an_endpoint_that_is_not_there_stops_the_run(nowhere: str) -> None:
    session = LLMSession()
    with pytest.raises(Stopped) as caught:
        ask(nowhere, session=session)
    assert caught.value.exit_code == 3
    start, end = str(caught.value).split(" (ClientConnectorError: ")
    assert start == f"reader 'http:{nowhere}': the endpoint does not answer"
    assert end.endswith("); what is finished is on disk, the same command goes on")
    assert session.signal.asked


def test_an_endpoint_that_goes_away_ends_all_questions_under_way(nowhere: str) -> None:
    ends = read_all(HttpReader(nowhere), 8)
    assert [type(end) for end in ends] == [Stopped] * 8
    assert len({str(end) for end in ends}) == 1


def test_a_lost_connection_beside_replies_is_one_question_s_error(nowhere: str) -> None:
    reader = HttpReader(nowhere)
    ask_once = reader._ask

    async def beside(body: Any, lang: str) -> tuple[str, Reading]:
        # As if another question had its reply while this one tries.
        reader._last_reply = asyncio.get_running_loop().time() + 1.0
        return await ask_once(body, lang)

    reader._ask = beside  # type: ignore[method-assign]
    assert read(reader) == failed(f"the connection to {nowhere} failed (ClientConnectorError) (attempt 3)")
    assert not reader.session.signal.asked


def test_a_stop_ends_the_wait_for_the_next_attempt() -> None:
    session = LLMSession()

    async def stopped() -> None:
        reader = HttpReader(server.link, session=session)
        asyncio.get_running_loop().call_later(0.3, session.signal.ask, "interrupted")
        try:
            await reader.read(QUERY, CONTEXT)
        finally:
            await session.close()

    with served(lambda number: Reply("", 429, headers={"retry-after": "30"})) as server:
        start = time.perf_counter()
        with pytest.raises(Stopped, match="interrupted"):
            asyncio.run(stopped())
        assert time.perf_counter() - start < 10
    assert len(server.bodies) == 1


def test_a_wrong_path_stops_the_run_before_the_first_answer() -> None:
    cases: list[int] = [404, 405]
    for status in cases:
        with served(lambda number: Reply("", status)) as server, pytest.raises(ConfigError) as caught:
            ask(server.link)
        assert str(caught.value) == (
            f"reader 'http:{server.link}': HTTP {status}; check the path of the address, which must take POST"
        ), status
        assert len(server.bodies) == 1, status


def test_after_an_answer_the_same_status_is_one_question_s_error() -> None:
    cases: list[int] = [404, 405]
    for status in cases:
        with served(lambda number: Reply("", status) if number == 1 else Reply()) as server:
            reader = HttpReader(server.link)
            readings = [read(reader) for _ in range(3)]
        good = Reading("九点。", AnswerOutcome.ANSWERED)
        assert readings == [good, failed(f"HTTP {status} from {server.link}"), good], status


def test_an_error_of_the_server_is_no_answer_that_proves_the_path() -> None:
    with served(lambda number: Reply("", 500 if number < 1 else 404)) as server, pytest.raises(ConfigError):
        ask(server.link)
    assert len(server.bodies) == 2


@pytest.mark.usefixtures("fresh_trust")
def test_the_certificates_of_certifi_are_trusted(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certifi.where", lambda: str(certificate))
    with served(lambda number: Reply(), certificate) as server:
        assert server.link.startswith("https://")
        assert ask(server.link).text == "九点。"


@pytest.mark.usefixtures("fresh_trust")
def test_a_certificate_that_nobody_knows_is_not_trusted(certificate: Path) -> None:
    with (
        served(lambda number: Reply(), certificate) as server,
        pytest.raises(Stopped, match=r"does not answer \(ClientConnectorCertificateError: "),
    ):
        ask(server.link)
    assert server.bodies == []


def test_no_cookie_ties_a_question_to_the_one_before() -> None:
    with served(lambda number: Reply(headers={"set-cookie": f"chat={number}"})) as server:
        # Cookies are kept for names alone, not for bare addresses.
        reader = HttpReader(server.link.replace("127.0.0.1", "localhost"))

        async def both() -> None:
            await reader.read(QUERY, CONTEXT)
            await reader.read(QUERY, CONTEXT)
            await reader.session.close()

        asyncio.run(both())
    assert ["cookie" in headers for headers in server.headers] == [False, False]


def test_the_proxy_that_the_environment_names_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with served(lambda number: Reply()) as server:
        monkeypatch.setenv("http_proxy", server.link.removesuffix("/rag/answer"))
        assert ask("http://rag.example/answer").text == "九点。"
    assert server.paths == ["http://rag.example/answer"]


def test_questions_of_one_command_share_their_connections() -> None:
    async def kept() -> None:
        session = LLMSession()
        first, second = (HttpReader(server.link, session=session) for _ in range(2))
        await first.read(QUERY, CONTEXT)
        connections = session.connections()
        await second.read(QUERY, CONTEXT)
        assert session.connections() is connections and not connections.closed
        await session.close()
        assert connections.closed

    with served(lambda number: Reply()) as server:
        asyncio.run(kept())


def test_a_chatbot_answers_outside_a_run() -> None:
    with served(lambda number: Reply()) as server:
        bot = Chatbot(RunConfig(reader=Component("http", server.link))).index([chunk("d1", "补给船九点离开。", "zh")])
        assert [bot.answer(QUERY).text for _ in range(2)] == ["九点。", "九点。"]
    assert [body["query_id"] for body in server.bodies] == ["q7", "q7"]


def test_a_server_that_is_too_slow_is_an_error() -> None:
    with served(lambda number: Reply(delay_s=1.0)) as server:
        assert ask(server.link, timeout_s=0.2) == failed(f"no reply from {server.link} within 0.2 s")
    assert len(server.bodies) == 1


def test_secrets_come_from_the_environment_and_are_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    Path(".env").write_text("RAG_KEY=k3y-from-file\nRAG_TOKEN=not this one\n")
    headers = "Authorization=RAG_TOKEN, X-Api-Key = RAG_KEY"
    with served(lambda number: Reply(SECRET, 400)) as server:
        found = ask(server.link, headers_from_env=headers)
    assert server.headers[0]["authorization"] == SECRET
    assert server.headers[0]["x-api-key"] == "k3y-from-file"
    assert found == failed(f"HTTP 400 from {server.link}")


def test_each_question_leaves_a_trace_without_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    # A short value, as of a tenant, stands in ordinary words; they stay whole.
    monkeypatch.setenv("RAG_TENANT", "4")
    said = f'{{"answer": "九点 {SECRET}", "usage": {{"prompt_tokens": 4, "completion_tokens": 2}}}}'
    replies = [Reply("", 503), Reply(said), Reply("九点。\n", kind="text/plain"), Reply("", 400)]
    session = LLMSession()
    session.traces = kept = KeptTraces()
    with served(lambda number: replies[number]) as server:
        headers = "Authorization=RAG_TOKEN, X-Tenant=RAG_TENANT"
        reader = HttpReader(server.link, headers_from_env=headers, session=session)
        readings = [read(reader) for _ in range(3)]
    assert readings[0].text == "九点 ***"
    assert len({trace.request_hash for trace in kept}) == 1
    common = Trace("reader", server.link, "zh", "q7", request_hash=kept[0].request_hash)
    assert kept == [
        replace(common, raw_reply=said.replace(SECRET, "***"), usage=Usage(4, 2), attempts=2),
        replace(common, raw_reply="九点。\n"),
        replace(common, error=f"HTTP 400 from {server.link}"),
    ]


def test_refused_headers_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[int] = [401, 403]
    for status in cases:
        monkeypatch.setenv("RAG_TOKEN", SECRET)
        with (
            served(lambda number: Reply(SECRET, status)) as server,
            pytest.raises(ConfigError) as caught,
        ):
            ask(server.link, headers_from_env="Authorization=RAG_TOKEN")
        assert str(caught.value) == f"reader 'http:{server.link}': HTTP {status}; check headers_from_env", status


def test_wrong_options_are_told_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("", {}, "reader 'http': its model is no http:// or https:// address; write http:https://HOST/PATH"),
        ("localhost:80/x", {}, "reader 'http': its model is no http"),
        ("http://", {}, "reader 'http': its model is no http"),
        ("http://h:0/", {}, "reader 'http': its model is no http"),
        ("http://h:x/", {}, "reader 'http': its model is no http"),
        (
            "http://me:s3cret@h/",
            {},
            "reader 'http': the address holds a user or password; use headers_from_env instead",
        ),
        ("http://h/x?k=s3cret", {}, NO_QUERY),
        ("http://h?s3cret", {}, NO_QUERY),
        ("http://h/x#s3cret", {}, NO_QUERY),
        ("http://h/x?", {}, NO_QUERY),
        ("http://h/x", {"timeout_s": 0}, "reader 'http:http://h/x': option 'timeout_s' must be above 0, not 0"),
        ("http://h/x", {"timeout_s": -1.5}, "reader 'http:http://h/x': option 'timeout_s' must be above 0, not -1.5"),
        ("http://h/x", {"timeout_s": float("nan")}, "reader 'http:http://h/x': option 'timeout_s' must be above 0"),
        ("http://h/x", {"timeout_s": float("inf")}, "reader 'http:http://h/x': option 'timeout_s' must be above 0"),
        (
            "http://h",
            {"headers_from_env": "s3cret"},
            "reader 'http:http://h': write headers_from_env as HEADER=VARIABLE",
        ),
        ("http://h", {"headers_from_env": "A=B"}, "reader 'http:http://h': B is not set; put it into .env or the env"),
        (
            "http://h",
            {"headers_from_env": "A=BROKEN"},
            "reader 'http:http://h': BROKEN holds characters that no header",
        ),
    ]
    for link, options, message in cases:
        monkeypatch.setenv("BROKEN", "s3cret\nX: y")
        with pytest.raises(ConfigError) as caught:
            HttpReader(link, **options)
        assert str(caught.value).startswith(message), link
        assert "s3cret" not in str(caught.value), link


def test_it_is_made_from_a_configuration() -> None:
    with served(lambda number: Reply()) as server:
        component = Component.parse(f"http:{server.link}", "cfg")
        reader = make("reader", component, seed=1, sampling={}, index_dir=None)
        assert read(reader).text == "九点。"
        slow, calls = Component("http", server.link, {"timeout_s": 3, "headers_from_env": ""}), LLMSession()
        made = make("reader", slow, session=calls)
        assert made.session is calls
        assert read(made).text == "九点。"


@pytest.mark.slow
def test_many_questions_are_under_way_at_once() -> None:
    everybody = threading.Barrier(8)

    def reply(number: int) -> Reply:
        # Nobody is answered before the last one has asked.
        everybody.wait(60)
        return Reply()

    with served(reply) as server:
        assert read_all(HttpReader(server.link), 8) == [Reading("九点。", AnswerOutcome.ANSWERED)] * 8

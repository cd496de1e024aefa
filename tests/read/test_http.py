"""The reader over HTTP, against a real server on the loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from fakes import hits
from ragaliq.components import make
from ragaliq.config import Component
from ragaliq.errors import ConfigError
from ragaliq.read.http import HttpReader
from ragaliq.text.abstention import not_found
from ragaliq.types import AnswerOutcome, Query, Reading, Usage

QUERY = Query("q7", "zh", "补给船几点离开港口？")
CONTEXT = hits("补给船九点离开港口。", "狗必须拴绳。", lang="zh")
SECRET = "Bearer s3cret-t0ken"


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
def served(reply: Callable[[int], Reply]) -> Iterator[Served]:
    """Serve `reply(number of the request from 0)`."""

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
    state = Served(f"http://127.0.0.1:{server.server_port}/rag/answer")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
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
    monkeypatch.chdir(tmp_path)


def ask(link: str, **options: Any) -> Reading:
    return asyncio.run(HttpReader(link, **options).read(QUERY, CONTEXT))


def failed(error: str) -> Reading:
    return Reading("", AnswerOutcome.ERROR, error=error)


def test_question_and_context_are_posted() -> None:
    with served(lambda number: Reply()) as server:
        assert ask(server.link + "?version=2") == Reading("九点。", AnswerOutcome.ANSWERED)
    assert server.bodies == [
        {
            "question": "补给船几点离开港口？",
            "lang": "zh",
            "query_id": "q7",
            "context": [{"doc_id": "d1", "text": "补给船九点离开港口。"}, {"doc_id": "d2", "text": "狗必须拴绳。"}],
        }
    ]
    assert server.paths == ["/rag/answer?version=2"]


@pytest.mark.parametrize(
    ("reply", "reading"),
    [
        (
            Reply('{"answer": " 九点。\\n", "usage": {"prompt_tokens": 40, "completion_tokens": 3}, "more": 1}'),
            Reading("九点。", AnswerOutcome.ANSWERED, Usage(40, 3)),
        ),
        (Reply('{"answer": "九点。", "usage": null}', 201), Reading("九点。", AnswerOutcome.ANSWERED)),
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
    ],
)
def test_json_and_plain_text_are_answers(reply: Reply, reading: Reading) -> None:
    with served(lambda number: reply) as server:
        assert ask(server.link) == reading
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    ("reply", "error"),
    [
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
        (Reply('{"answer": "a", "usage": 7}'), "the reply of LINK has a 'usage' without whole numbers "),
        (Reply(b'{"answer": "\xff"}'), "the reply of LINK is not in the encoding that it names"),
        (Reply("{}", 404), "HTTP 404 from LINK"),
        (Reply("{}", 302, headers={"location": "http://127.0.0.1:1/"}), "HTTP 302 from LINK"),
    ],
)
def test_what_is_no_answer_is_a_typed_error(reply: Reply, error: str) -> None:
    with served(lambda number: reply) as server:
        found = ask(server.link)
    assert (found.text, found.outcome) == ("", AnswerOutcome.ERROR)
    assert found.error.startswith(error.replace("LINK", server.link))
    assert len(server.bodies) == 1


@pytest.mark.parametrize("bad", [Reply("", 429), Reply("", 500), Reply("", 503), Reply(torn=True)])
def test_what_may_pass_is_tried_again(bad: Reply) -> None:
    with served(lambda number: bad if number < 2 else Reply()) as server:
        assert ask(server.link) == Reading("九点。", AnswerOutcome.ANSWERED)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (Reply("", 429), "HTTP 429 from LINK (attempt 3)"),
        (Reply("", 502), "HTTP 502 from LINK (attempt 3)"),
        (Reply(torn=True), "the connection to LINK failed (ClientPayloadError) (attempt 3)"),
    ],
)
def test_after_the_third_attempt_it_is_an_error(bad: Reply, error: str) -> None:
    with served(lambda number: bad) as server:
        assert ask(server.link) == failed(error.replace("LINK", server.link))
    assert len(server.bodies) == 3


def test_a_server_s_wish_to_wait_is_granted() -> None:
    with served(lambda number: Reply("", 429, headers={"retry-after": "0.3"}) if number < 1 else Reply()) as server:
        start = time.perf_counter()
        assert ask(server.link).text == "九点。"
        assert time.perf_counter() - start >= 0.3


def test_a_server_that_is_not_there_is_an_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        link = f"http://127.0.0.1:{free.getsockname()[1]}/rag?key=s3cret"
    shown = link.partition("?")[0]
    assert ask(link) == failed(f"the connection to {shown} failed (ClientConnectorError) (attempt 3)")


def test_a_server_that_is_too_slow_is_an_error() -> None:
    with served(lambda number: Reply(delay_s=1.0)) as server:
        assert ask(server.link, timeout_s=0.2) == failed(f"no reply from {server.link} within 0.2 s")
    assert len(server.bodies) == 1


def test_secrets_come_from_the_environment_and_are_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    Path(".env").write_text("RAG_KEY=k3y-from-file\nRAG_TOKEN=not this one\n")
    headers = "Authorization=RAG_TOKEN, X-Api-Key = RAG_KEY"
    with served(lambda number: Reply("", 404)) as server:
        reader = HttpReader(server.link + "?key=qu3ry", headers_from_env=headers)
        found = asyncio.run(reader.read(QUERY, CONTEXT))
    assert server.headers[0]["authorization"] == SECRET
    assert server.headers[0]["x-api-key"] == "k3y-from-file"
    assert found == failed(f"HTTP 404 from {server.link}")


@pytest.mark.parametrize("status", [401, 403])
def test_refused_headers_stop_the_run(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOKEN", SECRET)
    with served(lambda number: Reply(SECRET, status)) as server, pytest.raises(ConfigError) as caught:
        ask(server.link + "?key=qu3ry", headers_from_env="Authorization=RAG_TOKEN")
    assert str(caught.value) == f"reader 'http:{server.link}': HTTP {status}; check headers_from_env"


@pytest.mark.parametrize(
    ("link", "options", "message"),
    [
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
        (
            "http://h/x?k=s3cret",
            {"timeout_s": 0},
            "reader 'http:http://h/x': option 'timeout_s' must be above 0, not 0",
        ),
        ("http://h/x", {"timeout_s": float("inf")}, "reader 'http:http://h/x': option 'timeout_s' must be above 0"),
        (
            "http://h",
            {"headers_from_env": "s3cret"},
            "reader 'http:http://h': write headers_from_env as HEADER=VARIABLE",
        ),
        ("http://h", {"headers_from_env": "A=B,"}, "reader 'http:http://h': B is not set; put it into .env or the env"),
        (
            "http://h",
            {"headers_from_env": "A=BROKEN"},
            "reader 'http:http://h': BROKEN holds characters that no header",
        ),
    ],
)
def test_wrong_options_are_told_without_secrets(
    link: str, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "s3cret\nX: y")
    with pytest.raises(ConfigError) as caught:
        HttpReader(link, **options)
    assert str(caught.value).startswith(message)
    assert "s3cret" not in str(caught.value)


def test_it_is_made_from_a_configuration() -> None:
    with served(lambda number: Reply()) as server:
        component = Component.parse(f"http:{server.link}", "cfg")
        reader = make("reader", component, seed=1, sampling={}, index_dir=None)
        assert asyncio.run(reader.read(QUERY, CONTEXT)).text == "九点。"
        slow = Component("http", server.link, {"timeout_s": 3, "headers_from_env": ""})
        assert asyncio.run(make("reader", slow).read(QUERY, [])).text == "九点。"


def test_many_questions_are_under_way_at_once() -> None:
    async def both() -> list[Reading]:
        reader = HttpReader(server.link)
        return list(await asyncio.gather(*(reader.read(QUERY, CONTEXT) for _ in range(8))))

    with served(lambda number: Reply(delay_s=0.3)) as server:
        start = time.perf_counter()
        assert [reading.text for reading in asyncio.run(both())] == ["九点。"] * 8
        assert time.perf_counter() - start < 8 * 0.3

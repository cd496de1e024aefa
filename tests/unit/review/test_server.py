"""The server: this machine, this session, this page."""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.review.labels import label_file, read_labels
from ragaliq.review.server import ReviewServer
from ragaliq.review.session import Session
from ragaliq.review.sheets import Choice
from unit.review.small import ALPHA, session, write_runs


@contextmanager
def serving(own: Session) -> Iterator[ReviewServer]:
    with ReviewServer(own) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Browser:
    """Sends requests as the page does, or as somebody else does."""

    def __init__(self, server: ReviewServer) -> None:
        self.server = server
        self.origin = f"http://127.0.0.1:{server.server_port}"

    def get(self, path: str, host: str = "", token: str | None = None) -> tuple[int, str, dict[str, str]]:
        return self._ask("GET", path, None, {"Host": host} if host else {}, token)

    def post(
        self, body: Any, headers: dict[str, str | None] | None = None, token: str | None = None
    ) -> tuple[int, str]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Origin": self.origin, "Content-Type": "application/json"} | (headers or {})
        status, text, _ = self._ask("POST", "label", data, {k: v for k, v in given.items() if v is not None}, token)
        return status, text

    def _ask(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], token: str | None
    ) -> tuple[int, str, dict[str, str]]:
        connection = HTTPConnection("127.0.0.1", self.server.server_port, timeout=10)
        token = self.server.token if token is None else token
        connection.request(method, f"/{token}/{path}", data, headers)
        reply = connection.getresponse()
        text = reply.read().decode()
        connection.close()
        return reply.status, text, dict(reply.getheaders())


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return write_runs(tmp_path)


def test_page_sheet_and_judgement(runs: Path) -> None:
    with session(runs) as own, serving(own) as server:
        browser = Browser(server)
        status, text, headers = browser.get("")
        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert "script-src 'sha256-" in headers["Content-Security-Policy"]
        assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")
        assert "Python" not in headers["Server"]
        first = own.sheets[0]
        status, text, _ = browser.get(f"sheet/{first.sheet_id}")
        assert json.loads(text)["answer"] == first.answer
        assert browser.post({"id": first.sheet_id, "value": 4, "note": "да"}) == (200, '{"saved": true}')
        status, text, _ = browser.get(f"sheet/{first.sheet_id}")
        assert (json.loads(text)["value"], json.loads(text)["note"]) == (4, "да")
        # On disk already, while the session goes on.
        assert [label.value for label in read_labels(label_file(runs, "ada"))] == [4] * len(first.places)


def test_it_listens_on_this_machine_alone(runs: Path) -> None:
    with session(runs) as own, ReviewServer(own) as server:
        assert server.server_address[0] == "127.0.0.1"
        assert server.url == f"http://127.0.0.1:{server.server_port}/{server.token}/"
        assert len(server.token) >= 20
        with ReviewServer(own) as other:
            assert other.token != server.token


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_without_the_token_there_is_nothing(runs: Path, token: str) -> None:
    with session(runs) as own, serving(own) as server:
        browser = Browser(server)
        given = token.encode("utf-8").decode("latin-1") if token.isascii() else "%C3%A9"
        assert browser.get("", token=given)[0] == 403
        assert browser.get(f"sheet/{own.sheets[0].sheet_id}", token=given)[0] == 403
        assert browser.post({"id": own.sheets[0].sheet_id, "value": 4, "note": ""}, token=given)[0] == 403
        assert own.value(own.sheets[0]) is None


def test_another_name_for_this_host_is_refused(runs: Path) -> None:
    with session(runs) as own, serving(own) as server:
        browser = Browser(server)
        port = server.server_port
        assert browser.get("", host=f"localhost:{port}")[0] == 200
        for host in ("attacker.example", f"attacker.example:{port}", "127.0.0.1", f"127.0.0.1:{port}.attacker.example"):
            assert browser.get("", host=host)[0] == 403
        judgement = {"id": own.sheets[0].sheet_id, "value": 4, "note": ""}
        assert browser.post(judgement, {"Host": "attacker.example"})[0] == 403


@pytest.mark.parametrize("origin", [None, "null", "http://attacker.example", "https://127.0.0.1"])
def test_a_judgement_from_another_site_is_refused(runs: Path, origin: str | None) -> None:
    with session(runs) as own, serving(own) as server:
        judgement = {"id": own.sheets[0].sheet_id, "value": 4, "note": ""}
        status, text = Browser(server).post(judgement, {"Origin": origin})
        assert (status, json.loads(text)["error"]) == (403, "a judgement must come from the review page")
        assert own.value(own.sheets[0]) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": 6}, "no judgement"),
        ({"value": True}, "no judgement"),
        ({"value": 2.0}, "no judgement"),
        ({"id": "ffff"}, "no such item"),
        ({"id": 5}, "an id, a value and a note"),
        ({"note": None}, "an id, a value and a note"),
        ({"note": "x" * 2001}, "2000 characters"),
        ({"note": "x" * 270_000}, "shorter"),
    ],
)
def test_what_is_no_judgement_is_refused(runs: Path, change: dict[str, Any], said: str) -> None:
    with session(runs) as own, serving(own) as server:
        status, text = Browser(server).post({"id": own.sheets[0].sheet_id, "value": 4, "note": "", **change})
        assert status == 400
        assert said in json.loads(text)["error"]
    assert not label_file(runs, "ada").exists()


def test_a_body_that_is_no_json_is_refused(runs: Path) -> None:
    with session(runs) as own, serving(own) as server:
        browser = Browser(server)
        for body in (b"", b"{", b"[]", b"[" * 60_000, b'"x"', b"\xff"):
            assert browser.post(body)[0] == 400
        judgement = {"id": own.sheets[0].sheet_id, "value": 4, "note": ""}
        assert browser.post(judgement, {"Content-Type": "text/plain"})[0] == 400
        assert browser.post(judgement, {"Content-Length": "-1"})[0] == 400


@pytest.mark.parametrize("path", ["labels", "../", "review/labels.ada.jsonl", f"{ALPHA}/answers.jsonl", "favicon.ico"])
def test_no_file_is_served(runs: Path, path: str) -> None:
    with session(runs) as own, serving(own) as server:
        assert Browser(server).get(path)[0] == 404


def test_other_methods_are_not_served(runs: Path) -> None:
    with session(runs) as own, serving(own) as server:
        for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
            status, _, _ = Browser(server)._ask(method, "label", None, {}, None)
            assert status == 501


def test_a_taken_port_is_said(runs: Path) -> None:
    with socket.socket() as taken, session(runs) as own:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"--port {port}: cannot be opened"), ReviewServer(own, port):
            pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full disk is simulated by /dev/full")
def test_a_full_disk_is_told_to_the_page(runs: Path) -> None:
    with session(runs) as own, serving(own) as server:
        journal = own._file._journal
        whole, journal._file = journal._file, open("/dev/full", "ab")  # noqa: SIM115
        try:
            status, text = Browser(server).post({"id": own.sheets[0].sheet_id, "value": 4, "note": ""})
        finally:
            full, journal._file = journal._file, whole
            assert full is not None
            with pytest.raises(OSError) as error:
                full.close()
            assert error.value.errno == errno.ENOSPC
        assert (status, json.loads(text)["error"]) == (500, f"Not saved: {os.strerror(errno.ENOSPC)}.")
        assert own.value(own.sheets[0]) is None


def test_judgements_of_several_tabs_come_one_after_the_other(runs: Path) -> None:
    with session(runs, choice=Choice(("fr", "zh"))) as own, serving(own) as server:
        threads = [
            threading.Thread(target=Browser(server).post, args=({"id": sheet.sheet_id, "value": 3, "note": ""},))
            for sheet in own.sheets
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(own.value(sheet) == 3 for sheet in own.sheets)
    assert len(list(read_labels(label_file(runs, "ada")))) == sum(len(sheet.places) for sheet in own.sheets)

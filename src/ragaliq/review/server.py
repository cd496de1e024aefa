"""The review page over HTTP, for this machine only."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ragaliq.errors import InputError
from ragaliq.review.page import served_page, sheet_to_json
from ragaliq.review.session import Session

HOST = "127.0.0.1"
_BODY_BYTES = 64 * 1024
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class ReviewServer(ThreadingHTTPServer):
    """A server of one session on the loopback address.

    The address holds a random token, without which every request is refused. A request must name this host, against
    DNS rebinding, and a judgement must come from this page, against posts of other sites.
    """

    daemon_threads = True

    def __init__(self, session: Session, port: int) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session
        self.token = secrets.token_urlsafe(16)

    @property
    def origins(self) -> tuple[str, str]:
        """The origins under which a browser may know the page."""
        return f"http://{HOST}:{self.server_port}", f"http://localhost:{self.server_port}"

    @property
    def url(self) -> str:
        """The page's address."""
        return f"{self.origins[0]}/{self.token}/"


@contextmanager
def review_server(session: Session, port: int = 0) -> Iterator[ReviewServer]:
    """Open a server for a session; port 0 takes a free one. It serves when it is told to.

    Raises:
        InputError: if the port is taken.
    """
    try:
        server = ReviewServer(session, port)
    except OSError as error:
        raise InputError(
            f"--port {port}: cannot be opened ({error.strerror}); leave it out to take a free one"
        ) from None
    with server:
        yield server


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: ReviewServer
    server_version = "ragaliq"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        """Send the page or a sheet."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Take a judgement."""
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: addresses hold the token, and stderr is for messages."""

    def _answer(self, do: Callable[[str], None]) -> None:
        token, _, path = self.path.removeprefix("/").partition("/")
        known = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode("ascii"))
        if not known or f"http://{self.headers.get('Host')}" not in self.server.origins:
            self._send_json(403, {"error": "not the address of this session; open the one that was printed"})
            return
        try:
            do(path)
        except InputError as error:
            self._send_json(400, {"error": str(error)})
        except ConnectionError:
            self.close_connection = True
        except OSError as error:
            # A full disk: the reviewer is told, and the item stays open.
            self._send_json(500, {"error": f"Not saved: {error.strerror or error}."})

    def _get(self, path: str) -> None:
        session = self.server.session
        if path == "":
            body, policy = served_page(session)
            self._send(200, body, "text/html; charset=utf-8", policy)
        elif path.startswith("sheet/"):
            self._send_json(200, sheet_to_json(session, session.sheet(path.removeprefix("sheet/"))))
        else:
            self._send_json(404, {"error": "no such page"})

    def _post(self, path: str) -> None:
        if path != "label":
            self._send_json(404, {"error": "no such page"})
        elif self.headers.get("Origin") not in self.server.origins:
            self._send_json(403, {"error": "a judgement must come from the review page"})
        else:
            body = self._body()
            self.server.session.judge(body["id"], body["value"], body["note"])
            self._send_json(200, {"saved": True})

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Content-Type") != "application/json" or not length.isdecimal():
            raise InputError("a judgement is JSON")
        if int(length) > _BODY_BYTES:
            raise InputError("a judgement is shorter than that")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if isinstance(body, dict) and "value" in body and all(isinstance(body.get(key), str) for key in ("id", "note")):
            return body
        raise InputError("a judgement has an id, a value and a note")

    def _send_json(self, status: int, value: Any) -> None:
        self._send(status, json.dumps(value).encode("ascii"), "application/json", "default-src 'none'")

    def _send(self, status: int, body: bytes, kind: str, policy: str) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for name, text in (headers | _HEADERS).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

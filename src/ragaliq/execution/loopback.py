"""A page over HTTP, for the person at this machine only."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ragaliq.errors import InputError

HOST = "127.0.0.1"
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class LoopbackServer(ThreadingHTTPServer):
    """A server on the loopback address.

    The address holds a random token, without which every request is refused. A request must name this host, against
    DNS rebinding.
    """

    daemon_threads = True

    def __init__(self, port: int, handler: type[LoopbackHandler]) -> None:
        """Open a port; 0 takes a free one.

        Raises:
            InputError: if the port is taken.
        """
        try:
            super().__init__((HOST, port), handler)
        except OSError as error:
            raise InputError(
                f"--port {port}: cannot be opened ({error.strerror}); leave it out to take a free one"
            ) from None
        self.token = secrets.token_urlsafe(16)

    @property
    def origins(self) -> tuple[str, str]:
        """The origins under which a browser may know the page."""
        return f"http://{HOST}:{self.server_port}", f"http://localhost:{self.server_port}"

    @property
    def url(self) -> str:
        """The page's address."""
        return f"{self.origins[0]}/{self.token}/"


class LoopbackHandler(BaseHTTPRequestHandler):
    """Answers one request, by the `do_GET` or `do_POST` of a subclass, which call `answer`."""

    server: LoopbackServer
    server_version = "ragaliq"
    sys_version = ""
    timeout = 60

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: addresses hold the token, and stderr is for messages."""

    def answer(self, do: Callable[[str], None], failure: str) -> None:
        """Let `do` answer the request to the path behind the token; `failure` begins the message of a system error."""
        token, _, path = self.path.removeprefix("/").partition("/")
        known = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode("ascii"))
        if not known or f"http://{self.headers.get('Host')}" not in self.server.origins:
            self.send_json(403, {"error": "not the address of this session; open the one that was printed"})
            return
        try:
            do(path)
        except InputError as error:
            self.send_json(400, {"error": str(error)})
        except ConnectionError:
            self.close_connection = True
        except OSError as error:
            self.send_json(500, {"error": f"{failure}: {error.strerror or error}."})

    def send_json(self, status: int, value: Any) -> None:
        """Answer with a value."""
        self.send(status, json.dumps(value).encode("ascii"), "application/json", "default-src 'none'")

    def send(self, status: int, body: bytes, kind: str, policy: str) -> None:
        """Answer with a body of this content type under a content security policy."""
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for name, text in (headers | _HEADERS).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

"""The review page over HTTP, for this machine only."""

from __future__ import annotations

import json
from typing import Any

from ragaliq.errors import InputError
from ragaliq.execution.loopback import LoopbackHandler, LoopbackServer
from ragaliq.review.page import served_page, sheet_to_json
from ragaliq.review.session import Session

# A corrected translation of a long chunk comes with its source.
_BODY_BYTES = 256 * 1024
# A full disk: the reviewer is told, and the item stays open.
_FAILURE = "Not saved"


class ReviewServer(LoopbackServer):
    """A server of one session; a judgement must come from its page, against posts of other sites."""

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__(port, _Handler)
        self.session = session


class _Handler(LoopbackHandler):
    """Answers one request."""

    server: ReviewServer

    def do_GET(self) -> None:
        """Send the page or a sheet."""
        self.answer(self._get, _FAILURE)

    def do_POST(self) -> None:
        """Take a judgement."""
        self.answer(self._post, _FAILURE)

    def _get(self, path: str) -> None:
        session = self.server.session
        if path == "":
            body, policy = served_page(session)
            self.send(200, body, "text/html; charset=utf-8", policy)
        elif path.startswith("sheet/"):
            self.send_json(200, sheet_to_json(session, session.sheet(path.removeprefix("sheet/"))))
        else:
            self.send_json(404, {"error": "no such page"})

    def _post(self, path: str) -> None:
        if path != "label":
            self.send_json(404, {"error": "no such page"})
        elif self.headers.get("Origin") not in self.server.origins:
            self.send_json(403, {"error": "a judgement must come from the review page"})
        else:
            body = self._body()
            self.server.session.judge(body["id"], body["value"], body["note"])
            self.send_json(200, {"saved": True})

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

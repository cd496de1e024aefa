"""The page of runs over HTTP, for this machine only; it is read, never written to."""

from __future__ import annotations

from ragaliq.execution.loopback import LoopbackHandler, LoopbackServer
from ragaliq.report.html.followed_runs import FollowedRuns
from ragaliq.report.html.page_file import live_page

_FAILURE = "Not read"


class PageServer(LoopbackServer):
    """A server of the page of some runs: the page, how far the runs are (`status`), the page's data anew (`data`)."""

    def __init__(self, runs: FollowedRuns, port: int = 0) -> None:
        super().__init__(port, _Handler)
        self.runs = runs


class _Handler(LoopbackHandler):
    """Answers one request."""

    server: PageServer

    def do_GET(self) -> None:
        """Send the page, or what has become of the runs since."""
        self.answer(self._get, _FAILURE)

    def _get(self, path: str) -> None:
        runs = self.server.runs
        if path == "":
            body, policy = live_page(runs.page())
            self.send(200, body, "text/html; charset=utf-8", policy)
        elif path == "status":
            self.send_json(200, runs.status())
        elif path == "data":
            data = runs.page()
            self.send_json(200, {"overview": data.overview, **data.blocks})
        else:
            self.send_json(404, {"error": "no such page"})

"""A local OpenAI-compatible endpoint with a fixed latency and, if wanted, a rate limit; it counts what it is asked.

It runs in a process of its own and prints its port when it is ready. `GET /stats` gives the counts, `POST /reset` sets
them to zero; everything else is answered as a chat request. With `--fault` it is the endpoint of `misbehaving.py`
instead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from dataclasses import dataclass, field

from aiohttp import web

from misbehaving import Misbehaving
from replies import Replies

_REFUSAL = json.dumps({"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}})


@dataclass
class Counts:
    """What the endpoint has seen since the last reset; times in seconds on its own clock, `received` in bytes."""

    requests: int = 0
    received: int = 0
    limited: int = 0
    replies: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    connections: set[object] = field(default_factory=set)
    first_request: float = 0.0
    last_reply: float = 0.0

    def to_json(self) -> dict[str, float]:
        """Return the counts, the mean size of a request, and the time from the first request to the last reply."""
        return {
            "requests": self.requests,
            "request_kb": round(self.received / max(1, self.requests) / 1000, 2),
            "limited": self.limited,
            "replies": self.replies,
            "max_in_flight": self.max_in_flight,
            "connections": len(self.connections),
            "busy_s": round(max(0.0, self.last_reply - self.first_request), 4),
        }


class TokenBucket:
    """A rate limit: `burst` tokens at first and at most, `rate` new ones a second, one for each request."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._at = burst, time.monotonic()

    def take(self) -> bool:
        """Take a token if there is one."""
        now = time.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Endpoint:
    """The handler of all requests."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._replies = Replies(options.reply)
        self._reset()

    def _reset(self) -> None:
        self._counts = Counts()
        rate = self._options.rate
        self._bucket = TokenBucket(rate, self._options.burst) if rate else None

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        if request.path == "/stats":
            return web.json_response(self._counts.to_json())
        if request.path == "/reset":
            self._reset()
            return web.Response()
        if not request.path.endswith("/chat/completions"):
            return web.Response(status=404)
        counts = self._counts
        counts.first_request = counts.first_request or time.monotonic()
        counts.requests += 1
        if request.transport is not None:
            counts.connections.add(request.transport.get_extra_info("peername"))
        try:
            body = await request.read()
        except ConnectionError:  # The tool has given up.
            return web.Response()
        counts.received += len(body)
        if self._bucket is not None and not self._bucket.take():
            counts.limited += 1
            return self._refusal()
        counts.in_flight += 1
        counts.max_in_flight = max(counts.max_in_flight, counts.in_flight)
        try:
            await asyncio.sleep(self._options.latency)
            reply = web.Response(body=self._replies.to(body), content_type="application/json")
        finally:
            counts.in_flight -= 1
        counts.replies += 1
        counts.last_reply = time.monotonic()
        return reply

    def _refusal(self) -> web.Response:
        wait = self._options.retry_after
        headers = {} if wait == "none" else {"Retry-After": wait}
        return web.Response(status=429, text=_REFUSAL, content_type="application/json", headers=headers)


async def serve(options: argparse.Namespace) -> None:
    """Serve on a free port of the loopback until the process is ended."""
    # The low-level server without routes and access log: it shares the cores with what is measured.
    handle = Misbehaving(options.fault, options.latency).handle if options.fault else Endpoint(options).handle
    runner = web.ServerRunner(web.Server(handle, access_log=None))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--latency", type=float, default=0.05, metavar="S", help="seconds that each reply takes (default: .05)")
    add("--rate", type=float, default=0.0, metavar="R", help="requests a second above which it says 429 (0: no limit)")
    add("--burst", type=float, default=20.0, metavar="B", help="requests allowed at once within that rate (20)")
    add("--retry-after", default="none", metavar="S", help="the Retry-After header of a 429: none, or seconds")
    add(
        "--reply",
        metavar="TEXT",
        help="the text of every reply (default: a grade, in the form that a request asks for)",
    )
    add("--fault", metavar="NAME", help="grade each answer as `truth.py` says, and fail as this fault of it does")
    try:
        asyncio.run(serve(parser.parse_args()))
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()

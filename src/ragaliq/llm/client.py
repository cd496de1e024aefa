"""One client for every OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import importlib
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from ragaliq.errors import ConfigError
from ragaliq.llm.budget import greatest_cost
from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.call_trace import call_trace
from ragaliq.llm.dialect import MAX_TOKENS, Dialect, Request
from ragaliq.llm.endpoint import read_endpoint
from ragaliq.llm.limiter import Limiter
from ragaliq.llm.reply import CallFailed, Reply, read_reply, read_usage, read_vectors, reply_from_row, reply_to_row
from ragaliq.llm.session import LLMSession
from ragaliq.llm.tokens import estimate_chat, estimate_tokens
from ragaliq.llm.transport import Fault, FaultKind, is_alive, post

TIMEOUT_S = 120.0
ATTEMPTS = 5
# A reply that never comes costs the most time.
_ATTEMPTS_PER = {FaultKind.TIMEOUT: 2}
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0
# How long an endpoint may refuse everything for too many requests before the command stops.
PATIENCE_S = 300.0
# Signs that the endpoint is gone; an error of the server itself may be due to the one request.
_SILENT = {FaultKind.UNAVAILABLE, FaultKind.UNREACHABLE, FaultKind.CONNECTION, FaultKind.TIMEOUT}
# Nothing came of them, but the endpoint may have worked, and bill it.
_BILLED = {FaultKind.TIMEOUT, FaultKind.CONNECTION, FaultKind.MALFORMED}
_PASSING = _SILENT | {FaultKind.SERVER, FaultKind.MALFORMED}
_PROBE_S = 10.0
_GONE = "the endpoint does not answer"
Value = TypeVar("Value")


@dataclass(slots=True)
class _Tries:
    """How a call stands: what was sent and when, how often it failed, and how much of its attempts that took.

    Refusals for too many requests do not count, nor do requests that taught what the endpoint does not take: how many
    of them there are depends on what else is under way.
    """

    sent: dict[str, Any] = field(default_factory=dict)
    sent_at: float = -1.0
    first_sent: float = -1.0
    failed: int = 0
    counted: int = 0


class LLMClient:
    """Sends requests for one role, bounded in number, time, attempts and money; replies are kept in the cache."""

    def __init__(self, role: str, model: str, session: LLMSession | None = None, timeout_s: float = TIMEOUT_S) -> None:
        self.session = session or LLMSession()
        self.role = role
        self.endpoint = read_endpoint(role, model, self.session.planned)
        self.price = self.session.prices.of(self.endpoint.model) if self.session.prices else None
        if self.session.budget.most is not None and self.price is None and not self.session.planned:
            raise ConfigError(
                f"--max-cost: the price file does not know '{self.endpoint.model}'; --prices FILE names another"
            )
        if not 0 < timeout_s < float("inf"):
            raise ConfigError(f"{role} '{self.endpoint.model}': option 'timeout_s' must be above 0, not {timeout_s:g}")
        if not self.session.planned:
            # Now rather than at the first call: loading is no part of the work.
            importlib.import_module("aiohttp")
        self.limiter = Limiter(self.session.concurrency)
        self._timeout_s = timeout_s
        self._dialect = Dialect(self.endpoint.model)
        self._last_reply = float("-inf")

    async def complete(self, request: Request, accept: Callable[[Reply], bool] = lambda reply: True) -> Reply:
        """Return the model's reply to a chat; one that `accept` takes is kept in the cache.

        What may pass by itself (rate limits, errors of the server, lost connections, time-outs, broken replies) is
        tried again.

        Raises:
            ConfigError: if the endpoint refuses the token or does not know the model; no later call can succeed.
            CallFailed: if there is no reply after the last attempt, or the request itself is refused.
            Stopped: if the endpoint is gone, the budget is spent, or the stop was asked for.
        """
        key = self.cache_key(request)
        reply = self._cached_reply(key)
        if reply is None:
            most = self.greatest_cost(request)
            with self._failure_traced(request, key):
                reply = await self._ask("/chat/completions", lambda: self._dialect.body(request), read_reply, most)
            if self.session.cache and accept(reply):
                self.session.cache.put(key, reply_to_row(reply))
        else:
            self.session.account(self.role).cached += 1
        self._trace(request, key, reply)
        return reply

    async def embed(
        self, texts: Sequence[str], accept: Callable[[list[Any]], bool] = lambda vectors: True
    ) -> list[Any]:
        """Return the endpoint's vector of each text as it came; vectors that `accept` takes are kept in the cache.

        Raises:
            ConfigError, CallFailed, Stopped: as `complete`.
        """
        request = Request((), {"texts": len(texts)})
        key = ResponseCache.key({"model": self.endpoint.model, "input": list(texts), "embed": True})
        row, attempts = self.session.cache.get(key) if self.session.cache else None, 1
        if row is None:
            body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
            most = greatest_cost(self.price, sum(map(estimate_tokens, texts)), 0)
            with self._failure_traced(request, key):
                read = partial(read_vectors, count=len(texts))
                reply = await self._ask("/embeddings", lambda: self._dialect.taken_of(body), read, most)
            row, attempts = reply
            if self.session.cache and accept(row["vectors"]):
                self.session.cache.put(key, row)
        else:
            self.session.account(self.role).cached += 1
        self._trace(request, key, Reply("", "", attempts=attempts, usage=read_usage(row["usage"])))
        return list(row["vectors"])

    def is_cached(self, request: Request) -> bool:
        """Return whether the cache holds the reply to a request."""
        return self._cached_reply(self.cache_key(request)) is not None

    def cache_key(self, request: Request) -> str:
        """Return the cache's key of a request."""
        return ResponseCache.key({"model": self.endpoint.model, "chat": list(request.messages),
                                  "parameters": dict(request.parameters), "schema": request.schema})  # fmt: skip

    def greatest_cost(self, request: Request) -> float:
        """Return what a request costs if the model writes as much as it may, in US dollars; 0 without a price."""
        if self.price is None:
            return 0.0
        most = max((int(request.parameters.get(name) or 0) for name in MAX_TOKENS), default=0)
        return greatest_cost(self.price, estimate_chat(request.messages), most)

    def _cached_reply(self, key: str) -> Reply | None:
        row = self.session.cache.get(key) if self.session.cache else None
        return None if row is None else reply_from_row(row)

    def _trace(self, request: Request, key: str, result: Reply | CallFailed) -> None:
        if self.session.traces is not None:
            self.session.traces.append(call_trace(self.role, self.endpoint, request, key, result))

    @contextmanager
    def _failure_traced(self, request: Request, key: str) -> Iterator[None]:
        try:
            yield
        except CallFailed as failure:
            self._trace(request, key, failure)
            raise

    async def _ask(
        self, path: str, body: Callable[[], dict[str, Any]], read: Callable[[dict[str, Any], int], Value], most: float
    ) -> Value:
        """Send until a reply comes that `read` understands, and return what it makes of it and of the attempts.

        `most` is what the call may cost, in US dollars.
        """
        tries = _Tries()
        while True:
            answer = await self._send(path, body, most, tries)
            if isinstance(answer, dict):
                try:
                    value = read(answer, tries.failed + 1)
                except (AttributeError, LookupError, TypeError, ValueError):
                    answer = Fault(FaultKind.MALFORMED, "the reply holds no choices or vectors")
                else:
                    self._last_reply = asyncio.get_running_loop().time()
                    self._dialect.taken(tries.sent)
                    return value
            if not self._dialect.adjust(answer, tries.sent):
                await self._wait_or_fail(answer, tries)

    async def _send(
        self, path: str, body: Callable[[], dict[str, Any]], most: float, tries: _Tries
    ) -> dict[str, Any] | Fault:
        """Send one request within budget and window, and return what came back."""
        signal, spent = self.session.signal, 0.0
        await self.session.budget.set_aside(most, signal)
        try:
            tries.sent_at = await self.limiter.acquire(signal, again=tries.first_sent >= 0)
            tries.first_sent = tries.sent_at if tries.first_sent < 0 else tries.first_sent
            try:
                # Built only now: while this request waited, others may have taught what to leave out.
                tries.sent = body()
                # Whoever stops here may have been billed.
                spent = most
                answer = await post(self.session.connections(), self.endpoint, path, tries.sent, self._timeout_s)
                # Update the window before releasing the slot, so that the next waiter sees the new limit.
                if isinstance(answer, dict):
                    self.limiter.succeeded()
                elif answer.kind is FaultKind.RATE_LIMIT:
                    self.limiter.refused(tries.sent_at, answer.wait_s)
            finally:
                self.limiter.release()
            spent = 0.0
            if isinstance(answer, dict) or answer.kind in _BILLED:
                usage = read_usage(answer.get("usage")) if isinstance(answer, dict) else None
                spent = self.session.account(self.role).enter(usage, self.price, most)
            return answer
        finally:
            self.session.budget.settle(most, spent)

    async def _wait_or_fail(self, fault: Fault, tries: _Tries) -> None:
        """Wait before the next attempt, or raise."""
        if fault.kind is FaultKind.RATE_LIMIT:
            await self._wait_for_room(fault, tries)
            return
        # An endpoint that has answered before knows token and model: it is this request that it refuses.
        known = self._last_reply > float("-inf") and not fault.message.startswith("HTTP 401")
        if fault.kind is FaultKind.ACCESS and not known:
            raise ConfigError(f"{self.role} '{self.endpoint.model}': {fault.message}; check TOKEN, link and model")
        if fault.kind is FaultKind.QUOTA:
            self._stop(fault.message, " when there is credit again")
        backoff = _FIRST_WAIT_S * 2**tries.counted * random.uniform(0.5, 1.5)
        tries.failed += 1
        tries.counted += _ATTEMPTS_PER.get(fault.kind, 1)
        if fault.kind in _PASSING and tries.counted < ATTEMPTS:
            await self.session.signal.sleep(min(_LONGEST_WAIT_S, fault.wait_s or backoff))
            return
        if fault.kind in _PASSING:
            await self._stop_if_gone(fault, tries.sent_at)
        raise CallFailed(fault.kind, fault.message, tries.failed)

    async def _wait_for_room(self, fault: Fault, tries: _Tries) -> None:
        if tries.sent_at - max(tries.first_sent, self._last_reply) > PATIENCE_S:
            self._stop(f"{_GONE} (nothing but rate limits for {PATIENCE_S:g} s ({fault.message}))")
        if fault.wait_s:
            # Not all at once: the refused requests of one moment are many.
            await self.session.signal.sleep(min(_LONGEST_WAIT_S, fault.wait_s * random.uniform(1.0, 1.3)))

    async def _stop_if_gone(self, fault: Fault, sent_at: float) -> None:
        """Stop if the endpoint is gone; if other calls got replies meanwhile, the fault is this request's."""
        if fault.kind not in _SILENT or self._last_reply > sent_at:
            return
        if not await is_alive(self.session.connections(), self.endpoint, min(_PROBE_S, self._timeout_s)):
            self._stop(f"{_GONE} ({fault.message})")

    def _stop(self, why: str, when: str = "") -> None:
        self.session.signal.ask(
            f"{self.role} '{self.endpoint.model}': {why}; what is finished is on disk, the same command goes on{when}"
        )
        self.session.signal.check()

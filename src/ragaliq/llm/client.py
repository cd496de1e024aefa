"""One client for every OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import importlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.llm.budget import greatest_cost
from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.call_trace import call_trace
from ragaliq.llm.dialect import MAX_TOKENS, Dialect, Request
from ragaliq.llm.endpoint import Endpoint, read_endpoint
from ragaliq.llm.limiter import Limiter
from ragaliq.llm.reply import CallFailed, Reply, read_reply, read_usage, reply_from_row, reply_to_row
from ragaliq.llm.session import LLMSession
from ragaliq.llm.tokens import estimate_chat, estimate_tokens
from ragaliq.llm.transport import Fault, FaultKind, is_alive, post

TIMEOUT_S = 120.0
ATTEMPTS = 5
# A reply that never comes costs the most time.
_ATTEMPTS_PER = {FaultKind.TIMEOUT: 2}
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0
# So long may an endpoint refuse everything for too many requests before the command stops.
PATIENCE_S = 300.0
# Signs that nobody is there; an error of the server itself may be due to the one request.
_SILENT = {FaultKind.UNAVAILABLE, FaultKind.UNREACHABLE, FaultKind.CONNECTION, FaultKind.TIMEOUT}
# Nothing came of them, but the endpoint may have worked, and bill it.
_BILLED = {FaultKind.TIMEOUT, FaultKind.CONNECTION, FaultKind.MALFORMED}
_PASSING = _SILENT | {FaultKind.SERVER, FaultKind.MALFORMED}
_PROBE_S = 10.0


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
        self.endpoint: Endpoint = read_endpoint(role, model, self.session.planned)
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
        kept = self.session.cache.get(key) if self.session.cache else None
        cached = None if kept is None else reply_from_row(kept)
        if cached is not None:
            self.session.account(self.role).cached += 1
            self._trace(request, key, cached)
            return cached
        aside = self.greatest_cost(request)
        try:
            value, attempts = await self._ask(
                "/chat/completions", lambda: self._dialect.body(request), _is_completion, aside
            )
        except CallFailed as failure:
            self._trace(request, key, failure)
            raise
        reply = read_reply(value, attempts)
        self._trace(request, key, reply)
        if self.session.cache and accept(reply):
            self.session.cache.put(key, reply_to_row(reply))
        return reply

    async def embed(
        self, texts: Sequence[str], accept: Callable[[list[Any]], bool] = lambda vectors: True
    ) -> list[Any]:
        """Return the endpoint's vector of each text as it came; vectors that `accept` takes are kept in the cache.

        Raises:
            ConfigError, CallFailed, Stopped: as `complete`.
        """
        key = ResponseCache.key({"model": self.endpoint.model, "input": list(texts), "embed": True})
        traced = Request((), {"texts": len(texts)})
        kept = self.session.cache.get(key) if self.session.cache else None
        if kept is not None:
            self.session.account(self.role).cached += 1
            self._trace(traced, key, Reply("", "", usage=read_usage(kept.get("usage"))))
            return list(kept["vectors"])
        body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float"}
        aside = greatest_cost(self.price, sum(estimate_tokens(text) for text in texts), 0)
        try:
            value, n = await self._ask("/embeddings", lambda: body, lambda v: _is_embeddings(v, len(texts)), aside)
        except CallFailed as failure:
            self._trace(traced, key, failure)
            raise
        self._trace(traced, key, Reply("", "", attempts=n, usage=read_usage(value.get("usage"))))
        vectors = [row["embedding"] for row in sorted(value["data"], key=lambda row: row.get("index", 0))]
        if self.session.cache and accept(vectors):
            self.session.cache.put(key, {"vectors": vectors, "usage": value.get("usage")})
        return vectors

    def _trace(self, request: Request, key: str, result: Reply | CallFailed) -> None:
        if self.session.traces is not None:
            self.session.traces.append(call_trace(self.role, self.endpoint, request, key, result))

    def is_cached(self, request: Request) -> bool:
        """Tell whether the cache holds the reply to a request."""
        return self.session.cache is not None and self.session.cache.get(self.cache_key(request)) is not None

    def cache_key(self, request: Request) -> str:
        """Return the cache's key of a request."""
        return ResponseCache.key({"model": self.endpoint.model, "chat": list(request.messages),
                                  "parameters": dict(request.parameters), "schema": request.schema})  # fmt: skip

    def greatest_cost(self, request: Request) -> float:
        """Return what a request costs if the model writes as much as it may, in US dollars; 0 without a price."""
        if self.price is None:
            return 0.0
        most = max((int(request.parameters.get(name) or 0) for name in MAX_TOKENS), default=0)
        return greatest_cost(self.price, estimate_chat(list(request.messages)), most)

    def _book(self, found: dict[str, Any] | Fault, aside: float) -> float:
        """Enter a call into the account, and return its cost; without a report of the endpoint it cost the most."""
        if isinstance(found, Fault) and found.kind not in _BILLED:
            return 0.0
        account = self.session.account(self.role)
        account.calls += 1
        usage = None if isinstance(found, Fault) else read_usage(found.get("usage"))
        if usage is None:
            account.unreported += 1
        else:
            account.prompt_tokens += usage.prompt_tokens
            account.completion_tokens += usage.completion_tokens
        cost = aside if usage is None or self.price is None else self.price.cost(usage)
        account.cost_usd = None if self.price is None or account.cost_usd is None else account.cost_usd + cost
        return cost

    async def _ask(
        self, path: str, body: Callable[[], dict[str, Any]], whole: Callable[[dict[str, Any]], bool], aside: float
    ) -> tuple[dict[str, Any], int]:
        """Send until a whole reply comes, and return it with the number of attempts that it took."""
        tries = _Tries()
        while True:
            found = await self._send(path, body, aside, tries)
            if isinstance(found, dict) and whole(found):
                self._last_reply = asyncio.get_running_loop().time()
                self._dialect.taken(tries.sent)
                return found, tries.failed + 1
            if isinstance(found, dict):
                found = Fault(FaultKind.MALFORMED, "the reply holds no choices or vectors")
            if not self._dialect.adjust(found, tries.sent):
                await self._wait_or_fail(found, tries)

    async def _send(
        self, path: str, body: Callable[[], dict[str, Any]], aside: float, tries: _Tries
    ) -> dict[str, Any] | Fault:
        """Send one request within budget and window, and return what came back."""
        signal, spent = self.session.signal, 0.0
        await self.session.budget.set_aside(aside, signal)
        try:
            tries.sent_at = await self.limiter.acquire(signal, again=tries.first_sent >= 0)
            tries.first_sent = tries.sent_at if tries.first_sent < 0 else tries.first_sent
            try:
                # Only now: what is left out may have been learnt while this one stood in line.
                tries.sent = body()
                # Whoever stops here may have been billed.
                spent = aside
                found = await post(self.session.connections(), self.endpoint, path, tries.sent, self._timeout_s)
                # Before the place is given back: whoever gets it is already bound by the new window.
                if isinstance(found, dict):
                    self.limiter.succeeded()
                elif found.kind is FaultKind.RATE_LIMIT:
                    self.limiter.refused(tries.sent_at, found.wait_s)
            finally:
                self.limiter.release()
            spent = self._book(found, aside)
            return found
        finally:
            self.session.budget.settle(aside, spent)

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
            self.session.signal.ask(
                f"{self.role} '{self.endpoint.model}': {fault.message}; what is finished is on disk, the same command "
                "goes on when there is credit again"
            )
            self.session.signal.check()
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
            self._stop(f"nothing but rate limits for {PATIENCE_S:g} s ({fault.message})")
        if fault.wait_s:
            # Not all at once: the refused requests of one moment are many.
            await self.session.signal.sleep(min(_LONGEST_WAIT_S, fault.wait_s * random.uniform(1.0, 1.3)))

    async def _stop_if_gone(self, fault: Fault, sent_at: float) -> None:
        """Stop if a call was given up because nobody is there; if others got replies meanwhile, it is this request."""
        if fault.kind not in _SILENT or self._last_reply > sent_at:
            return
        if not await is_alive(self.session.connections(), self.endpoint, min(_PROBE_S, self._timeout_s)):
            self._stop(fault.message)

    def _stop(self, why: str) -> None:
        self.session.signal.ask(
            f"{self.role} '{self.endpoint.model}': the endpoint does not answer ({why}); what is finished is on disk, "
            "the same command goes on"
        )
        self.session.signal.check()


def _is_completion(value: Mapping[str, Any]) -> bool:
    choices = value.get("choices")
    return isinstance(choices, list) and bool(choices) and isinstance(choices[0], dict) and "message" in choices[0]


def _is_embeddings(value: Mapping[str, Any], count: int) -> bool:
    rows = value.get("data")
    whole = isinstance(rows, list) and all(isinstance(row, dict) and "embedding" in row for row in rows)
    return whole and len(rows or ()) == count

"""One client for every OpenAI-compatible endpoint."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from ragaliq.errors import ConfigError
from ragaliq.llm.batches import SHARE
from ragaliq.llm.budget import greatest_cost
from ragaliq.llm.cache import EndpointReplies, ResponseCache
from ragaliq.llm.call_trace import call_trace
from ragaliq.llm.connections.transport import Fault, FaultKind, is_alive, post
from ragaliq.llm.dialect import Dialect, Request
from ragaliq.llm.endpoints.call_options import DEFAULT_OPTIONS, MAX_TOKENS, CallOptions
from ragaliq.llm.endpoints.endpoint import read_endpoint
from ragaliq.llm.limiter import Limiter
from ragaliq.llm.replies.reply import (
    CallFailed,
    Reply,
    read_reply,
    read_usage,
    read_vectors,
    reply_from_row,
    reply_to_row,
    vectors_from_row,
)
from ragaliq.llm.retry import REFUSALS, RetryPolicy, Tries
from ragaliq.llm.session import LLMSession
from ragaliq.llm.tokens import estimate_chat, estimate_tokens

# Nothing came of them, but the endpoint may have worked, and bill it.
_BILLED = {FaultKind.TIMEOUT, FaultKind.CONNECTION, FaultKind.MALFORMED, FaultKind.TOO_LONG}
_PROBE_S = 10.0
Value = TypeVar("Value")


class LLMClient:
    """Sends requests for one role, bounded in number, time, attempts and money; replies are kept in the cache."""

    def __init__(
        self, role: str, model: str, session: LLMSession | None = None, options: CallOptions = DEFAULT_OPTIONS
    ) -> None:
        self.session = session or LLMSession()
        self.role = role
        self.options = options
        self._model = model
        self.bind()
        self._dialect = Dialect(self.endpoint.model, options.extra_body)
        self.session.callers.add(self)

    def bind(self) -> None:
        """Read endpoint, price, cache and limits from the session.

        Raises:
            ConfigError: if the endpoint is not known, or its model has no price where there is a budget.
        """
        session, role = self.session, self.role
        self.endpoint = read_endpoint(role, self._model, self.options, session.planned, session.client_of(role))
        self.price = session.prices.of(self.endpoint.model) if session.prices else None
        if self.price is not None and session.batches is not None and role != "embedder":
            self.price = self.price.times(SHARE)
        if session.budget.most is not None and self.price is None and not session.planned:
            raise ConfigError(
                f"--max-cost: the price file does not know '{self.endpoint.model}'; --prices FILE names another"
            )
        if not session.planned:
            # Now rather than at the first call: loading is no part of the work.
            importlib.import_module("openai")
        self.limiter = Limiter(session.concurrency)
        self._replies = EndpointReplies(session.cache, self.endpoint.address)
        self._retry = RetryPolicy(role, self.endpoint, session.signal, self.limiter, self._is_alive)

    @property
    def name(self) -> str:
        """The model's name in results; further keys of the body make it another one."""
        more = f"+{ResponseCache.key(self.options.extra_body)[:6]}" if self.options.extra_body else ""
        return f"openai:{self.endpoint.model}{more}"

    async def complete(self, request: Request, accept: Callable[[Reply], bool] = lambda reply: True) -> Reply:
        """Return the model's reply to a chat; one that `accept` takes is kept in the cache.

        What may pass by itself (rate limits, errors of the server, lost connections, time-outs, broken replies) is
        tried again.

        Raises:
            ConfigError: if the endpoint refuses the token or does not know the model; no later call can succeed.
            CallFailed: if there is no reply after the last attempt, or the request itself is refused.
            Stopped: if the endpoint is gone, the budget is spent, or the stop was asked for.
        """
        key = self.request_hash(request)
        reply = self._cached_reply(key)
        if reply is None:
            with self._failure_traced(request, key):
                reply = self._masked(await self._dialect.ask(request, self._ask_chat))
            if accept(reply):
                self._replies.put(key, reply_to_row(reply))
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
        key = self._key({"input": list(texts), "embed": True})
        row, attempts = vectors_from_row(self._replies.get(key), len(texts)), 1
        if row is None:
            body = {"model": self.endpoint.model, "input": list(texts), "encoding_format": "float",
                    **self.options.extra_body}  # fmt: skip
            most = greatest_cost(self.price, sum(map(estimate_tokens, texts)), 0)
            with self._failure_traced(request, key):
                read = partial(read_vectors, count=len(texts))
                reply = await self._ask("/embeddings", lambda: self._dialect.taken_of(body), read, most)
            row, attempts = reply
            if accept(row["vectors"]):
                self._replies.put(key, row)
        else:
            self.session.account(self.role).cached += 1
        self._trace(request, key, Reply("", "", attempts=attempts, usage=read_usage(row["usage"])))
        return list(row["vectors"])

    def is_cached(self, request: Request) -> bool:
        """Return whether the cache holds the reply to a request."""
        return self._cached_reply(self.request_hash(request)) is not None

    def keep(self, request: Request, reply: Reply) -> None:
        """Keep the reply to a request in the cache."""
        self._replies.put(self.request_hash(request), reply_to_row(reply))

    def request_hash(self, request: Request) -> str:
        """Return the hash of a request: model, messages, parameters and schema, the same wherever it is sent."""
        return self._key(
            {"chat": list(request.messages), "parameters": dict(request.parameters), "schema": request.schema}
        )

    def greatest_cost(self, request: Request) -> float:
        """Return what a request costs if the model writes as much as it may, in US dollars; 0 without a price."""
        if self.price is None:
            return 0.0
        parameters = {**request.parameters, **self.options.extra_body}
        most = max((int(parameters.get(name) or 0) for name in MAX_TOKENS), default=0)
        return greatest_cost(self.price, estimate_chat(request.messages), most)

    def _key(self, asked: dict[str, Any]) -> str:
        more = {"extra_body": dict(self.options.extra_body)} if self.options.extra_body else {}
        return ResponseCache.key({"model": self.endpoint.model, **asked, **more})

    async def _ask_chat(self, request: Request) -> Reply:
        most = self.greatest_cost(request)
        return await self._ask("/chat/completions", lambda: self._dialect.body(request), read_reply, most)

    def _cached_reply(self, key: str) -> Reply | None:
        row = self._replies.get(key)
        reply = None if row is None else reply_from_row(row)
        # One that an earlier version kept may hold what is secret here.
        return reply and self._masked(reply)

    def _masked(self, reply: Reply) -> Reply:
        """Return a reply without the endpoint's secrets, should it repeat them."""
        text, reasoning = self.endpoint.masked(reply.text), self.endpoint.masked(reply.reasoning)
        if (text, reasoning) == (reply.text, reply.reasoning):
            return reply
        return replace(reply, text=text, reasoning=reasoning, logprobs=(), tokens=())

    def _trace(self, request: Request, key: str, result: Reply | CallFailed) -> None:
        if self.session.traces is not None:
            sent = replace(request, parameters={**request.parameters, **self.options.extra_body})
            self.session.traces.append(call_trace(self.role, self.endpoint, sent, key, result))

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
        tries = Tries()
        while True:
            answer = await self._send(path, body, most, tries)
            if isinstance(answer, dict):
                try:
                    value = read(answer, tries.failed + 1)
                except (AttributeError, LookupError, TypeError, ValueError):
                    answer = Fault(FaultKind.MALFORMED, "the reply holds no choices or vectors")
                else:
                    self._retry.replied(tries)
                    self._dialect.taken(tries.sent)
                    return value
            if not self._dialect.adjust(answer, tries.sent):
                await self._retry.wait(answer, tries)

    async def _send(
        self, path: str, body: Callable[[], dict[str, Any]], most: float, tries: Tries
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
                client = self.session.client(self.endpoint)
                batches = self.session.batches if path == "/chat/completions" else None
                if batches is None:
                    answer = await post(client, self.endpoint, path, tries.sent, self.options.timeout_s)
                else:
                    answer = await batches.post(client, self.endpoint, tries.sent, signal)
                # Update the window before releasing the slot, so that the next waiter sees the new limit.
                if isinstance(answer, dict):
                    self.limiter.succeeded()
                elif answer.kind is FaultKind.RATE_LIMIT and tries.refused < REFUSALS:
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

    async def _is_alive(self) -> bool:
        return await is_alive(self.session.client(self.endpoint), min(_PROBE_S, self.options.timeout_s))

"""When a call to an endpoint is tried again, and when it has failed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.execution.progress import say
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.connections.transport import Fault, FaultKind
from ragaliq.llm.endpoints.endpoint import Endpoint
from ragaliq.llm.limiter import Limiter
from ragaliq.llm.replies.reply import CallFailed

ATTEMPTS = 5
# A reply that never comes costs the most time.
_ATTEMPTS_PER = {FaultKind.TIMEOUT: 2}
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0
# Of a call that was refused many times, where the endpoint asks for no time.
_LONGEST_REFUSED_S = 15.0
# How long an endpoint may refuse everything for too many requests before the command stops.
PATIENCE_S = 300.0
# How long it may refuse a call while nobody gets a reply, if others got theirs before, or if no other call is refused:
# limits are per minute. Of calls that are alone only the first fails so, until there is a reply.
CALL_PATIENCE_S = 60.0
# As many refusals of one call tell of a crowded endpoint; more may be due to the call.
REFUSALS = 5
# Signs that the endpoint is gone; an error of the server itself may be due to the one request.
_SILENT = {FaultKind.UNAVAILABLE, FaultKind.UNREACHABLE, FaultKind.CONNECTION, FaultKind.TIMEOUT}
_PASSING = _SILENT | {FaultKind.SERVER, FaultKind.MALFORMED, FaultKind.FOREIGN}
_GONE = "the endpoint does not answer"
# As many foreign replies in a row, after good ones, tell of an endpoint that has changed: a login that ran out.
FOREIGN_REPLIES = 50
# Shorter waits are not told, and of the others one every few seconds.
_TOLD_WAIT_S, _TOLD_EVERY_S, _TOLD_LENGTH = 0.95, 5.0, 80


@dataclass(slots=True)
class Tries:
    """How a call stands: what was sent and when, how often it failed, and how much of its attempts that took.

    Refusals for too many requests do not count as failures, nor do requests that taught what the endpoint does not
    take: how many of them there are depends on what else is under way.
    """

    sent: dict[str, Any] = field(default_factory=dict)
    sent_at: float = -1.0
    first_sent: float = -1.0
    failed: int = 0
    counted: int = 0
    refused: int = 0


class RetryPolicy:
    """Decides for all calls of one role to its endpoint, and says on stderr what they wait for."""

    def __init__(
        self,
        role: str,
        endpoint: Endpoint,
        signal: StopSignal,
        limiter: Limiter,
        is_alive: Callable[[], Awaitable[bool]],
    ) -> None:
        self._name = f"{role} '{endpoint.model}'"
        self._endpoint = endpoint
        self._signal = signal
        self._limiter = limiter
        self._is_alive = is_alive
        self._last_reply = float("-inf")
        # The calls that were refused and have no reply yet.
        self._refused: set[int] = set()
        self._one_failed = False
        self._foreign = 0
        self._told_at = float("-inf")

    def replied(self, tries: Tries) -> None:
        """Take note of the reply to a call."""
        self._last_reply = asyncio.get_running_loop().time()
        self._refused.discard(id(tries))
        self._one_failed = False
        self._foreign = 0

    async def wait(self, fault: Fault, tries: Tries) -> None:
        """Wait before the next attempt.

        Raises:
            ConfigError: if the endpoint refuses the token, does not know the model, or is none of models; no later call
                can succeed.
            CallFailed: if there is no next attempt.
            Stopped: if the endpoint is gone, its credit is spent, or the stop was asked for.
        """
        if fault.kind is FaultKind.RATE_LIMIT:
            await self._wait_for_room(fault, tries)
            return
        # An endpoint that has answered before knows token and model: it is this request that it refuses.
        known = self._last_reply > float("-inf") and not fault.message.startswith("HTTP 401")
        if fault.kind is FaultKind.ACCESS and not known:
            raise ConfigError(f"{self._name}: {fault.message}; check token, {self._endpoint.variable} and model")
        if fault.kind is FaultKind.QUOTA:
            self._stop(fault.message, " when there is credit again")
        if fault.kind is FaultKind.FOREIGN:
            self._stop_if_foreign(fault)
        pause = _backoff(tries.counted)
        tries.failed += 1
        tries.counted += _ATTEMPTS_PER.get(fault.kind, 1)
        if fault.kind in _PASSING and tries.counted < ATTEMPTS:
            pause = min(_LONGEST_WAIT_S, fault.wait_s or pause)
            what = f"does not answer ({_short(fault)})" if fault.kind in _SILENT else _short(fault)
            more = -(-(ATTEMPTS - tries.counted) // _ATTEMPTS_PER.get(fault.kind, 1))
            tried = f"try {tries.failed + 1} of {tries.failed + more}"
            self._tell(f"{what}, {tried}", pause, fault.kind is FaultKind.TIMEOUT)
            await self._signal.sleep(pause)
            return
        if fault.kind in _PASSING:
            await self._stop_if_gone(fault, tries.sent_at)
        self._refused.discard(id(tries))
        raise CallFailed(fault.kind, fault.message, tries.failed)

    async def _wait_for_room(self, fault: Fault, tries: Tries) -> None:
        tries.refused += 1
        self._refused.add(id(tries))
        silence = tries.sent_at - max(tries.first_sent, self._last_reply)
        others = self._last_reply > tries.first_sent
        alone = self._refused == {id(tries)} and not self._one_failed
        if tries.refused > REFUSALS and silence > CALL_PATIENCE_S and (others or alone):
            self._refused.discard(id(tries))
            self._one_failed = self._one_failed or not others
            why = "others got replies" if others else f"for {CALL_PATIENCE_S:g} s"
            raise CallFailed(fault.kind, f"{fault.message}; {why}", tries.failed + tries.refused)
        if silence > PATIENCE_S:
            self._stop(f"{_GONE} (nothing but rate limits for {PATIENCE_S:g} s ({fault.message}))")
        pause = 0.0
        if fault.wait_s:
            # Not all at once: the refused requests of one moment are many.
            pause = min(_LONGEST_WAIT_S, fault.wait_s * random.uniform(1.0, 1.3))
        elif tries.refused > REFUSALS:
            pause = min(_LONGEST_REFUSED_S, _backoff(tries.refused - REFUSALS))
        self._tell(f"rate limited ({_short(fault)}), next try", max(pause, self._limiter.pause_s))
        if pause:
            await self._signal.sleep(pause)

    def _tell(self, what: str, pause: float, always: bool = False) -> None:
        """Say what a call waits for, if the wait can be felt and nothing was said just now."""
        now = asyncio.get_running_loop().time()
        if (pause >= _TOLD_WAIT_S or always) and now - self._told_at >= _TOLD_EVERY_S:
            self._told_at = now
            say(f"{self._name}: {what} in {pause:.0f} s")

    def _stop_if_foreign(self, fault: Fault) -> None:
        """Stop if the endpoint is none of models; among good replies a foreign one is that call's failure alone."""
        self._foreign += 1
        replied = self._last_reply > float("-inf")
        if self._foreign < (FOREIGN_REPLIES if replied else ATTEMPTS):
            return
        what = f"{self._endpoint.address} does not answer as an endpoint of models ({fault.message})"
        if not replied:
            raise ConfigError(f"{self._name}: {what}; check {self._endpoint.variable}")
        self._stop(f"{what}, check {self._endpoint.variable}")

    async def _stop_if_gone(self, fault: Fault, sent_at: float) -> None:
        """Stop if the endpoint is gone; if other calls got replies meanwhile, the fault is this request's."""
        if fault.kind not in _SILENT or self._last_reply > sent_at:
            return
        if not await self._is_alive():
            self._stop(f"{_GONE} ({fault.message})")

    def _stop(self, why: str, when: str = "") -> None:
        self._signal.ask(f"{self._name}: {why}; what is finished is on disk, the same command goes on{when}")
        self._signal.check()


def _short(fault: Fault) -> str:
    return fault.message if len(fault.message) <= _TOLD_LENGTH else f"{fault.message[:_TOLD_LENGTH]}…"


def _backoff(failed: int) -> float:
    """Return the wait after some failures, in seconds, spread so that calls do not come back together."""
    return float(_FIRST_WAIT_S * 2 ** min(failed, 20) * random.uniform(0.5, 1.5))

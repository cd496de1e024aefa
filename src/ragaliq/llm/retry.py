"""When a call to an endpoint is tried again, and when it has failed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.connections.transport import Fault, FaultKind
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
_PASSING = _SILENT | {FaultKind.SERVER, FaultKind.MALFORMED}
_GONE = "the endpoint does not answer"


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
    """Decides for all calls to one endpoint; `name` is that of role and model in messages."""

    def __init__(self, name: str, signal: StopSignal, is_alive: Callable[[], Awaitable[bool]]) -> None:
        self._name = name
        self._signal = signal
        self._is_alive = is_alive
        self._last_reply = float("-inf")
        # The calls that were refused and have no reply yet.
        self._refused: set[int] = set()
        self._one_failed = False

    def replied(self, tries: Tries) -> None:
        """Take note of the reply to a call."""
        self._last_reply = asyncio.get_running_loop().time()
        self._refused.discard(id(tries))
        self._one_failed = False

    async def wait(self, fault: Fault, tries: Tries) -> None:
        """Wait before the next attempt.

        Raises:
            ConfigError: if the endpoint refuses the token or does not know the model; no later call can succeed.
            CallFailed: if there is no next attempt.
            Stopped: if the endpoint is gone, its credit is spent, or the stop was asked for.
        """
        if fault.kind is FaultKind.RATE_LIMIT:
            await self._wait_for_room(fault, tries)
            return
        # An endpoint that has answered before knows token and model: it is this request that it refuses.
        known = self._last_reply > float("-inf") and not fault.message.startswith("HTTP 401")
        if fault.kind is FaultKind.ACCESS and not known:
            raise ConfigError(f"{self._name}: {fault.message}; check token, link and model")
        if fault.kind is FaultKind.QUOTA:
            self._stop(fault.message, " when there is credit again")
        pause = _backoff(tries.counted)
        tries.failed += 1
        tries.counted += _ATTEMPTS_PER.get(fault.kind, 1)
        if fault.kind in _PASSING and tries.counted < ATTEMPTS:
            await self._signal.sleep(min(_LONGEST_WAIT_S, fault.wait_s or pause))
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
        if fault.wait_s:
            # Not all at once: the refused requests of one moment are many.
            await self._signal.sleep(min(_LONGEST_WAIT_S, fault.wait_s * random.uniform(1.0, 1.3)))
        elif tries.refused > REFUSALS:
            await self._signal.sleep(min(_LONGEST_REFUSED_S, _backoff(tries.refused - REFUSALS)))

    async def _stop_if_gone(self, fault: Fault, sent_at: float) -> None:
        """Stop if the endpoint is gone; if other calls got replies meanwhile, the fault is this request's."""
        if fault.kind not in _SILENT or self._last_reply > sent_at:
            return
        if not await self._is_alive():
            self._stop(f"{_GONE} ({fault.message})")

    def _stop(self, why: str, when: str = "") -> None:
        self._signal.ask(f"{self._name}: {why}; what is finished is on disk, the same command goes on{when}")
        self._signal.check()


def _backoff(failed: int) -> float:
    """Return the wait after some failures, in seconds, spread so that calls do not come back together."""
    return float(_FIRST_WAIT_S * 2 ** min(failed, 20) * random.uniform(0.5, 1.5))

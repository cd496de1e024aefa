"""How many requests to one endpoint may be under way: additive increase, multiplicative decrease.

The rule is that of TCP's congestion control (Chiu and Jain 1989): every reply widens the window a little, a refusal for
too many requests narrows it by a factor.
"""

from __future__ import annotations

import asyncio
from collections import deque

from ragaliq.execution.stopping import StopSignal

CUT = 0.7
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 60.0
# Keeps the power finite; the longest pause is reached long before.
_MOST_DOUBLINGS = 20


class Limiter:
    """A window of requests under way, at most `most` wide, where it also begins.

    Requests that were sent before a cut do not cut again: they tell of the same overload. If window after window brings
    only refusals, and the endpoint asks for no time, all requests pause, twice as long each time.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.window = float(most)
        self.under_way = 0
        self._again: deque[asyncio.Future[bool]] = deque()
        self._new: deque[asyncio.Future[bool]] = deque()
        self._cut_at = float("-inf")
        self._resume_at = float("-inf")
        self._dry = 0

    @property
    def pause_s(self) -> float:
        """Seconds for which no request is sent from now on; 0 if there is no pause."""
        return max(0.0, self._resume_at - asyncio.get_running_loop().time())

    async def acquire(self, signal: StopSignal, again: bool = False) -> float:
        """Wait for a place in the window, and return the time at which it was given; `again` goes before the others.

        Raises:
            Stopped: if the stop is asked for while it waits.
        """
        loop = asyncio.get_running_loop()
        while True:
            while pause := self.pause_s:
                await signal.sleep(pause)
            signal.check()
            if self.under_way < int(self.window):
                # The queues are empty here.
                self.under_way += 1
            else:
                await self._wait_in_line(signal, self._again if again else self._new)
            if self._resume_at <= loop.time():
                return loop.time()
            # A pause began while this request waited.
            self.release()

    def release(self) -> None:
        """Give a place back."""
        self.under_way -= 1
        self._admit()

    def succeeded(self) -> None:
        """Take note of a reply: the window grows by one for each window of replies, if it was the limit."""
        self._dry = 0
        if self.under_way >= int(self.window):
            self.window = min(float(self.most), self.window + 1.0 / self.window)
            self._admit()

    def refused(self, sent_at: float, asked_s: float | None) -> None:
        """Take note of a refusal for too many requests, sent at `sent_at`, with the wait that was asked for."""
        if sent_at < self._cut_at:
            return
        now = asyncio.get_running_loop().time()
        self._cut_at = now
        self.window = max(1.0, self.window * CUT)
        self._dry += 1
        # Where the endpoint asks for a time, each refused request waits that long; the others need not.
        if self._dry > 1 and not asked_s:
            pause = _FIRST_PAUSE_S * 2 ** min(self._dry - 2, _MOST_DOUBLINGS)
            self._resume_at = now + min(_LONGEST_PAUSE_S, pause)

    async def _wait_in_line(self, signal: StopSignal, line: deque[asyncio.Future[bool]]) -> None:
        place: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        line.append(place)
        try:
            admitted = await signal.wait(place)
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.result():
                self.release()
            raise
        if signal.asked:
            if admitted:
                self.release()
            signal.check()

    def _admit(self) -> None:
        while (line := self._again or self._new) and self.under_way < int(self.window):
            place = line.popleft()
            if not place.done():
                self.under_way += 1
                place.set_result(True)

"""One way to stop: Ctrl-C, a spent budget and a lost endpoint all ask the same signal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

from ragaliq.errors import Stopped
from ragaliq.execution.stopwatch import waiting

Result = TypeVar("Result")


class StopSignal:
    """Tells everybody who works, waits or is about to begin that the work ends here.

    What is under way is finished; nothing new is begun. The first reason is the one that is told.
    """

    def __init__(self) -> None:
        self._reason = ""
        self._watchers: set[asyncio.Future[bool]] = set()

    @property
    def asked(self) -> bool:
        """Whether the work is to stop."""
        return bool(self._reason)

    @property
    def reason(self) -> str:
        """Why the work is to stop; empty as long as it is not."""
        return self._reason

    def ask(self, reason: str) -> None:
        """Ask for the stop, and wake all who wait, on whichever event loop they do."""
        self._reason = self._reason or reason
        for watcher in tuple(self._watchers):
            # On a loop that was closed meanwhile nobody waits.
            with suppress(RuntimeError):
                watcher.get_loop().call_soon_threadsafe(_set, watcher, False)

    def check(self) -> None:
        """Raise if the stop was asked for.

        Raises:
            Stopped: with the reason.
        """
        if self._reason:
            raise Stopped(self._reason)

    async def wait(self, event: asyncio.Future[bool]) -> bool:
        """Wait for `event`, which the stop sets to False, and return its result.

        Raises:
            Stopped: if the stop was asked for before.
        """
        self.check()
        self._watchers.add(event)
        try:
            with waiting():
                return await event
        finally:
            self._watchers.discard(event)

    async def sleep(self, seconds: float) -> None:
        """Wait, but not beyond the stop.

        Raises:
            Stopped: as soon as the stop is asked for.
        """
        loop = asyncio.get_running_loop()
        event: asyncio.Future[bool] = loop.create_future()
        alarm = loop.call_later(seconds, _set, event, True)
        try:
            await self.wait(event)
        finally:
            alarm.cancel()
        self.check()


def _set(event: asyncio.Future[bool], value: bool) -> None:
    if not event.done():
        event.set_result(value)


async def together(*jobs: Awaitable[Result]) -> list[Result]:
    """Return what jobs that run at the same time make, all to their ends.

    Of their errors the first is raised, a stop last: any other error says more than the stop that it causes.
    """
    ended = await asyncio.gather(*jobs, return_exceptions=True)
    errors = [end for end in ended if isinstance(end, BaseException)]
    for error in sorted(errors, key=lambda error: isinstance(error, Stopped)):
        raise error
    return [end for end in ended if not isinstance(end, BaseException)]

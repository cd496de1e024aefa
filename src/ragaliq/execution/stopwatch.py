"""The time that a call itself takes, without what it waits for in line."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ragaliq.execution.serial_thread import SerialThread

_running: ContextVar[Stopwatch | None] = ContextVar("stopwatch", default=None)


class Stopwatch:
    """Adds up the seconds of calls; of a plain function those inside its thread, of a coroutine those until its end.

    Waiting for a place in line, for a budget or for the next attempt (`waiting`) is no part of a call. What other
    coroutines do on the event loop while a coroutine waits for its reply is.
    """

    def __init__(self) -> None:
        self._seconds = 0.0

    @property
    def seconds(self) -> float:
        """The seconds so far."""
        # Waits that overlap are taken out twice.
        return max(0.0, self._seconds)

    async def call(self, thread: SerialThread, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what `thread.call` returns, and add the seconds that the function took."""
        if inspect.iscoroutinefunction(function):
            return await self._awaited(function(*arguments))

        def called() -> Any:
            with self._timed():
                result = function(*arguments)
            return self._awaited(result) if inspect.isawaitable(result) else result

        return await thread.call(called)

    def waited(self, seconds: float) -> None:
        """Take out seconds in which the call stood in line."""
        self._seconds -= seconds

    async def _awaited(self, result: Awaitable[Any]) -> Any:
        with self._timed():
            return await result

    @contextmanager
    def _timed(self) -> Iterator[None]:
        start, token = time.perf_counter(), _running.set(self)
        try:
            yield
        finally:
            self._seconds += time.perf_counter() - start
            _running.reset(token)


@contextmanager
def waiting() -> Iterator[None]:
    """Take the time of the block out of the call that is being timed, if there is one."""
    start = time.perf_counter()
    try:
        yield
    finally:
        watch = _running.get()
        if watch is not None:
            watch.waited(time.perf_counter() - start)

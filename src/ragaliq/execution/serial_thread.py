"""One thread for plain functions, so that they never run two at once."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import get_ident
from typing import Any


class SerialThread:
    """One thread for all functions that are no coroutines: they never run two at once, and the event loop goes on."""

    def __init__(self) -> None:
        self._ident = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ragaliq", initializer=self._enter)

    def _enter(self) -> None:
        self._ident = get_ident()

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function or a coroutine function makes of its arguments, with the caller's context."""
        if inspect.iscoroutinefunction(function):
            return await function(*arguments)

        def called() -> Any:
            try:
                return function(*arguments)
            except StopIteration as error:
                # A future takes any exception but this one, and would be waited for without end.
                raise RuntimeError("StopIteration") from error

        if get_ident() == self._ident:
            # A part that uses its own chatbot: the thread cannot wait for itself.
            made = called()
        else:
            made = await asyncio.get_running_loop().run_in_executor(self._thread, copy_context().run, called)
        return await made if inspect.isawaitable(made) else made

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

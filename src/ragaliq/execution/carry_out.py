"""Carrying out a command's coroutine: interruptible, and with nothing left open behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ragaliq.errors import Stopped
from ragaliq.execution.interrupt import interruptible
from ragaliq.execution.run_stage import StageSession
from ragaliq.execution.serial_thread import SerialThread

Result = TypeVar("Result")


def carry_out(
    work: Coroutine[Any, Any, Result],
    session: StageSession,
    thread: SerialThread | None = None,
    done: Callable[[], str] | None = None,
) -> Result:
    """Return what a command's coroutine makes: Ctrl-C stops it in order; connections and thread are closed then.

    Raises:
        Stopped: if the work ended early; with what `done` says of how far it came.
    """

    async def interrupted() -> Result:
        with interruptible(session.signal):
            return await work

    try:
        return run_to_end(interrupted(), session)
    except Stopped as stop:
        if done is None:
            raise
        raise Stopped(f"{stop} ({done()})") from None
    finally:
        if thread is not None:
            thread.close()


def run_to_end(work: Coroutine[Any, Any, Result], session: StageSession) -> Result:
    """Return what a coroutine makes, also where an event loop is running already, as in a notebook."""

    async def closed() -> Result:
        try:
            return await work
        finally:
            await session.close()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(closed())
    # A running loop cannot be waited for from inside.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, closed()).result()

"""Carrying out a command's coroutine: interruptible, and with nothing left open behind it."""

from __future__ import annotations

import asyncio
import os
import signal as system_signals
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from ragaliq.errors import Stopped
from ragaliq.execution.run_stage import StageSession
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import StopSignal

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


def run_to_end(
    work: Coroutine[Any, Any, Result], session: StageSession, close: Callable[[], Awaitable[None]] | None = None
) -> Result:
    """Return what a coroutine returns, like `wait_for`, and then call `close`, by default the session's."""

    async def closed() -> Result:
        try:
            return await work
        finally:
            await (close or session.close)()

    return wait_for(closed())


def wait_for(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what a coroutine makes, also where an event loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    # A running loop cannot be waited for from inside.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@contextmanager
def interruptible(signal: StopSignal) -> Iterator[None]:
    """Make Ctrl-C, and a request to terminate, ask for the stop; the second one ends the process at once.

    Where the system or the thread has no such handlers, Ctrl-C raises KeyboardInterrupt as usual.
    """
    loop = asyncio.get_running_loop()
    earlier, interrupts = {}, 0

    def interrupt() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1:
            print("\nragaliq: stopped at once; what is finished is on disk, the same command goes on", file=sys.stderr)
            sys.stderr.flush()
            # Everything finished is on disk already; a thread that computes cannot be interrupted otherwise.
            os._exit(Stopped.exit_code)
        print("\nragaliq: stopping when what is under way is finished; again to stop at once", file=sys.stderr)
        signal.ask("interrupted; what is finished is on disk, the same command goes on")

    for number in (system_signals.SIGINT, system_signals.SIGTERM):
        try:
            handler = system_signals.getsignal(number)
            loop.add_signal_handler(number, interrupt)
            earlier[number] = handler
        except (NotImplementedError, RuntimeError, ValueError):
            pass
    try:
        yield
    finally:
        for number, handler in earlier.items():
            loop.remove_signal_handler(number)
            system_signals.signal(number, handler)

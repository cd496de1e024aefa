"""Ctrl-C and a request to terminate: the first asks for the stop, the second ends the process."""

from __future__ import annotations

import asyncio
import os
import signal as system_signals
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ragaliq.errors import Stopped
from ragaliq.execution.stopping import StopSignal


@contextmanager
def interruptible(signal: StopSignal) -> Iterator[None]:
    """Make Ctrl-C, and a request to terminate, ask for the stop; the second one ends the process at once.

    Where the system or the thread has no such handlers, Ctrl-C raises KeyboardInterrupt as usual.
    """
    loop = asyncio.get_running_loop()
    caught, interrupts = [], 0

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
            loop.add_signal_handler(number, interrupt)
            caught.append(number)
        except (NotImplementedError, RuntimeError, ValueError):
            pass
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)

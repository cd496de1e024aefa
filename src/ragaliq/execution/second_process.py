"""Computing in a second process: what one core would do one after the other, two do in half the time."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

Result = TypeVar("Result")


def beside(work: Callable[[], Result]) -> Callable[[], Result]:
    """Start `work` in a process of its own, and return a function that waits for its result or error.

    The process is a copy of this one, so `work` may be any function and may not rely on what changes here later; its
    result must be picklable. Where processes cannot be copied safely, or the copy died, the function does the work.
    """
    if sys.platform != "linux" or _has_threads():
        return work
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(work, sender), daemon=True)
    process.start()
    sender.close()

    def result() -> Result:
        with receiver:
            try:
                value, error = receiver.recv()
            except EOFError:
                return work()
        process.join()
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]

    return result


def _has_threads() -> bool:
    """Return whether Python runs in more than one thread: the copy would keep the locks that another one holds.

    Threads of libraries, such as those of linear algebra, see to it themselves.
    """
    return len(sys._current_frames()) > 1


def _send(work: Callable[[], Result], sender: Connection) -> None:
    # Interrupts are for the first process, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        sender.send((work(), None))
    except Exception as error:
        sender.send((None, error))

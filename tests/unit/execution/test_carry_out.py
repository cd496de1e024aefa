"""A command's coroutine: interrupted in order, at once by the second interruption, and nothing is left open."""

from __future__ import annotations

import asyncio
import os
import signal as system_signals
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragaliq.errors import Stopped
from ragaliq.execution.carry_out import carry_out, interruptible
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm import LLMSession

SRC = Path(__file__).resolve().parents[3] / "src"

INTERRUPTED = """
import sys, time
from ragaliq.execution.carry_out import carry_out
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.serial_thread import SerialThread
from ragaliq.errors import Stopped
from ragaliq.llm import LLMSession

def slow(item):
    print("begun", item, flush=True)
    time.sleep(0.3)
    return item

class Store:
    def append(self, item):
        print("kept", item, flush=True)

    def sync(self):
        pass

    def failed(self, item):
        return False

thread, session = SerialThread(), LLMSession(concurrency=1)

async def do(items):
    return [await thread.call(slow, item) for item in items]

try:
    carry_out(run_stage("s", range(100), do, Store(), session), session, thread)
except Stopped as stop:
    print("stopped:", stop)
    sys.exit(stop.exit_code)
"""


def interrupted(*numbers: int) -> tuple[int, list[str], str, float]:
    """Exit code, output, messages and seconds of a process that gets signals while it works."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = [process.stdout.readline().strip()]
    begun = time.monotonic()
    for number in numbers:
        os.kill(process.pid, number)
        time.sleep(0.1)
    rest, messages = process.communicate(timeout=60)
    return process.returncode, said + rest.splitlines(), messages, time.monotonic() - begun


posix = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")


@posix
@pytest.mark.slow
@pytest.mark.parametrize("number", [system_signals.SIGINT, system_signals.SIGTERM])
def test_an_interruption_finishes_what_is_under_way(number: int) -> None:
    code, said, messages, _ = interrupted(number)
    assert said == [
        "begun 0", "kept 0", "stopped: interrupted; what is finished is on disk, the same command goes on",
    ]  # fmt: skip
    assert code == 3 and "stopping when what is under way is finished; again to stop at once" in messages
    assert "Traceback" not in messages


@posix
@pytest.mark.slow
def test_the_second_interruption_ends_the_process_at_once() -> None:
    code, said, messages, seconds = interrupted(system_signals.SIGINT, system_signals.SIGINT)
    assert (code, said) == (3, ["begun 0"]) and seconds < 0.3
    assert "stopped at once; what is finished is on disk" in messages and "Traceback" not in messages


@posix
def test_the_handlers_are_taken_away_again() -> None:
    async def inside() -> None:
        with interruptible(StopSignal()):
            os.kill(os.getpid(), system_signals.SIGINT)
            await asyncio.sleep(0.05)

    asyncio.run(inside())
    assert system_signals.getsignal(system_signals.SIGTERM) is system_signals.SIG_DFL
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), system_signals.SIGINT)
        time.sleep(1)


def test_a_thread_has_no_handlers_and_works_all_the_same() -> None:
    """As in a notebook, where an event loop is running already."""

    async def inside() -> int:
        return carry_out(one(), LLMSession())

    async def one() -> int:
        return 1

    assert asyncio.run(inside()) == 1


def test_a_stop_says_how_far_the_work_came_and_everything_is_closed() -> None:
    session, thread = LLMSession(), SerialThread()

    async def work() -> None:
        session.connections()
        session.signal.ask("enough")
        session.signal.check()

    with pytest.raises(Stopped, match=r"^enough \(1 of 9\)$"):
        carry_out(work(), session, thread, lambda: "1 of 9")
    assert not session._sessions
    with pytest.raises(RuntimeError):
        asyncio.run(thread.call(int))

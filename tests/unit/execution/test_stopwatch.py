"""The time of a call itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable

import pytest

from ragaliq.execution.serial_thread import SerialThread
from ragaliq.execution.stopping import StopSignal
from ragaliq.execution.stopwatch import Stopwatch


def plain(seconds: float) -> str:
    time.sleep(seconds)
    return "plain"


async def coroutine(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "coroutine"


def late(seconds: float) -> Awaitable[str]:
    return coroutine(seconds)


@pytest.mark.parametrize("function", [plain, coroutine, late])
def test_the_call_is_timed_and_not_the_queue_before_it(function: object) -> None:
    async def work() -> tuple[list[Stopwatch], float]:
        thread, watches, start = SerialThread(), [Stopwatch() for _ in range(4)], time.perf_counter()
        # Ahead of them in the thread.
        busy = asyncio.create_task(thread.call(plain, 0.2))
        await asyncio.sleep(0)
        await asyncio.gather(busy, *(watch.call(thread, function, 0.02) for watch in watches))  # type: ignore[arg-type]
        thread.close()
        return watches, time.perf_counter() - start

    watches, wall = asyncio.run(work())
    assert wall > 0.2
    assert all(0.02 <= watch.seconds < 0.12 for watch in watches)


def test_waiting_for_a_place_or_the_next_attempt_is_no_part_of_a_call() -> None:
    async def call(signal: StopSignal) -> None:
        await asyncio.sleep(0.01)
        await signal.sleep(0.2)

    async def work() -> Stopwatch:
        watch = Stopwatch()
        await watch.call(SerialThread(), call, StopSignal())
        return watch

    assert 0.01 <= asyncio.run(work()).seconds < 0.15


def test_a_call_that_fails_is_timed() -> None:
    def broken() -> None:
        time.sleep(0.01)
        raise ValueError("no")

    async def work() -> Stopwatch:
        watch = Stopwatch()
        with pytest.raises(ValueError, match="no"):
            await watch.call(SerialThread(), broken)
        return watch

    assert asyncio.run(work()).seconds >= 0.01

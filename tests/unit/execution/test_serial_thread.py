"""Plain functions on one thread: never two at once, and the event loop goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from ragaliq.execution.serial_thread import SerialThread


def test_what_is_no_coroutine_runs_in_one_other_thread() -> None:
    async def called() -> list[str]:
        thread = SerialThread()
        names = await asyncio.gather(*(thread.call(threading.current_thread) for _ in range(5)))
        thread.close()
        return [thread.name for thread in names]

    names = asyncio.run(called())
    assert len(set(names)) == 1 and names[0] != threading.current_thread().name


def test_two_never_run_at_once_and_the_loop_goes_on() -> None:
    now, most, ticks = 0, 0, 0

    def slow() -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        time.sleep(0.05)
        now -= 1

    async def called() -> None:
        nonlocal ticks
        thread = SerialThread()
        calls = asyncio.gather(*(thread.call(slow) for _ in range(4)))
        while not calls.done():
            ticks += 1
            await asyncio.sleep(0.005)
        thread.close()

    asyncio.run(called())
    assert most == 1 and ticks > 10


def test_every_kind_of_function_is_called() -> None:
    class Part:
        def plain(self, n: int) -> int:
            return n + 1

        async def coroutine(self, n: int) -> int:
            await asyncio.sleep(0)
            return n + 2

        def future(self, n: int) -> Any:
            return self.coroutine(n)

        async def __call__(self, n: int) -> int:
            return n + 3

    part = Part()
    functions: list[Callable[..., Any]] = [
        part.plain,
        part.coroutine,
        part.future,
        part,
        partial(part.coroutine, 9),
    ]

    async def called() -> list[Any]:
        thread = SerialThread()
        made = [await thread.call(function, *(() if isinstance(function, partial) else (1,))) for function in functions]
        thread.close()
        return made

    assert asyncio.run(called()) == [2, 3, 3, 4, 11]


@pytest.mark.parametrize("raised", [ValueError("no"), StopIteration(), SystemExit(3), KeyError("k")], ids=repr)
def test_whatever_a_function_raises_comes_back(raised: BaseException) -> None:
    def broken() -> None:
        raise raised

    async def called() -> BaseException | None:
        thread = SerialThread()
        try:
            async with asyncio.timeout(10):
                await thread.call(broken)
        except (Exception, SystemExit) as error:
            return error
        finally:
            thread.close()
        return None

    error = asyncio.run(called())
    # A future cannot hold a StopIteration, so it is told inside another exception.
    assert error is raised or (isinstance(error, RuntimeError) and error.__cause__ is raised)

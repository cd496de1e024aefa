"""One signal to stop: it wakes who sleeps, and the first reason is the one that is told."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fakes import run_clocked
from ragaliq.errors import Stopped
from ragaliq.execution.stopping import StopSignal


def test_nothing_stops_before_it_is_asked_for() -> None:
    async def slept() -> float:
        signal, loop = StopSignal(), asyncio.get_running_loop()
        signal.check()
        begun = loop.time()
        await signal.sleep(2.5)
        assert not signal.asked
        return loop.time() - begun

    assert run_clocked(slept()) == pytest.approx(2.5)


def test_the_first_reason_is_told_to_everybody() -> None:
    async def asked() -> None:
        signal, loop = StopSignal(), asyncio.get_running_loop()
        begun = loop.time()
        sleepers = [asyncio.ensure_future(signal.sleep(seconds)) for seconds in (5, 50, 500)]
        await asyncio.sleep(10)
        signal.ask("the budget is spent")
        signal.ask("interrupted")
        ended = await asyncio.gather(*sleepers, return_exceptions=True)
        assert loop.time() - begun == pytest.approx(10)
        assert ended[0] is None
        assert [str(end) for end in ended[1:]] == ["the budget is spent"] * 2
        with pytest.raises(Stopped, match="the budget is spent"):
            signal.check()
        with pytest.raises(Stopped, match="the budget is spent"):
            await signal.sleep(1)
        assert loop.time() - begun == pytest.approx(10)

    run_clocked(asked())


def test_an_event_is_true_and_the_stop_is_false() -> None:
    async def waited() -> list[bool]:
        signal, loop = StopSignal(), asyncio.get_running_loop()
        events: list[asyncio.Future[bool]] = [loop.create_future() for _ in range(2)]
        waits = [asyncio.ensure_future(signal.wait(event)) for event in events]
        await asyncio.sleep(1)
        events[0].set_result(True)
        signal.ask("enough")
        return await asyncio.gather(*waits)

    assert run_clocked(waited()) == [True, False]


def test_a_cancelled_sleeper_is_forgotten() -> None:
    async def cancelled() -> None:
        signal = StopSignal()
        sleeper = asyncio.ensure_future(signal.sleep(5))
        await asyncio.sleep(1)
        sleeper.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        await asyncio.sleep(10)
        signal.ask("nobody hears it")

    run_clocked(cancelled())


def test_a_thread_may_ask_and_all_loops_hear_it() -> None:
    signal = StopSignal()

    async def asleep() -> float:
        begun = time.monotonic()
        with pytest.raises(Stopped, match="enough"):
            await signal.sleep(60)
        return time.monotonic() - begun

    with ThreadPoolExecutor(3) as threads:
        sleepers = [threads.submit(asyncio.run, asleep()) for _ in range(3)]
        time.sleep(0.3)
        signal.ask("enough")
        assert all(sleeper.result(30) < 20 for sleeper in sleepers)

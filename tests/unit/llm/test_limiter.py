"""How many requests are under way: the rule by hand, and the invariants under anything that may happen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fakes import run_clocked
from ragaliq.errors import Stopped
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.limiter import Limiter


def test_a_burst_of_refusals_cuts_once_and_a_later_one_again() -> None:
    async def refused() -> None:
        limiter, signal = Limiter(8), StopSignal()
        sent = [await limiter.acquire(signal) for _ in range(8)]
        await asyncio.sleep(1)
        for sent_at in sent:
            limiter.refused(sent_at, None)
            limiter.release()
        assert limiter.window == pytest.approx(8 * 0.7)
        sent = [await limiter.acquire(signal, again=True) for _ in range(5)]
        await asyncio.sleep(1)
        for sent_at in sent:
            limiter.refused(sent_at, None)
            limiter.release()
        assert limiter.window == pytest.approx(8 * 0.7 * 0.7)

    run_clocked(refused())


def test_the_window_grows_by_one_for_a_window_of_replies() -> None:
    async def grown() -> list[float]:
        limiter, signal = Limiter(8), StopSignal()
        limiter.window = 4.0
        for _ in range(4):
            await limiter.acquire(signal)
        windows = []
        for _ in range(7):
            limiter.succeeded()
            windows.append(limiter.window)
        return windows

    # 4 + 1/4, 4.25 + 1/4.25, …; from 5 on four under way are not the limit.
    assert run_clocked(grown()) == pytest.approx([4.25, 4.4853, 4.7082, 4.9206, 5.1239, 5.1239, 5.1239], abs=1e-4)


def test_the_window_never_exceeds_its_most() -> None:
    async def full() -> None:
        limiter, signal = Limiter(3), StopSignal()
        for _ in range(3):
            await limiter.acquire(signal)
        for _ in range(10):
            limiter.succeeded()
        assert limiter.window == 3.0

    run_clocked(full())


def test_one_request_may_always_be_under_way_and_pauses_double() -> None:
    async def alone() -> tuple[Limiter, list[float]]:
        limiter, signal, sent = Limiter(4), StopSignal(), []
        for _ in range(14):
            sent.append(await limiter.acquire(signal, again=True))
            limiter.refused(sent[-1], None)
            limiter.release()
        return limiter, sent

    limiter, sent = run_clocked(alone())
    assert limiter.window == 1.0
    waits = [later - earlier for earlier, later in pairwise(sent)]
    # The first refusal may be chance: 4 → 2.8 and no pause. Then 0.05 s, doubled each time, at most 60 s.
    assert waits == pytest.approx([0.0, *(0.05 * 2**n for n in range(11)), 60.0])


def test_everybody_pauses_unless_the_endpoint_says_how_long_the_refused_shall_wait() -> None:
    cases: list[tuple[float | None, float]] = [(None, 0.05), (0.0, 0.05), (7.0, 0.0)]
    for asked, wait in cases:

        async def paused() -> float:
            limiter, signal = Limiter(2), StopSignal()
            for _ in range(2):
                sent_at = await limiter.acquire(signal)
                limiter.refused(sent_at, asked)
                limiter.release()
            return await limiter.acquire(signal) - sent_at

        assert run_clocked(paused()) == pytest.approx(wait), wait


def test_a_reply_ends_the_dry_spell() -> None:
    async def spell() -> float:
        limiter, signal = Limiter(2), StopSignal()
        for outcome in (False, True, False):
            sent_at = await limiter.acquire(signal)
            limiter.release()
            if outcome:
                limiter.succeeded()
            else:
                limiter.refused(sent_at, None)
        return await limiter.acquire(signal) - sent_at

    assert run_clocked(spell()) == 0.0


def test_who_stands_in_line_pauses_too() -> None:
    async def paused() -> list[float]:
        limiter, signal, loop = Limiter(1), StopSignal(), asyncio.get_running_loop()
        begun = loop.time()
        sent: list[float] = []

        async def waiting() -> None:
            sent.append(await limiter.acquire(signal) - begun)
            await asyncio.sleep(1)
            limiter.release()
            limiter.succeeded()

        first = await limiter.acquire(signal)
        tasks = [asyncio.ensure_future(waiting()) for _ in range(3)]
        await asyncio.sleep(0.5)
        limiter.refused(first, None)
        # Sent again at once, and refused again: now everybody is to wait.
        limiter.refused(loop.time(), None)
        limiter.release()
        await asyncio.gather(*tasks)
        return sent

    assert run_clocked(paused()) == pytest.approx([0.55, 1.55, 2.55])


def test_who_tries_again_goes_before_the_others_and_each_line_keeps_its_order() -> None:
    async def ordered() -> list[str]:
        limiter, signal, order = Limiter(1), StopSignal(), []

        async def request(name: str, again: bool) -> None:
            await limiter.acquire(signal, again)
            order.append(name)
            await asyncio.sleep(1)
            limiter.release()

        names = [("a", False), ("b", False), ("c", False), ("R", True), ("S", True)]
        tasks = []
        for name, again in names:
            tasks.append(asyncio.ensure_future(request(name, again)))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        return order

    assert run_clocked(ordered()) == ["a", "R", "S", "b", "c"]


def test_a_cancelled_request_leaks_no_place() -> None:
    cases: list[bool] = [False, True]
    for late in cases:

        async def cancelled() -> None:
            limiter, signal = Limiter(1), StopSignal()
            await limiter.acquire(signal)
            waiter = asyncio.ensure_future(limiter.acquire(signal))
            await asyncio.sleep(1)
            if late:
                limiter.release()
                assert limiter.under_way == 1, "the place was handed on"
            waiter.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiter
            if not late:
                limiter.release()
            assert limiter.under_way == 0, late
            await limiter.acquire(signal)

        run_clocked(cancelled())


def test_the_stop_wakes_everybody_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragaliq.llm.limiter._FIRST_PAUSE_S", 50.0)

    async def stopped() -> float:
        limiter, signal, loop = Limiter(1), StopSignal(), asyncio.get_running_loop()
        begun = loop.time()
        first = await limiter.acquire(signal)
        in_line = asyncio.ensure_future(limiter.acquire(signal))
        await asyncio.sleep(1)
        for _ in range(2):
            limiter.refused(loop.time(), None)
        pausing = asyncio.ensure_future(limiter.acquire(signal, again=True))
        await asyncio.sleep(1)
        signal.ask("enough")
        ended = await asyncio.gather(in_line, pausing, return_exceptions=True)
        assert [str(end) for end in ended if isinstance(end, Stopped)] == ["enough"] * 2
        with pytest.raises(Stopped):
            await limiter.acquire(signal)
        assert limiter.under_way == 1 and first == begun
        limiter.release()
        return loop.time() - begun

    assert run_clocked(stopped()) == pytest.approx(2.0)


def test_the_stop_takes_back_a_place_that_was_just_given() -> None:
    async def stopped() -> None:
        limiter, signal = Limiter(1), StopSignal()
        await limiter.acquire(signal)
        waiter = asyncio.ensure_future(limiter.acquire(signal))
        await asyncio.sleep(1)
        limiter.release()
        signal.ask("enough")
        with pytest.raises(Stopped):
            await waiter
        assert limiter.under_way == 0

    run_clocked(stopped())


def test_an_endpoint_that_takes_less_is_found_out_with_few_refusals() -> None:
    """An endpoint refuses all that is beyond its capacity; everybody tries until there is a reply."""
    cases: list[int] = [1, 3, 10, 40]
    for capacity in cases:

        async def loaded() -> tuple[Limiter, int, float]:
            limiter, signal, loop = Limiter(32), StopSignal(), asyncio.get_running_loop()
            serving = refusals = 0

            async def request() -> None:
                nonlocal serving, refusals
                again = False
                while True:
                    sent_at = await limiter.acquire(signal, again)
                    served = serving < capacity
                    serving += served
                    await asyncio.sleep(1.0 if served else 0.1)
                    serving -= served
                    if served:
                        limiter.succeeded()
                        return limiter.release()
                    refusals += 1
                    again = True
                    limiter.refused(sent_at, None)
                    limiter.release()

            begun = loop.time()
            await asyncio.gather(*(request() for _ in range(400)))
            return limiter, refusals, loop.time() - begun

        limiter, refusals, seconds = run_clocked(loaded())
        assert limiter.under_way == 0, capacity
        best = 400 / min(capacity, 32)
        # Nearly as fast as if the capacity were known, and about one refusal for each time that the window is full.
        assert seconds <= 1.1 * best + 1, capacity
        assert refusals <= (600 / capacity if capacity < 32 else 0), capacity


@dataclass(frozen=True)
class Life:
    """What happens to one request: when it comes, how long each try takes, what each brings, when it is cancelled."""

    comes: float
    takes: float
    refusals: Sequence[float | None]
    cancelled: float | None


TIMES = st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.5, 1.0])
LIVES = st.builds(
    Life,
    TIMES,
    TIMES,
    st.lists(st.none() | TIMES, max_size=4),
    st.none() | st.sampled_from([0.0, 0.01, 0.05, 0.1, 0.15, 1.0, 1.05]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(LIVES, min_size=1, max_size=12), st.integers(1, 4), st.none() | TIMES)
@example([Life(0.0, 0.1, [], 0.1), Life(0.0, 0.1, [], None)], 1, None)
@example([Life(0.0, 0.1, [None, None], None)] * 6, 2, 0.1)
def test_places_are_neither_leaked_nor_given_twice(lives: list[Life], most: int, stopped: float | None) -> None:
    async def lived() -> None:
        limiter, signal = Limiter(most), StopSignal()
        truly = 0

        def check() -> None:
            assert 0 <= truly <= limiter.under_way <= most
            assert 1.0 <= limiter.window <= most

        async def request(life: Life) -> str:
            nonlocal truly
            await asyncio.sleep(life.comes)
            for tries, asked in enumerate([*life.refusals, None]):
                sent_at = await limiter.acquire(signal, again=tries > 0)
                truly += 1
                check()
                try:
                    await asyncio.sleep(life.takes)
                    if tries < len(life.refusals):
                        limiter.refused(sent_at, asked)
                    else:
                        limiter.succeeded()
                    check()
                finally:
                    truly -= 1
                    limiter.release()
                    check()
            return "replied"

        tasks = [asyncio.ensure_future(request(life)) for life in lives]
        loop = asyncio.get_running_loop()
        for task, life in zip(tasks, lives, strict=True):
            if life.cancelled is not None:
                loop.call_later(life.cancelled, task.cancel)
        if stopped is not None:
            loop.call_later(stopped, signal.ask, "enough")
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        for end, life in zip(ended, lives, strict=True):
            cancelled = isinstance(end, asyncio.CancelledError) and life.cancelled is not None
            assert end == "replied" or cancelled or (isinstance(end, Stopped) and stopped is not None), end
        assert limiter.under_way == truly == 0
        # All places can be given again.
        for _ in range(int(limiter.window)):
            await asyncio.wait_for(limiter.acquire(StopSignal()), 100)

    run_clocked(lived())

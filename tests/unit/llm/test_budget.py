"""Money: never more than the bound is spent and set aside, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import run_clocked
from ragaliq.errors import Stopped
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.budget import Budget, greatest_cost
from ragaliq.llm.prices import Price


def test_the_greatest_cost_is_that_of_the_longest_reply() -> None:
    price = Price(prompt=2.5, completion=10.0)
    assert greatest_cost(price, 1000, 500) == pytest.approx((1000 * 2.5 + 500 * 10) / 1e6) == pytest.approx(0.0075)
    assert greatest_cost(None, 1000, 500) == 0.0


def test_without_a_bound_nothing_stops() -> None:
    async def spent() -> float:
        budget, signal = Budget(), StopSignal()
        for _ in range(3):
            await budget.set_aside(1e9, signal)
        budget.settle(1e9, 5.0)
        return budget.spent

    assert run_clocked(spent()) == 5.0


def test_a_call_waits_until_others_cost_less_than_they_might() -> None:
    async def waited() -> float:
        budget, signal, loop = Budget(10.0), StopSignal(), asyncio.get_running_loop()
        begun = loop.time()
        await budget.set_aside(6.0, signal)
        loop.call_later(3, budget.settle, 6.0, 4.0)
        await budget.set_aside(6.0, signal)
        budget.settle(6.0, 6.0)
        assert budget.spent == 10.0 and not signal.asked
        return loop.time() - begun

    assert run_clocked(waited()) == pytest.approx(3.0, abs=0.1)


def test_the_stop_comes_only_when_nothing_is_under_way() -> None:
    async def stopped() -> float:
        budget, signal, loop = Budget(10.0), StopSignal(), asyncio.get_running_loop()
        begun = loop.time()
        await budget.set_aside(6.0, signal)
        loop.call_later(3, budget.settle, 6.0, 6.0)
        with pytest.raises(Stopped, match=r"--max-cost: 6\.0000 of 10 USD spent, the next call may cost 6\.0000"):
            await budget.set_aside(6.0, signal)
        assert signal.asked and budget.spent == 6.0
        return loop.time() - begun

    assert run_clocked(stopped()) == pytest.approx(3.0, abs=0.1)


def test_event_loops_of_several_threads_share_a_budget() -> None:
    budget, signal = Budget(10.0), StopSignal()

    async def spend(calls: int) -> None:
        for _ in range(calls):
            await budget.set_aside(3.0, signal)
            await asyncio.sleep(0.001)
            budget.settle(3.0, 0.05)

    async def many() -> None:
        await asyncio.gather(*(spend(5) for _ in range(6)))

    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert budget.spent == pytest.approx(3 * 6 * 5 * 0.05) and not signal.asked


def test_a_stop_from_another_thread_ends_the_wait() -> None:
    budget, signal = Budget(10.0), StopSignal()

    async def waiting() -> None:
        await budget.set_aside(6.0, signal)
        threading.Timer(0.1, signal.ask, ["interrupted"]).start()
        with pytest.raises(Stopped, match="interrupted"):
            await asyncio.wait_for(budget.set_aside(6.0, signal), 30)

    asyncio.run(waiting())


def test_the_bound_itself_may_be_spent() -> None:
    cases: list[tuple[float, float, bool]] = [(0.0, 0.0, False), (0.0, 1e-9, True), (1.0, 1.0, False)]
    for most, cost, stops in cases:

        async def tried() -> bool:
            signal = StopSignal()
            try:
                await Budget(most).set_aside(cost, signal)
            except Stopped:
                return True
            return signal.asked

        assert run_clocked(tried()) is stops, most


def test_after_the_stop_nothing_is_set_aside() -> None:
    async def stopped() -> None:
        budget, signal = Budget(10.0), StopSignal()
        await budget.set_aside(6.0, signal)
        waiting = asyncio.ensure_future(budget.set_aside(6.0, signal))
        await asyncio.sleep(1)
        signal.ask("interrupted")
        budget.settle(6.0, 1.0)
        with pytest.raises(Stopped, match="interrupted"):
            await waiting
        with pytest.raises(Stopped, match="interrupted"):
            await budget.set_aside(0.0, signal)
        assert budget.spent == 1.0

    run_clocked(stopped())


COSTS = st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([0.0, 0.1, 1.0]))


@settings(max_examples=60, deadline=None)
@given(st.lists(COSTS, min_size=1, max_size=12), st.floats(0.0, 3.0))
def test_never_more_than_the_bound(calls: list[tuple[float, float, float]], most: float) -> None:
    async def spent() -> None:
        budget, signal = Budget(most), StopSignal()
        under_way: list[float] = []

        async def call(may_cost: float, share: float, seconds: float) -> bool:
            await budget.set_aside(may_cost, signal)
            under_way.append(may_cost)
            assert budget.spent + sum(under_way) <= most + 1e-9
            await asyncio.sleep(seconds)
            under_way.remove(may_cost)
            budget.settle(may_cost, may_cost * share)
            return True

        ended = await asyncio.gather(*(call(*c) for c in calls), return_exceptions=True)
        assert all(end is True or isinstance(end, Stopped) for end in ended), ended
        assert budget.spent <= most + 1e-9
        if sum(may_cost for may_cost, _, _ in calls) <= most:
            assert all(end is True for end in ended) and not signal.asked
        # A stop is only asked for if some call found no room even alone.
        if signal.asked:
            assert (
                max(c[0] for c, end in zip(calls, ended, strict=True) if end is not True) > most - budget.spent - 1e-9
            )

    run_clocked(spent())

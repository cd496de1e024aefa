"""One budget for the workers of a run: what a dead worker has set aside is spent."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from ragaliq.execution.stopping import StopSignal
from ragaliq.pipeline.distributed.calls import Ledger, LedgerBudget


def test_what_a_dead_worker_has_set_aside_is_spent() -> None:
    ledger = Ledger(10.0)
    assert [ledger.take("dead", 3.0), ledger.take("dead", 2.0), ledger.take("other", 4.0)] == [(True, "")] * 3
    ledger.settle("dead", 2.0, 1.0)
    # 1 is spent, 3 + 4 are set aside, which may turn out to be less.
    assert ledger.take("other", 3.0) == (False, "")
    ledger.forget("dead")
    assert ledger.take("other", 3.0) == (False, "")
    ledger.settle("other", 4.0, 0.0)
    taken, reason = ledger.take("other", 6.5)
    assert not taken and reason.startswith("--max-cost: 4.0000 of 10 USD spent, the next call may cost 6.5000;")
    assert ledger.take("other", 6.0) == (True, "")


def test_a_worker_dies_once_and_takes_nothing_of_the_others() -> None:
    ledger = Ledger(10.0)
    ledger.take("dead", 3.0)
    ledger.take("other", 4.0)
    for name in ("dead", "dead", "never seen"):
        ledger.forget(name)
    ledger.settle("other", 4.0, 4.0)
    assert not ledger.take("other", 3.5)[0] and ledger.take("other", 3.0)[0]


def test_calls_of_two_event_loops_share_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragaliq.pipeline.distributed.calls.worker_name", lambda: "one")
    taken: list[float] = []

    async def take(worker: str, cost: float) -> tuple[bool, str]:
        await asyncio.sleep(0)
        taken.append(cost)
        return True, ""

    budget = LedgerBudget(SimpleNamespace(take=SimpleNamespace(remote=take)))

    async def several() -> None:
        # The second of them waits for the first.
        await asyncio.gather(*(budget.set_aside(cost, StopSignal()) for cost in (1.0, 2.0)))

    for _ in range(2):
        asyncio.run(several())
    assert taken == [1.0, 2.0, 1.0, 2.0]

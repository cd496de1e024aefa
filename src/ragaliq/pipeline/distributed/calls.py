"""The calls to endpoints that a worker makes: in a session of its own, reported with each result."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ragaliq.execution.cluster.pool import Pool
from ragaliq.execution.cluster.worker import worker_name
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm import LLMSession, ResponseCache
from ragaliq.llm.budget import Account, Budget
from ragaliq.llm.prices import Prices
from ragaliq.types import Trace

_LOOK_AGAIN_S = 0.05
# That of the worker which this process is.
_sessions: list[LLMSession] = []


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How a worker calls endpoints.

    Attributes:
        cache: file of the replies; empty for none.
        moved_from: see `ResponseCache`.
        prices: what tokens cost.
        ledger: the actor that keeps the budget of all workers; None where there is no bound.
        concurrency: most requests of one of its clients under way at once.
        traced: send traces back.
        vectors: file of the vectors of sentences.
    """

    cache: str
    moved_from: str
    prices: Prices | None
    ledger: Any
    concurrency: int
    traced: bool
    vectors: str


@dataclass(frozen=True, slots=True)
class Called:
    """A result with the calls that it took, and what its worker has used so far, by role."""

    result: Any
    traces: tuple[Trace, ...]
    worker: str
    accounts: Mapping[str, Account]
    resolved: Mapping[str, str] = field(default_factory=dict)


_traces: ContextVar[list[Trace] | None] = ContextVar("traces", default=None)


class _Traces:
    """Keeps the traces of each record apart."""

    def append(self, trace: Trace) -> None:
        """Keep a trace of the record at work."""
        kept = _traces.get()
        if kept is not None:
            kept.append(trace)

    def sync(self) -> None:
        """Wait for nothing."""


def worker_session(settings: CallSettings) -> LLMSession:
    """Return the session of this worker, the same for all its stages."""
    from ragaliq.text.sentence_encoder import vectors_kept

    if _sessions:
        return _sessions[0]
    vectors_kept(Path(settings.vectors)).__enter__()
    session = LLMSession(
        cache=ResponseCache(Path(settings.cache), settings.moved_from) if settings.cache else None,
        prices=settings.prices,
        concurrency=settings.concurrency,
        traced=settings.traced,
    )
    session.traces = _Traces() if settings.traced else None
    if settings.ledger is not None:
        session.budget = LedgerBudget(settings.ledger)
    _sessions.append(session)
    return session


def reported_batch(
    session: LLMSession,
    do: Callable[[Sequence[Any]], Awaitable[Sequence[Any]]],
    models: Callable[[], Mapping[str, str]] = dict,
) -> Callable[[Sequence[Any]], Awaitable[list[Called]]]:
    """Return a stage's function that reports its calls with its results, those of a batch with the first.

    Args:
        session: the worker's.
        do: makes the results of records, one each.
        models: returns what the models of the stage turned out to be.
    """

    async def called(records: Sequence[Any]) -> list[Called]:
        traces: list[Trace] = []
        token = _traces.set(traces)
        try:
            results = await do(records)
        finally:
            _traces.reset(token)
        accounts = {role: replace(account) for role, account in session.accounts.items()}
        batch = [tuple(traces), *((),) * (len(records) - 1)]
        return [
            Called(result, of_result, worker_name(), accounts, models())
            for result, of_result in zip(results, batch, strict=True)
        ]

    return called


def reported(
    session: LLMSession, do: Callable[[Any], Awaitable[Any]], models: Callable[[], Mapping[str, str]] = dict
) -> Callable[[Sequence[Any]], Awaitable[list[Called]]]:
    """Return what `reported_batch` does, of a function that takes one record at a time."""

    async def each(records: Sequence[Any]) -> list[Any]:
        return [await do(record) for record in records]

    return reported_batch(session, each, models)


class Ledger:
    """The budget of all workers of a run, in an actor beside the command.

    What a worker has set aside when it dies is taken to be spent: its calls may have been answered.
    """

    def __init__(self, most: float) -> None:
        self._budget = Budget(most)
        self._aside: defaultdict[str, float] = defaultdict(float)

    def take(self, worker: str, cost: float) -> tuple[bool, str]:
        """Set a cost aside for a worker, if there is room; else return why there will be none, or an empty text."""
        signal = StopSignal()
        taken = self._budget.take(cost, signal)
        self._aside[worker] += cost if taken else 0.0
        return taken, signal.reason

    def settle(self, worker: str, aside: float, cost: float) -> None:
        """Replace what was set aside by what the request cost."""
        self._aside[worker] -= aside
        self._budget.settle(aside, cost)

    def forget(self, worker: str) -> None:
        """Take what a dead worker has set aside as spent."""
        aside = self._aside.pop(worker, 0.0)
        self._budget.settle(aside, aside)


class LedgerBudget(Budget):
    """The budget as a worker sees it: set aside and settled in the ledger."""

    def __init__(self, ledger: Any) -> None:
        super().__init__(most=float("inf"))
        self._ledger = ledger
        # One at a time asks: many that ask again and again would keep the ledger from what is settled. Calls of an
        # embedder have an event loop of their own, and a lock serves one loop alone.
        self._first: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def set_aside(self, cost: float, signal: StopSignal) -> None:
        """Set the greatest cost of a request aside in the ledger, waiting for others to settle if need be.

        Raises:
            Stopped: if the bound leaves no room for it.
        """
        async with self._first.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            signal.check()
            while True:
                taken, reason = await self._ledger.take.remote(worker_name(), cost)
                if taken:
                    return
                if reason:
                    signal.ask(reason)
                await signal.sleep(_LOOK_AGAIN_S)

    def settle(self, aside: float, cost: float) -> None:
        """Replace what was set aside by what the request cost."""
        self._ledger.settle.remote(worker_name(), aside, cost)


class Calls:
    """Calls the functions of workers, and enters what they used into the session of the command."""

    def __init__(self, pools: Mapping[str, Pool], session: LLMSession) -> None:
        self._pools = pools
        self._session = session
        self._accounts: dict[str, Mapping[str, Account]] = {}
        # What the models of the stages turned out to be.
        self.resolved: dict[str, str] = {}

    async def call(self, stage: str, record: Any) -> Any:
        """Return what a stage's function makes of a record; its traces go to the run."""
        called: Called = await self._pools[stage].call(stage, record)
        self._accounts[called.worker] = called.accounts
        self.resolved |= called.resolved
        if self._session.traces is not None:
            for trace in called.traces:
                self._session.traces.append(trace)
        return called.result

    def enter(self) -> None:
        """Add what the workers have used to the accounts of the session."""
        for accounts in self._accounts.values():
            for role, account in accounts.items():
                self._session.account(role).add(account)
        self._accounts.clear()

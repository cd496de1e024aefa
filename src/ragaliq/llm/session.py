"""What all clients of one command share: connections, the cache, the budget, the signal to stop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.budget import Account, Budget
from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.prices import Prices
from ragaliq.llm.transport import open_session
from ragaliq.types import Trace

if TYPE_CHECKING:
    from aiohttp import ClientSession

CONCURRENCY = 16


class TraceSink(Protocol):
    """Keeps traces; calls may come from several threads."""

    def append(self, trace: Trace) -> None:
        """Keep a trace, so that it survives a kill of the process."""
        ...

    def sync(self) -> None:
        """Wait until all traces are on disk."""
        ...


class LLMSession:
    """The calls to endpoints that one command makes.

    Attributes:
        cache: where replies are kept; None keeps none.
        prices: what tokens cost; None where no cost is wanted.
        budget: what may be spent.
        concurrency: most requests of one client under way at once.
        planned: nothing is called, so no token is needed.
        traced: a run keeps the traces of these calls.
        traces: where they go now; None keeps none.
        signal: asks for the stop, and is asked.
        accounts: what was used, by role.
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        prices: Prices | None = None,
        max_cost: float | None = None,
        concurrency: int = CONCURRENCY,
        planned: bool = False,
        traced: bool = True,
    ) -> None:
        self.cache = cache
        self.prices = prices
        self.budget = Budget(max_cost)
        self.concurrency = concurrency
        self.planned = planned
        self.traced = traced
        self.traces: TraceSink | None = None
        self.signal = StopSignal()
        self.accounts: dict[str, Account] = {}
        self._sessions: dict[asyncio.AbstractEventLoop, ClientSession] = {}

    def account(self, role: str) -> Account:
        """Return the account of a role."""
        return self.accounts.setdefault(role, Account())

    def sync(self) -> None:
        """Wait until the traces so far are on disk."""
        if self.traces is not None:
            self.traces.sync()

    def connections(self) -> ClientSession:
        """Return the connections of the running event loop: they cannot move between loops."""
        loop = asyncio.get_running_loop()
        if loop not in self._sessions:
            self._sessions[loop] = open_session()
        return self._sessions[loop]

    async def disconnect(self) -> None:
        """Close the connections of the running event loop."""
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.close()

    async def close(self) -> None:
        """Close the connections of the running event loop, and the cache; both open again when they are needed."""
        await self.disconnect()
        if self.cache is not None:
            self.cache.close()

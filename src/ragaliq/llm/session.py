"""What all clients of one command share: connections, the cache, the budget, the signal to stop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

from ragaliq.errors import ConfigError, nearest
from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.batches import Batches
from ragaliq.llm.budget import Account, Budget
from ragaliq.llm.cache import ResponseCache
from ragaliq.llm.connections.transport import open_session
from ragaliq.llm.prices import Prices
from ragaliq.types import Trace

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from openai import AsyncOpenAI

    from ragaliq.llm.endpoints.endpoint import Endpoint

CONCURRENCY = 16
# Who calls: `check` has nuggets and context, `queries` an experiment's texts, `builder` the builder's stages.
ROLES = ("judge", "check", "reader", "reranker", "embedder", "queries", "builder")


class TraceSink(Protocol):
    """Keeps traces; calls may come from several threads."""

    def append(self, trace: Trace) -> None:
        """Keep a trace, so that it survives a kill of the process."""
        ...

    def sync(self) -> None:
        """Wait until all traces are on disk."""
        ...


class _Caller(Protocol):
    """Calls in a session, and keeps something of it."""

    session: LLMSession

    def bind(self) -> None:
        """Read again what is kept of the session."""
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
        batches: sends chats in batches; None sends each by itself.
        traces: where they go now; None keeps none.
        signal: asks for the stop, and is asked.
        accounts: what was used, by role.
        callers: the clients that call in it.

    A user's own `client` is called in place of what the environment names, for every role, or for those that a mapping
    names (those of `ROLES`). Whoever made it closes it.

    Raises:
        ConfigError: if `client` holds anything else than an `AsyncOpenAI`, of which `AsyncAzureOpenAI` is one.
    """

    def __init__(
        self,
        cache: ResponseCache | None = None,
        prices: Prices | None = None,
        max_cost: float | None = None,
        concurrency: int = CONCURRENCY,
        planned: bool = False,
        traced: bool = True,
        client: AsyncOpenAI | Mapping[str, AsyncOpenAI] | None = None,
        batches: Batches | None = None,
    ) -> None:
        if client is not None:
            _check_clients(client)
        self.cache = cache
        self.prices = prices
        self.budget = Budget(max_cost)
        self.concurrency = concurrency
        self.planned = planned
        self.traced = traced
        self.batches = batches
        self.traces: TraceSink | None = None
        self.signal = StopSignal()
        self.accounts: dict[str, Account] = {}
        self.callers: WeakSet[_Caller] = WeakSet()
        self._theirs = client
        self._sessions: dict[asyncio.AbstractEventLoop, ClientSession] = {}
        self._clients: dict[asyncio.AbstractEventLoop, dict[Endpoint, AsyncOpenAI]] = {}

    def become(self, other: LLMSession) -> None:
        """Be the same session as another from now on, for all who hold this object.

        Raises:
            ConfigError: if a client cannot call in that session, such as one without a price where there is a budget.
        """
        callers = list(self.callers)
        self.__dict__ = other.__dict__
        self.callers.update(callers)
        for caller in callers:
            if caller.session is self:
                caller.bind()

    def account(self, role: str) -> Account:
        """Return the account of a role."""
        return self.accounts.setdefault(role, Account())

    def client_of(self, role: str) -> AsyncOpenAI | None:
        """Return the user's own client for a role, if there is one."""
        return self._theirs.get(role) if isinstance(self._theirs, Mapping) else self._theirs

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

    def client(self, endpoint: Endpoint) -> AsyncOpenAI:
        """Return the official client of an endpoint in the running event loop."""
        from ragaliq.llm.connections.official import official_client

        clients = self._clients.setdefault(asyncio.get_running_loop(), {})
        if endpoint not in clients:
            clients[endpoint] = official_client(endpoint, self.connections())
        return clients[endpoint]

    async def disconnect(self) -> None:
        """Close the connections of the running event loop; those of a user's client are the user's."""
        self._clients.pop(asyncio.get_running_loop(), None)
        session = self._sessions.pop(asyncio.get_running_loop(), None)
        if session is not None:
            await session.close()

    async def close(self) -> None:
        """Close the connections of the running event loop, and the cache; both open again when they are needed."""
        await self.disconnect()
        if self.cache is not None:
            self.cache.close()


def _check_clients(client: object) -> None:
    from openai import AsyncOpenAI

    for role in client if isinstance(client, Mapping) else ():
        if role not in ROLES:
            raise ConfigError(f"LLMSession: 'client' names an unknown role '{role}'; {nearest(str(role), ROLES)}")
    for one in client.values() if isinstance(client, Mapping) else (client,):
        if not isinstance(one, AsyncOpenAI):
            raise ConfigError(
                f"LLMSession: 'client' must be an AsyncOpenAI or AsyncAzureOpenAI, not {type(one).__name__}"
            )

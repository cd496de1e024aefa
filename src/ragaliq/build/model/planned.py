"""Calls that a build would make: counted, not made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ragaliq.build.model import Model
from ragaliq.llm import CallFailed, FaultKind, LLMClient, Reply, Request
from ragaliq.llm.endpoints.call_options import MAX_TOKENS
from ragaliq.llm.tokens import estimate_chat
from ragaliq.types import Usage


@dataclass(slots=True)
class PlannedItem:
    """What one item would ask, as far as that is known without a reply.

    The figures are those of the most expensive question that is open, asked twice: once more for its form.

    Attributes:
        cached: questions whose replies are cached; each leads to the next question.
        prompt_tokens: about how many tokens both requests have.
        reply_tokens: how many tokens both replies may have.
        cost: at most, in US dollars; 0 where no endpoint is called or its price is unknown.
    """

    cached: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float = 0.0


@dataclass(slots=True)
class PlannedCalls:
    """What a stage would ask.

    Attributes:
        n_rows: how many rows it would leave.
        items: those of them that it would work on.
        unpriced: models whose price is unknown.
    """

    n_rows: int = 0
    items: list[PlannedItem] = field(default_factory=list)
    unpriced: set[str] = field(default_factory=set)

    def begin_item(self) -> None:
        """Count the next calls for a further item."""
        self.items.append(PlannedItem())


class PlannedModel:
    """Counts requests instead of sending them; where a reply is cached, the work goes on with it."""

    def __init__(self, model: Model, client: LLMClient | None, calls: PlannedCalls) -> None:
        """Take the model that would be asked, its client if it is behind an endpoint, and the counter."""
        self.name = model.name
        self._model, self._client, self._calls = model, client, calls

    def key(self, request: Request) -> str:
        """Return the model's key."""
        return self._model.key(request)

    async def complete(self, request: Request, accept: Callable[[Reply], bool]) -> Reply:
        """Return the cached reply.

        Raises:
            CallFailed: if there is none.
        """
        item = self._calls.items[-1]
        if self._client is not None and self._client.is_cached(request):
            item.cached += 1
            return await self._model.complete(request, accept)
        reply = max(int(request.parameters.get(name) or 0) for name in MAX_TOKENS)
        # The second request contains the first reply.
        usage = Usage(2 * estimate_chat(request.messages) + reply, 2 * reply)
        item.prompt_tokens = max(item.prompt_tokens, usage.prompt_tokens)
        item.reply_tokens = max(item.reply_tokens, usage.completion_tokens)
        if self._client is not None and self._client.price is None:
            self._calls.unpriced.add(self.name)
        elif self._client is not None and self._client.price is not None:
            item.cost = max(item.cost, self._client.price.cost(usage))
        raise CallFailed(FaultKind.REQUEST, "planned, not made", attempts=0)

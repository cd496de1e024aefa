"""What a run takes: seconds, and what endpoints are paid for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragaliq.llm.budget import Account


@dataclass(slots=True)
class Seconds:
    """How long the parts of a run took, over all commands that worked on it; `queries` were timed."""

    index: float = 0.0
    retrieve: float = 0.0
    rerank: float = 0.0
    queries: int = 0

    @property
    def per_query(self) -> float | None:
        """Seconds of retrieving and reranking for each query; None if none was timed."""
        return (self.retrieve + self.rerank) / self.queries if self.queries else None


@dataclass(slots=True)
class Spent:
    """What calls to endpoints used, replies from the cache not counted; the cost is None if a price is not known."""

    calls: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0

    @classmethod
    def of(cls, accounts: Iterable[Account]) -> Spent:
        """Return the sum of accounts."""
        used = list(accounts)
        costs = [account.cost_usd for account in used if account.cost_usd is not None]
        return cls(
            sum(account.calls for account in used),
            sum(account.prompt_tokens + account.completion_tokens for account in used),
            sum(costs) if len(costs) == len(used) else None,
        )

    def add(self, before: Spent, after: Spent) -> None:
        """Add what was used between two looks at the accounts."""
        if after.calls == before.calls:
            return
        self.calls += after.calls - before.calls
        self.tokens += after.tokens - before.tokens
        if self.cost_usd is not None:
            known = before.cost_usd is not None and after.cost_usd is not None
            self.cost_usd = self.cost_usd + (after.cost_usd or 0.0) - (before.cost_usd or 0.0) if known else None

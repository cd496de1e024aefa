"""What a command may spend, and what it has spent."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from ragaliq.execution.stopping import StopSignal
from ragaliq.llm.prices import Price
from ragaliq.types import Usage

_LOOK_AGAIN_S = 0.02


@dataclass
class Account:
    """What calls of one role have used so far; cached replies cost nothing and are counted apart."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unreported: int = 0
    cost_usd: float | None = 0.0

    def add(self, other: Account) -> None:
        """Add what another account of the role has used."""
        self.calls += other.calls
        self.cached += other.cached
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.unreported += other.unreported
        known = self.cost_usd is not None and other.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None

    def enter(self, usage: Usage | None, price: Price | None, most: float) -> float:
        """Enter a call, and return its cost; without a report of the endpoint that is `most`, what it may have cost."""
        self.calls += 1
        if usage is None:
            self.unreported += 1
        else:
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
        cost = most if usage is None or price is None else price.cost(usage)
        self.cost_usd = None if price is None or self.cost_usd is None else self.cost_usd + cost
        return cost


class Budget:
    """Most US dollars that one command may spend; None sets no bound.

    Before a request is sent its greatest cost is set aside, so the bound is not passed by what is under way. Event
    loops of several threads may share a budget, as an embedder's and the judge's do.
    """

    def __init__(self, most: float | None = None) -> None:
        self.most = most
        self.spent = 0.0
        self._aside = 0.0
        self._lock = Lock()

    async def set_aside(self, cost: float, signal: StopSignal) -> None:
        """Set the greatest cost of a request aside, waiting for others to settle if need be.

        Raises:
            Stopped: if the bound leaves no room for it.
        """
        signal.check()
        while not self.take(cost, signal):
            await signal.sleep(_LOOK_AGAIN_S)

    def settle(self, aside: float, cost: float) -> None:
        """Replace what was set aside by what the request cost."""
        with self._lock:
            self._aside -= aside
            if self._aside < 1e-12:
                self._aside = 0.0
            self.spent += cost

    def take(self, cost: float, signal: StopSignal) -> bool:
        """Set a cost aside if there is room for it; ask for the stop if there will be none."""
        with self._lock:
            if self.most is None or self.spent + self._aside + cost <= self.most:
                self._aside += cost
                return True
            if self._aside == 0.0:
                signal.ask(
                    f"--max-cost: {self.spent:.4f} of {self.most:g} USD spent, the next call may cost {cost:.4f}; what "
                    "is finished is on disk, the same command goes on with a new budget"
                )
            return False


def greatest_cost(price: Price | None, prompt_tokens: int, max_tokens: int) -> float:
    """Return what a request costs if the model writes as much as it may; 0 without a price."""
    return 0.0 if price is None else price.cost(Usage(prompt_tokens, max_tokens))

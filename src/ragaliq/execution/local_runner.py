"""Mapping a function over items on the event loop of this process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from ragaliq.execution.stopping import StopSignal, together

Item = TypeVar("Item")
Result = TypeVar("Result")


class LocalRunner:
    """The runner of one process, with at most `concurrency` calls under way at once."""

    def __init__(self, signal: StopSignal, concurrency: int) -> None:
        self._signal = signal
        self._concurrency = concurrency

    async def map(
        self,
        do: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]],
        items: AsyncIterator[Item],
        keep: Callable[[Result], None],
        size: int,
    ) -> None:
        """Call `do` with up to `size` items at a time, and `keep` with each of its results as they come."""
        feed = _Feed(items, self._signal)

        async def worker() -> None:
            try:
                while batch := await feed.take(size):
                    for _, result in zip(batch, await do(batch), strict=True):
                        keep(result)
            except BaseException as error:
                # The other workers end, and so do other stages.
                self._signal.ask(f"{type(error).__name__}: {error}")
                raise

        await together(*(worker() for _ in range(self._concurrency)))


class _Feed(Generic[Item]):
    """Hands out items to workers, until the stop is asked for."""

    def __init__(self, items: AsyncIterator[Item], signal: StopSignal) -> None:
        self._items = items
        self._signal = signal
        self._lock = asyncio.Lock()
        self._ended = False

    async def take(self, size: int) -> list[Item]:
        """Return the next items; none if there are no more."""
        batch: list[Item] = []
        async with self._lock:
            while len(batch) < size and not self._ended and not self._signal.asked:
                try:
                    batch.append(await anext(self._items))
                except StopAsyncIteration:
                    self._ended = True
        return [] if self._signal.asked else batch

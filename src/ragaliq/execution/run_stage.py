"""Running one function over many items: bounded concurrency, progress, results kept as they come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from ragaliq.execution.local_runner import LocalRunner
from ragaliq.execution.progress import StageProgress
from ragaliq.execution.stopping import StopSignal

Item = TypeVar("Item")
Result = TypeVar("Result")
Kept = TypeVar("Kept", contravariant=True)


class StageSession(Protocol):
    """What a command calls endpoints with.

    Attributes:
        signal: asks for the stop, and is asked.
        concurrency: most calls of a stage under way at once.
    """

    signal: StopSignal
    concurrency: int

    def sync(self) -> None:
        """Wait until what the calls left is on disk."""

    async def close(self) -> None:
        """Close the connections."""


class Store(Protocol[Kept]):
    """Where a stage keeps its results, such as a `RecordStore`."""

    def append(self, result: Kept, /) -> object:
        """Write a result at once, so that it survives whatever happens to the process next."""

    def sync(self) -> None:
        """Wait, in a thread, until what was appended is on disk; only then it is reported as done."""

    def failed(self, result: Kept, /) -> bool:
        """Return whether a result counts as a failure in the progress."""


async def run_stage(
    name: str,
    items: Sequence[Item] | AsyncIterator[Item],
    do: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]],
    store: Store[Result],
    session: StageSession,
    *,
    total: int | None = None,
    size: int = 1,
    row: int = 0,
    inner: bool = False,
) -> None:
    """Run a function over items, and keep its results.

    The first exception ends the stage: nothing new is begun, what is under way is finished and kept, and the exception
    is raised. So does the stop signal.

    Args:
        name: what the progress is called.
        items: what is at hand, or what comes while the stage runs.
        do: makes the results of up to `size` items, one each, in their order.
        store: takes the results.
        session: the stop signal and the concurrency; batches of more than one item run one after the other.
        total: how many items will come; by default all that are at hand. Of 0 nothing is shown.
        size: how many items `do` gets at once.
        row: the line of the progress bar.
        inner: whether this is a part of another stage, which shows more than a moment of it.

    Raises:
        Stopped: if the stop was asked for, by an interruption, a spent budget or another stage's exception.
    """
    if not isinstance(items, AsyncIterator):
        total = len(items) if total is None else total
        items = _each(items)
    total = total or 0
    concurrency = session.concurrency if size == 1 else 1
    runner = LocalRunner(session.signal, min(concurrency, max(1, total)))
    with StageProgress(name, total, row=row, inner=inner) as shown:

        def sync() -> None:
            session.sync()
            store.sync()

        progress = _Synced(shown, sync)

        def keep(result: Result) -> None:
            store.append(result)
            progress.step(store.failed(result))

        try:
            await runner.map(do, items, keep, size)
        finally:
            await progress.end()
    session.signal.check()


async def _each(items: Sequence[Item]) -> AsyncIterator[Item]:
    for item in items:
        yield item


class _Synced:
    """StageProgress that counts nothing that is not on disk.

    Waiting for the disk holds up neither the workers nor the event loop, and one wait serves all results of its time.
    """

    def __init__(self, shown: StageProgress, sync: Callable[[], None]) -> None:
        self._shown = shown
        self._sync = sync
        self._kept: list[bool] = []
        self._syncing: asyncio.Task[None] | None = None

    def step(self, failed: bool) -> None:
        """Take note of a result that was kept; raises what an earlier wait for the disk has raised."""
        self._kept.append(failed)
        if self._syncing is None or self._syncing.done():
            if self._syncing is not None:
                self._syncing.result()
            self._syncing = asyncio.create_task(self._report())

    async def end(self) -> None:
        """Wait until everything is reported."""
        if self._syncing is not None:
            await self._syncing

    async def _report(self) -> None:
        while self._kept:
            kept, self._kept = self._kept, []
            await asyncio.to_thread(self._sync)
            self._shown.step(len(kept), sum(kept))

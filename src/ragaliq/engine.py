"""Running one function over many items: bounded concurrency, a progress bar, results kept as they come."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Stage(Generic[Item, Result]):
    """What is done with each item.

    Attributes:
        name: what the progress bar says.
        do: makes the result; if it returns an awaitable, up to `concurrency` of them are under way at once.
        keep: takes the result at once, so that it survives whatever happens next.
        failed: tells whether a result counts as a failure in the progress bar.
    """

    name: str
    do: Callable[[Item], Result | Awaitable[Result]]
    keep: Callable[[Item, Result], None]
    failed: Callable[[Result], bool]


async def work(stage: Stage[Item, Result], items: Sequence[Item], concurrency: int) -> None:
    """Run a stage over items.

    The first exception stops the stage: nothing new is begun, what is under way is cancelled, and the exception is
    raised. What was kept before stays kept.
    """
    queue = deque(items)
    with tqdm(total=len(items), desc=stage.name, unit="item", disable=not items) as bar:
        progress = _Progress(bar)
        workers = [asyncio.create_task(_worker(stage, queue, progress)) for _ in range(min(concurrency, len(items)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)


class _Progress:
    """A progress bar that counts failures."""

    def __init__(self, bar: tqdm[Any]) -> None:
        self._bar = bar
        self._failed = 0
        bar.set_postfix(failed=0, refresh=False)

    def step(self, failed: bool) -> None:
        if failed:
            self._failed += 1
            self._bar.set_postfix(failed=self._failed, refresh=False)
        self._bar.update()


async def _worker(stage: Stage[Item, Result], queue: deque[Item], progress: _Progress) -> None:
    while queue:
        item = queue.popleft()
        try:
            made = stage.do(item)
            result: Result = await made if inspect.isawaitable(made) else made
            stage.keep(item, result)
        except BaseException:
            queue.clear()
            raise
        progress.step(stage.failed(result))
        # Gives other workers, and an interrupt, their turn also where `do` never waits.
        await asyncio.sleep(0)

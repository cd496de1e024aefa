"""Running one function over many items: bounded concurrency, a progress bar, results kept as they come."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal as system_signals
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import get_ident
from typing import Any, Generic, TypeVar

from tqdm import tqdm

from ragaliq.errors import Stopped
from ragaliq.execution.stopping import StopSignal

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Stage(Generic[Item, Result]):
    """What is done with items.

    Attributes:
        name: what the progress bar says.
        do: makes the results of up to `size` items, one each, in their order.
        keep: writes a result at once, so that it survives whatever happens to the process next.
        sync: waits, in a thread, until what was kept is on disk; only then is it reported as done.
        failed: tells whether a result counts as a failure in the progress bar.
        total: how many items there will be.
        concurrency: how many calls of `do` are under way at once.
        size: how many items `do` gets at once.
    """

    name: str
    do: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]]
    keep: Callable[[Item, Result], None]
    sync: Callable[[], None]
    failed: Callable[[Result], bool]
    total: int
    concurrency: int
    size: int = 1


async def work(stage: Stage[Item, Result], items: AsyncIterator[Item], signal: StopSignal, row: int = 0) -> None:
    """Run a stage over items; `row` is the line of its progress bar.

    The first exception ends the stage: nothing new is begun, what is under way is finished and kept, and the exception
    is raised. So does the stop signal.
    """
    feed = _Feed(items, signal)
    with tqdm(total=stage.total, desc=stage.name, unit="item", disable=not stage.total, position=row) as bar:
        progress = _Progress(bar, stage.sync)
        workers = [_worker(stage, feed, progress) for _ in range(min(stage.concurrency, max(1, stage.total)))]
        ended = await asyncio.gather(*workers, return_exceptions=True)
        ended += await asyncio.gather(progress.end(), return_exceptions=True)
    errors = [end for end in ended if isinstance(end, BaseException)]
    # A stop that was asked for is told last: an error says more.
    for error in sorted(errors, key=lambda error: isinstance(error, Stopped)):
        raise error
    signal.check()


async def each(items: Iterable[Item]) -> AsyncIterator[Item]:
    """Return items that are at hand."""
    for item in items:
        yield item


class _Feed(Generic[Item]):
    """Hands out items to the workers of a stage, until one of them fails."""

    def __init__(self, items: AsyncIterator[Item], signal: StopSignal) -> None:
        self._items = items
        self._signal = signal
        self._lock = asyncio.Lock()
        self._ended = False

    async def take(self, size: int) -> list[Item]:
        """Return the next items; none if there are no more."""
        taken: list[Item] = []
        async with self._lock:
            while len(taken) < size and not self._ended and not self._signal.asked:
                try:
                    taken.append(await anext(self._items))
                except StopAsyncIteration:
                    self._ended = True
        return [] if self._signal.asked else taken

    def end(self, error: BaseException) -> None:
        """Hand out nothing more; other stages end, too."""
        self._signal.ask(f"{type(error).__name__}: {error}")


class _Progress:
    """A progress bar that counts failures, and counts nothing that is not on disk.

    Waiting for the disk holds up neither the workers nor the event loop, and one wait serves all results of its time.
    """

    def __init__(self, bar: tqdm[Any], sync: Callable[[], None]) -> None:
        self._bar = bar
        self._sync = sync
        self._failed = 0
        self._kept: list[bool] = []
        self._syncing: asyncio.Task[None] | None = None
        bar.set_postfix(failed=0, refresh=False)

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
            self._failed += sum(kept)
            self._bar.set_postfix(failed=self._failed, refresh=False)
            self._bar.update(len(kept))


async def _worker(stage: Stage[Item, Result], feed: _Feed[Item], progress: _Progress) -> None:
    try:
        while items := await feed.take(stage.size):
            for item, result in zip(items, await stage.do(items), strict=True):
                stage.keep(item, result)
                progress.step(stage.failed(result))
    except BaseException as error:
        feed.end(error)
        raise


def run_to_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Return what a coroutine makes, also where an event loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    # A running loop cannot be waited for from inside.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class SerialThread:
    """One thread for all functions that are no coroutines: they never run two at once, and the event loop goes on."""

    def __init__(self) -> None:
        self._ident = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ragaliq", initializer=self._enter)

    def _enter(self) -> None:
        self._ident = get_ident()

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function or a coroutine function makes of its arguments."""
        if inspect.iscoroutinefunction(function):
            return await function(*arguments)

        def called() -> Any:
            try:
                return function(*arguments)
            except StopIteration as error:
                # A future takes any exception but this one, and would be waited for without end.
                raise RuntimeError("StopIteration") from error

        if get_ident() == self._ident:
            # A part that uses its own chatbot: the thread cannot wait for itself.
            made = called()
        else:
            made = await asyncio.get_running_loop().run_in_executor(self._thread, called)
        return await made if inspect.isawaitable(made) else made

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)


@contextmanager
def interruptible(signal: StopSignal) -> Iterator[None]:
    """Make Ctrl-C, and a request to terminate, ask for the stop; the second one ends the process at once.

    Where the system or the thread has no such handlers, Ctrl-C raises KeyboardInterrupt as usual.
    """
    loop = asyncio.get_running_loop()
    caught, interrupts = [], 0

    def interrupt() -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1:
            print("\nragaliq: stopped at once; what is finished is on disk, the same command goes on", file=sys.stderr)
            sys.stderr.flush()
            # Everything finished is on disk already; a thread that computes cannot be interrupted otherwise.
            os._exit(Stopped.exit_code)
        print("\nragaliq: stopping when what is under way is finished; again to stop at once", file=sys.stderr)
        signal.ask("interrupted; what is finished is on disk, the same command goes on")

    for number in (system_signals.SIGINT, system_signals.SIGTERM):
        try:
            loop.add_signal_handler(number, interrupt)
            caught.append(number)
        except (NotImplementedError, RuntimeError, ValueError):
            pass
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)

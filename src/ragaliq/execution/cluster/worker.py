"""A worker: the process on a machine of the cluster that carries out the stages' functions on records."""

from __future__ import annotations

import asyncio
import os
import pickle
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from ragaliq.blas import one_thread
from ragaliq.errors import RagaliqError
from ragaliq.storage.redaction import error_line, redact

# Records, or results, that come within this time of the first go together: each message costs the command a third of a
# millisecond. Nobody waits for others while nothing else is under way, or once there are so many.
LINGER_S, ENOUGH = 0.15, 8
_names: list[str] = []


@dataclass(frozen=True, slots=True)
class Opened:
    """A stage's function in a worker.

    Attributes:
        do: makes the results of up to `size` records, one each, in their order.
        size: how many records `do` gets at once.
        concurrency: how many calls of `do` are under way at once.
    """

    do: Callable[[Sequence[Any]], Awaitable[Sequence[Any]]]
    size: int = 1
    concurrency: int = 1


class StageWork(Protocol):
    """What a stage does, as plain data that can be sent to another machine."""

    def open(self) -> Opened:
        """Return the function, with its models loaded or to be loaded by the first call."""
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """A record for the function of a stage, by a number of its own."""

    stage: str
    number: int
    record: Any


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a task, or the exception that its function raised."""

    number: int
    result: Any = None
    error: BaseException | None = None


class Worker:
    """Takes tasks, and gives back what is done; Ray makes it an actor, whose methods run in one event loop."""

    def __init__(self, works: Mapping[str, StageWork], folder: str, name: str) -> None:
        """Take the stages' functions, which are opened when they are needed.

        Args:
            works: by the stage's name.
            folder: the working directory of the command, whose relative paths hold here, too, if it is there.
            name: of the worker, different from all others'.
        """
        one_thread()
        _names.append(name)
        with suppress(OSError):
            os.chdir(folder)
        self._works = works
        self._queues: dict[str, asyncio.Queue[Task]] = {}
        self._loops: list[asyncio.Task[None]] = []
        self._done: list[Done] = []
        self._under_way = 0
        self._news, self._enough = asyncio.Event(), asyncio.Event()

    async def node(self) -> str:
        """Return the id of the node that the worker is on; it is ready then."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    async def give(self, tasks: Sequence[Task]) -> None:
        """Take tasks; they begin in their order as the stage has room."""
        for task in tasks:
            if task.stage not in self._queues:
                self._queues[task.stage] = asyncio.Queue()
                opened = self._opened(task.stage)
                self._loops += [
                    asyncio.create_task(self._serve(self._queues[task.stage], opened))
                    for _ in range(opened.concurrency)
                ]
            self._under_way += 1
            self._queues[task.stage].put_nowait(task)

    def _opened(self, stage: str) -> Opened:
        """Return the function of a stage; of one that cannot be opened, a function that raises why."""
        try:
            return self._works[stage].open()
        except (Exception, SystemExit) as error:  # Parts may be anybody's code.
            failure = error

            async def fail(_: Sequence[Any]) -> Sequence[Any]:
                raise failure

            return Opened(fail)

    async def take(self) -> list[Done]:
        """Return what is done since the last call, soon after there is something."""
        await self._news.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._enough.wait(), LINGER_S)
        self._news.clear()
        self._enough.clear()
        done, self._done = self._done, []
        return done

    async def _serve(self, queue: asyncio.Queue[Task], opened: Opened) -> None:
        while True:
            tasks = [await queue.get()]
            while len(tasks) < opened.size and not queue.empty():
                tasks.append(queue.get_nowait())
            try:
                results = await opened.do([task.record for task in tasks])
                done = [Done(task.number, result) for task, result in zip(tasks, results, strict=True)]
            except (Exception, SystemExit) as error:  # Parts may be anybody's code; the caller decides what it means.
                sent = _sendable(error)
                done = [Done(task.number, error=sent) for task in tasks]
            self._done += done
            self._under_way -= len(tasks)
            self._news.set()
            # What is done one at a time takes long, and would be done again if the worker died now.
            if len(self._done) >= ENOUGH or not self._under_way or opened.concurrency == 1:
                self._enough.set()


def worker_name() -> str:
    """Return the name of the worker that this process is."""
    return _names[-1]


def _sendable(error: BaseException) -> BaseException:
    """Return an exception that another process can raise, with the lines of its traceback as a note."""
    if not isinstance(error, RagaliqError):
        error.add_note(redact("".join(traceback.format_exception(error))))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # An exception of somebody's own may hold anything.
        return RuntimeError(error_line(error))
    return error

"""A pool of workers: calls of a stage's function on records, wherever there is room, repeated if a worker dies."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ragaliq.errors import Stopped
from ragaliq.execution.cluster.worker import ENOUGH, LINGER_S, Done, StageWork, Task, Worker
from ragaliq.execution.progress import say
from ragaliq.execution.stopping import StopSignal

# Workers that may die for each one that is wanted, before the work is taken to kill them.
_DEATHS = 3


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the workers of a pool run.

    Attributes:
        workers: how many there are.
        ahead: most records that a worker has, those that wait there included.
        gpus: the share of a GPU that each reserves.
    """

    workers: int
    ahead: int = 32
    gpus: float = 0.0


@dataclass
class _Seat:
    """A place for a worker: what it was given and has not given back."""

    room: asyncio.Semaphore
    given: dict[int, Task] = field(default_factory=dict)


class Pool:
    """Workers for stages, started by the first call."""

    def __init__(
        self,
        works: Mapping[str, StageWork],
        placement: Placement,
        signal: StopSignal,
        lost: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Take what the workers do; `lost` is called with the name of each worker that died."""
        self._when_lost = lost
        self._works = dict(works)
        self._placement = placement
        self._signal = signal
        self._tasks: asyncio.Queue[Task] = asyncio.Queue()
        self._futures: dict[int, asyncio.Future[Any]] = {}
        self._seats: list[asyncio.Task[None]] = []
        self._actors: list[Any] = []
        self._number = self._deaths = 0
        # Stage and node → tasks given to workers there, each a batch of records, and the records that came back.
        self.tasks: Counter[tuple[str, str]] = Counter()
        self.records: Counter[tuple[str, str]] = Counter()

    async def call(self, stage: str, record: Any) -> Any:
        """Return what a stage's function makes of a record; what it raises is raised here.

        A record whose worker dies goes to another one.

        Raises:
            Stopped: if workers die again and again.
        """
        if not self._seats:
            self._seats = [asyncio.create_task(self._seat()) for _ in range(self._placement.workers)]
        self._number += 1
        number = self._number
        future = self._futures[number] = asyncio.get_running_loop().create_future()
        self._tasks.put_nowait(Task(stage, number, record))
        return await future

    async def __aenter__(self) -> Self:
        """Start nothing yet."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the workers."""
        import ray

        for seat in self._seats:
            seat.cancel()
        await asyncio.gather(*self._seats, return_exceptions=True)
        for actor in self._actors:
            ray.kill(actor)
        self._seats, self._actors = [], []

    def report(self) -> list[str]:
        """Return a line for each stage: its records, in how many tasks, on how many nodes."""
        lines = []
        for stage in sorted({stage for stage, _ in self.records}):
            nodes = sorted(node for name, node in self.records if name == stage)
            shares = ", ".join(f"{self.records[stage, node]} in {self.tasks[stage, node]} tasks" for node in nodes)
            lines.append(f"ray: {stage}: records of {len(nodes)} nodes: {shares}")
        return lines

    async def _seat(self) -> None:
        """Keep one place filled with a living worker."""
        from ray.exceptions import RayError, RayTaskError

        while True:
            seat = _Seat(asyncio.Semaphore(self._placement.ahead))
            name = uuid.uuid4().hex
            actor = self._start(name)
            try:
                node = await actor.node.remote()
                await self._work(seat, actor, node)
            except Exception as error:
                if not isinstance(error, RayError) or isinstance(error, RayTaskError):
                    # A fault of ours, which must not leave callers waiting.
                    self._fail(error)
                    raise
                self._when_lost(name)
                self._lost(seat, error)
            self._actors.remove(actor)

    def _start(self, name: str) -> Any:
        import ray

        options = {"num_cpus": 0.001, "num_gpus": self._placement.gpus, "scheduling_strategy": "SPREAD"}
        actor = ray.remote(Worker).options(max_restarts=0, **options).remote(self._works, os.getcwd(), name)
        self._actors.append(actor)
        return actor

    async def _work(self, seat: _Seat, actor: Any, node: str) -> None:
        giving = asyncio.create_task(self._give(seat, actor, node))
        taking = asyncio.create_task(self._take(seat, actor, node))
        try:
            ended, _ = await asyncio.wait((giving, taking), return_when=asyncio.FIRST_EXCEPTION)
            for task in ended:
                task.result()
        finally:
            for task in (giving, taking):
                task.cancel()
            await asyncio.gather(giving, taking, return_exceptions=True)

    async def _give(self, seat: _Seat, actor: Any, node: str) -> None:
        while True:
            await seat.room.acquire()
            batch = [await self._next(seat)]
            if len(seat.given) > ENOUGH:
                # It has something to do.
                await asyncio.sleep(LINGER_S / 2)
            # No worker takes all there is while others wait.
            for _ in range(-(-self._tasks.qsize() // self._placement.workers)):
                if seat.room.locked() or self._tasks.empty():
                    break
                await seat.room.acquire()
                batch.append(await self._next(seat))
            self.tasks.update({(stage, node) for stage in {task.stage for task in batch}})
            await actor.give.remote(batch)

    async def _next(self, seat: _Seat) -> Task:
        task = await self._tasks.get()
        seat.given[task.number] = task
        return task

    async def _take(self, seat: _Seat, actor: Any, node: str) -> None:
        while True:
            done: list[Done] = await actor.take.remote()
            for one in done:
                task = seat.given.pop(one.number)
                seat.room.release()
                self.records[task.stage, node] += 1
                self._settle(one)

    def _settle(self, done: Done) -> None:
        future = self._futures.pop(done.number)
        if future.done():
            return
        if done.error is None:
            future.set_result(done.result)
        else:
            if isinstance(done.error, Stopped):
                # With the worker's reason, before the caller gives one.
                self._signal.ask(str(done.error))
            future.set_exception(done.error)

    def _lost(self, seat: _Seat, error: Exception) -> None:
        """Give the records of a worker that died to others, unless workers die of them."""
        self._deaths += 1
        for task in seat.given.values():
            self._tasks.put_nowait(task)
        if self._deaths > _DEATHS * self._placement.workers:
            reason = f"--engine ray: {self._deaths} workers died; what is finished is on disk, the same command goes on"
            self._signal.ask(reason)
            self._fail(Stopped(reason))
        elif seat.given:
            say(f"note: --engine ray: a worker died ({type(error).__name__}); {len(seat.given)} records go to others")

    def _fail(self, error: Exception) -> None:
        for future in self._futures.values():
            if not future.done():
                future.set_exception(error)
        self._futures.clear()

"""A worker: takes tasks, gives back results together, and an exception as the exception that it was."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.execution.cluster import worker as module
from ragaliq.execution.cluster.worker import Done, Opened, Task, Worker


@dataclass(frozen=True)
class Squares:
    """Squares numbers, up to three at once; none below 0, and none at all of a closed one."""

    closed: bool = False

    def open(self) -> Opened:
        if self.closed:
            raise InputError("closed")

        async def squares(numbers: Sequence[int]) -> list[int]:
            if min(numbers) < 0:
                raise ValueError(f"below 0: {min(numbers)}")
            await asyncio.sleep(0)
            return [number * number for number in numbers]

        return Opened(squares, size=3)


def done(tasks: Sequence[Task], *, closed: bool = False) -> list[Done]:
    async def work() -> list[Done]:
        worker = Worker({"squares": Squares(closed)}, str(Path.cwd()), "w")
        await worker.give(tasks)
        taken: list[Done] = []
        while len(taken) < len(tasks):
            taken += await worker.take()
        return taken

    return asyncio.run(work())


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINGER_S", 0.01)


def test_every_task_comes_back_once_under_its_number() -> None:
    taken = done([Task("squares", number, number + 10) for number in range(8)])
    assert [(one.number, one.result, one.error) for one in taken] == [(n, (n + 10) ** 2, None) for n in range(8)]
    assert module.worker_name() == "w"


def test_an_exception_comes_back_with_its_kind_and_its_lines() -> None:
    (one,) = done([Task("squares", 1, -3)])
    assert isinstance(one.error, ValueError) and str(one.error) == "below 0: -3"
    assert "in squares" in one.error.__notes__[0]


def test_a_stage_that_cannot_be_opened_says_why_for_each_task() -> None:
    taken = done([Task("squares", 1, 1), Task("squares", 2, 2)], closed=True)
    assert [type(one.error) for one in taken] == [InputError, InputError]

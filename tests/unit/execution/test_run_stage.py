"""One function over many items: bounded, kept as they come, stopped by the first exception or by the signal."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from fakes import run_clocked
from ragaliq.errors import Stopped
from ragaliq.execution.run_stage import run_stage
from ragaliq.execution.stopping import StopSignal


@dataclass
class Calls:
    """A session without connections."""

    concurrency: int
    signal: StopSignal = field(default_factory=StopSignal)

    def sync(self) -> None:
        """Nothing is left behind."""

    async def close(self) -> None:
        raise AssertionError("a stage closes nothing")


class Squares:
    """Squares numbers and keeps them; knows what was begun and kept, and how many batches were under way at once."""

    def __init__(self, fails_at: int | None = None, seconds: float = 1.0) -> None:
        self.begun: list[int] = []
        self.batches: list[int] = []
        self.kept: list[tuple[int, int]] = []
        self.now = self.most = 0
        self._fails_at = fails_at
        self._seconds = seconds

    async def do(self, items: Sequence[int]) -> list[tuple[int, int]]:
        self.begun += items
        self.batches.append(len(items))
        if self._fails_at in items:
            await asyncio.sleep(self._seconds / 2)
            raise LookupError(f"item {self._fails_at}")
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(self._seconds)
        finally:
            self.now -= 1
        return [(item, item * item) for item in items]

    def append(self, result: tuple[int, int]) -> None:
        self.kept.append(result)

    def sync(self) -> None:
        pass

    def failed(self, result: tuple[int, int]) -> bool:
        return result[1] % 2 == 0


def run(
    squares: Squares,
    count: int,
    concurrency: int,
    size: int = 1,
    signal: StopSignal | None = None,
    do: Callable[[Sequence[int]], Any] | None = None,
) -> None:
    session = Calls(concurrency, signal or StopSignal())
    run_clocked(run_stage("squares", range(count), do or squares.do, squares, session, size=size))


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (4, 4), (64, 20)])
def test_at_most_so_many_are_under_way(concurrency: int, most: int) -> None:
    squares = Squares()
    run(squares, 20, concurrency)
    assert squares.most == most
    assert squares.begun == list(range(20))
    assert sorted(squares.kept) == [(i, i * i) for i in range(20)]


def test_one_after_the_other_keeps_the_order() -> None:
    squares = Squares()
    run(squares, 5, 1)
    assert squares.kept == [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]


@pytest.mark.parametrize(("size", "batches"), [(1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (100, [7])])
def test_items_come_in_batches(size: int, batches: list[int]) -> None:
    squares = Squares()
    run(squares, 7, 1, size)
    assert squares.batches == batches
    assert squares.kept == [(i, i * i) for i in range(7)]


def test_nothing_to_do_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    squares = Squares()
    run(squares, 0, 4)
    assert squares.begun == [] and capsys.readouterr().err == "", "there is no bar of nothing"


def test_a_result_is_kept_before_the_next_item_is_begun() -> None:
    log: list[str] = []

    async def do(items: Sequence[int]) -> Sequence[int]:
        log.append(f"do {items[0]}")
        return items

    class Log(Squares):
        def append(self, result: Any) -> None:
            log.append(f"keep {result}")

        def failed(self, result: Any) -> bool:
            return False

    run(Log(), 3, 1, do=do)
    assert log == ["do 0", "keep 0", "do 1", "keep 1", "do 2", "keep 2"]


def test_an_exception_ends_the_stage_and_what_is_under_way_is_kept() -> None:
    squares, signal = Squares(fails_at=5), StopSignal()
    with pytest.raises(LookupError, match="item 5"):
        run(squares, 100, 4, signal=signal)
    # 0…3 are done when 4, 5, 6, 7 are begun; 5 fails, the other three are finished, nothing else is begun.
    assert squares.begun == list(range(8))
    assert sorted(squares.kept) == [(i, i * i) for i in (0, 1, 2, 3, 4, 6, 7)]
    with pytest.raises(Stopped, match="LookupError: item 5"):
        signal.check()


def test_a_result_that_cannot_be_kept_ends_the_stage() -> None:
    class Full(Squares):
        def append(self, result: tuple[int, int]) -> None:
            raise OSError(28, "No space left on device")

    squares = Full()
    with pytest.raises(OSError, match="No space left"):
        run(squares, 9, 2)
    assert squares.begun == [0, 1]


def test_a_result_for_each_item_is_needed() -> None:
    for count in (0, 1, 3):

        async def do(items: Sequence[int], count: int = count) -> list[tuple[int, int]]:
            return [(1, 1)] * count

        with pytest.raises(ValueError):
            run(Squares(), 4, 1, 2, do=do)


def test_the_signal_ends_the_stage_when_what_is_under_way_is_done() -> None:
    squares, signal = Squares(), StopSignal()

    async def stopped() -> None:
        asyncio.get_running_loop().call_later(2.5, signal.ask, "interrupted")
        await run_stage("s", range(100), squares.do, squares, Calls(3, signal))

    with pytest.raises(Stopped, match="interrupted"):
        run_clocked(stopped())
    assert sorted(squares.kept) == [(i, i * i) for i in range(9)]
    assert squares.begun == list(range(9))


def test_a_signal_that_was_asked_before_begins_nothing() -> None:
    squares, signal = Squares(), StopSignal()
    signal.ask("enough")
    with pytest.raises(Stopped, match="enough"):
        run(squares, 5, 2, signal=signal)
    assert squares.begun == []


def test_an_error_says_more_than_the_stop_that_it_causes() -> None:
    signal = StopSignal()

    async def do(items: Sequence[int]) -> Sequence[int]:
        if items[0] == 2:
            raise LookupError("two")
        await signal.sleep(60)
        return items

    with pytest.raises(LookupError, match="two"):
        run(Squares(), 9, 4, signal=signal, do=do)


def test_items_may_come_while_others_are_worked_on() -> None:
    squares = Squares()

    async def handed_on() -> AsyncIterator[int]:
        for number in range(4):
            await asyncio.sleep(10)
            yield number

    async def timed() -> float:
        begun = asyncio.get_running_loop().time()
        await run_stage("s", handed_on(), squares.do, squares, Calls(2), total=4)
        return asyncio.get_running_loop().time() - begun

    assert run_clocked(timed()) == pytest.approx(41.0)
    assert squares.kept == [(0, 0), (1, 1), (2, 4), (3, 9)]


@pytest.mark.parametrize("size", [1, 2])
def test_an_item_that_comes_after_the_stop_is_not_begun(size: int) -> None:
    squares, signal = Squares(), StopSignal()

    async def late() -> AsyncIterator[int]:
        yield 0
        await asyncio.sleep(5)
        yield 1
        yield 2

    async def stopped() -> None:
        asyncio.get_running_loop().call_later(3, signal.ask, "interrupted")
        await run_stage("s", late(), squares.do, squares, Calls(1, signal), total=3, size=size)

    with pytest.raises(Stopped, match="interrupted"):
        run_clocked(stopped())
    assert squares.begun == [0] * (size == 1)


def test_items_that_fail_to_come_end_all_stages() -> None:
    squares, signal = Squares(), StopSignal()

    async def broken() -> AsyncIterator[int]:
        yield 0
        yield 1
        raise ConnectionError("the list broke off")

    with pytest.raises(ConnectionError, match="broke off"):
        run_clocked(run_stage("s", broken(), squares.do, squares, Calls(3, signal), total=5))
    assert sorted(squares.kept) == [(0, 0), (1, 1)] and signal.asked


def test_of_two_stages_the_second_ends_with_the_first() -> None:
    ready: asyncio.Queue[int | None] = asyncio.Queue()

    class HandsOn(Squares):
        def append(self, result: tuple[int, int]) -> None:
            super().append(result)
            ready.put_nowait(result[0])

    first, second, signal = HandsOn(fails_at=3), Squares(seconds=5.0), StopSignal()

    async def handed_on() -> AsyncIterator[int]:
        while (item := await ready.get()) is not None:
            yield item

    async def answer() -> None:
        try:
            await run_stage("a", range(9), first.do, first, Calls(1, signal))
        finally:
            ready.put_nowait(None)

    async def both() -> list[Any]:
        jobs = (answer(), run_stage("b", handed_on(), second.do, second, Calls(2, signal), total=9, row=1))
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    ended = run_clocked(both())
    assert isinstance(ended[0], LookupError) and isinstance(ended[1], Stopped)
    assert first.kept == [(0, 0), (1, 1), (2, 4)]
    assert second.kept == [(0, 0), (1, 1)], "what was under way is kept, 2 waited and was not begun"


def test_nothing_is_reported_that_is_not_on_disk(capsys: pytest.CaptureFixture[str]) -> None:
    """A slow disk holds up neither workers nor the loop; the bar never runs ahead of it, and one wait serves many."""
    syncs = []

    class Slow(Squares):
        def sync(self) -> None:
            on_disk = len(self.kept)
            time.sleep(0.02)
            syncs.append(on_disk)
            said = re.findall(r" (\d+)/60 ", capsys.readouterr().err)
            assert max(map(int, said), default=0) <= max(syncs[:-1], default=0)

    squares = Slow(seconds=0.001)
    asyncio.run(run_stage("s", range(60), squares.do, squares, Calls(4)))
    assert syncs[-1] == 60 and len(syncs) < 30
    assert "60/60" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 50])
def test_a_disk_that_fails_ends_the_stage(count: int) -> None:
    class Broken(Squares):
        def sync(self) -> None:
            raise OSError(5, "Input/output error")

    squares, signal = Broken(seconds=0.001), StopSignal()
    with pytest.raises(OSError, match="Input/output error"):
        asyncio.run(run_stage("s", range(count), squares.do, squares, Calls(2, signal)))
    assert count == 1 or (signal.asked and len(squares.begun) < count)


def test_failures_are_counted_in_the_progress(capsys: pytest.CaptureFixture[str]) -> None:
    run(Squares(), 5, 2)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("squares: 5/5 in ") and line.endswith(", 3 failed")

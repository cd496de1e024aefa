"""One function over many items: bounded, kept as they come, stopped by the first exception."""

from __future__ import annotations

import asyncio

import pytest

from ragaliq.engine import Stage, work


class Recorder:
    """Counts what is under way and keeps results."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.kept: list[tuple[int, int]] = []
        self.now = 0
        self.most = 0
        self.cancelled = 0

    async def square(self, item: int) -> int:
        self.begun.append(item)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1
        return item * item

    def keep(self, item: int, result: int) -> None:
        self.kept.append((item, result))


def never(_: int) -> bool:
    return False


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (4, 4), (64, 20)])
def test_at_most_so_many_are_under_way(concurrency: int, most: int) -> None:
    recorder = Recorder()
    asyncio.run(work(Stage("s", recorder.square, recorder.keep, never), range(20), concurrency))
    assert recorder.most == most
    assert recorder.begun == list(range(20))
    assert sorted(recorder.kept) == [(i, i * i) for i in range(20)]


def test_a_plain_function_keeps_its_order() -> None:
    recorder = Recorder()
    asyncio.run(work(Stage("s", lambda item: item + 1, recorder.keep, never), range(5), 1))
    assert recorder.kept == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


def test_nothing_to_do_is_done() -> None:
    recorder = Recorder()
    asyncio.run(work(Stage("s", recorder.square, recorder.keep, never), [], 4))
    assert recorder.begun == []


def test_an_exception_stops_the_stage_and_what_was_kept_stays() -> None:
    recorder = Recorder()

    async def do(item: int) -> int:
        if item == 5:
            raise LookupError("five")
        return await recorder.square(item)

    with pytest.raises(LookupError, match="five"):
        asyncio.run(work(Stage("s", do, recorder.keep, never), range(100), 4))
    # At most three others were under way beside the fifth: they were kept or cancelled, and nothing new was begun.
    assert recorder.kept[:4] == [(0, 0), (1, 1), (2, 4), (3, 9)]
    assert len(recorder.begun) == len(recorder.kept) + recorder.cancelled
    assert set(recorder.begun) <= {0, 1, 2, 3, 4, 6, 7}


def test_after_an_exception_of_a_plain_function_nothing_new_is_begun() -> None:
    begun: list[int] = []

    def do(item: int) -> int:
        begun.append(item)
        if item == 2:
            raise LookupError("two")
        return item

    with pytest.raises(LookupError):
        asyncio.run(work(Stage("s", do, lambda item, result: None, never), range(100), 4))
    assert begun == [0, 1, 2]


def test_a_result_is_kept_before_the_next_item_is_begun() -> None:
    log: list[str] = []

    async def do(item: int) -> int:
        log.append(f"do {item}")
        return item

    asyncio.run(work(Stage("s", do, lambda item, _: log.append(f"keep {item}"), never), range(3), 1))
    assert log == ["do 0", "keep 0", "do 1", "keep 1", "do 2", "keep 2"]


def test_failures_are_counted_in_the_progress(capsys: pytest.CaptureFixture[str]) -> None:
    recorder = Recorder()
    asyncio.run(work(Stage("reading", lambda item: item, recorder.keep, lambda n: n % 2 == 0), range(5), 2))
    last = capsys.readouterr().err.splitlines()[-1]
    assert "reading: 100%" in last and "5/5" in last and "failed=3" in last

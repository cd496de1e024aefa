"""One function over many items: bounded, kept as they come, stopped by the first exception or by the signal."""

from __future__ import annotations

import asyncio
import os
import re
import signal as system_signals
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fakes import run_clocked
from ragaliq.errors import Stopped
from ragaliq.execution.engine import SerialThread, Stage, each, interruptible, work
from ragaliq.execution.stopping import StopSignal

SRC = Path(__file__).resolve().parents[3] / "src"


def even(number: int) -> bool:
    return number % 2 == 0


def nothing(*_: object) -> None:
    pass


class Recorder:
    """Squares numbers; knows what was begun and kept, and how many batches were under way at once."""

    def __init__(self, fails_at: int | None = None, seconds: float = 1.0) -> None:
        self.begun: list[int] = []
        self.batches: list[int] = []
        self.kept: list[tuple[int, int]] = []
        self.now = self.most = self.synced = 0
        self._fails_at = fails_at
        self._seconds = seconds

    async def squares(self, items: Sequence[int]) -> list[int]:
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
        return [item * item for item in items]

    def keep(self, item: int, result: int) -> None:
        self.kept.append((item, result))

    def sync(self) -> None:
        self.synced = len(self.kept)

    def stage(self, total: int, concurrency: int, size: int = 1) -> Stage[int, int]:
        return Stage("squares", self.squares, self.keep, self.sync, even, total, concurrency, size)


def run(recorder: Recorder, count: int, concurrency: int, size: int = 1, signal: StopSignal | None = None) -> None:
    stage = recorder.stage(count, concurrency, size)
    run_clocked(work(stage, each(range(count)), signal or StopSignal()))


@pytest.mark.parametrize(("concurrency", "most"), [(1, 1), (4, 4), (64, 20)])
def test_at_most_so_many_are_under_way(concurrency: int, most: int) -> None:
    recorder = Recorder()
    run(recorder, 20, concurrency)
    assert recorder.most == most
    assert recorder.begun == list(range(20))
    assert sorted(recorder.kept) == [(i, i * i) for i in range(20)]


def test_one_after_the_other_keeps_the_order() -> None:
    recorder = Recorder()
    run(recorder, 5, 1)
    assert recorder.kept == [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]


@pytest.mark.parametrize(("size", "batches"), [(1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (100, [7])])
def test_items_come_in_batches(size: int, batches: list[int]) -> None:
    recorder = Recorder()
    run(recorder, 7, 1, size)
    assert recorder.batches == batches
    assert recorder.kept == [(i, i * i) for i in range(7)]


def test_nothing_to_do_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    recorder = Recorder()
    run(recorder, 0, 4)
    assert recorder.begun == [] and capsys.readouterr().err == "", "there is no bar of nothing"


def test_a_result_is_kept_before_the_next_item_is_begun() -> None:
    log: list[str] = []

    async def do(items: Sequence[int]) -> Sequence[int]:
        log.append(f"do {items[0]}")
        return items

    stage = Stage("s", do, lambda item, _: log.append(f"keep {item}"), nothing, even, 3, 1)
    run_clocked(work(stage, each(range(3)), StopSignal()))
    assert log == ["do 0", "keep 0", "do 1", "keep 1", "do 2", "keep 2"]


def test_an_exception_ends_the_stage_and_what_is_under_way_is_kept() -> None:
    recorder, signal = Recorder(fails_at=5), StopSignal()
    with pytest.raises(LookupError, match="item 5"):
        run(recorder, 100, 4, signal=signal)
    # 0…3 are done when 4, 5, 6, 7 are begun; 5 fails, the other three are finished, nothing else is begun.
    assert recorder.begun == list(range(8))
    assert sorted(recorder.kept) == [(i, i * i) for i in (0, 1, 2, 3, 4, 6, 7)]
    with pytest.raises(Stopped, match="LookupError: item 5"):
        signal.check()


def test_a_result_that_cannot_be_kept_ends_the_stage() -> None:
    recorder = Recorder()

    def full(item: int, result: int) -> None:
        raise OSError(28, "No space left on device")

    stage = Stage("s", recorder.squares, full, nothing, even, 9, 2)
    with pytest.raises(OSError, match="No space left"):
        run_clocked(work(stage, each(range(9)), StopSignal()))
    assert len(recorder.begun) <= 4


@pytest.mark.parametrize("results", [[], [1], [1, 2, 3]])
def test_a_result_for_each_item_is_needed(results: list[int]) -> None:
    async def do(items: Sequence[int]) -> list[int]:
        return results

    stage: Stage[int, int] = Stage("s", do, nothing, nothing, even, 4, 1, 2)
    with pytest.raises(ValueError, match="zip"):
        run_clocked(work(stage, each(range(4)), StopSignal()))


def test_the_signal_ends_the_stage_when_what_is_under_way_is_done() -> None:
    recorder, signal = Recorder(), StopSignal()

    async def stopped() -> None:
        asyncio.get_running_loop().call_later(2.5, signal.ask, "interrupted")
        await work(recorder.stage(100, 3), each(range(100)), signal)

    with pytest.raises(Stopped, match="interrupted"):
        run_clocked(stopped())
    assert sorted(recorder.kept) == [(i, i * i) for i in range(9)]
    assert recorder.begun == list(range(9))


def test_a_signal_that_was_asked_before_begins_nothing() -> None:
    recorder, signal = Recorder(), StopSignal()
    signal.ask("enough")
    with pytest.raises(Stopped, match="enough"):
        run(recorder, 5, 2, signal=signal)
    assert recorder.begun == []


def test_an_error_says_more_than_the_stop_that_it_causes() -> None:
    signal = StopSignal()

    async def do(items: Sequence[int]) -> Sequence[int]:
        if items[0] == 2:
            raise LookupError("two")
        await signal.sleep(60)
        return items

    stage = Stage("s", do, nothing, nothing, even, 9, 4)
    with pytest.raises(LookupError, match="two"):
        run_clocked(work(stage, each(range(9)), signal))


def test_items_may_come_while_others_are_worked_on() -> None:
    recorder = Recorder()

    async def handed_on() -> AsyncIterator[int]:
        for number in range(4):
            await asyncio.sleep(10)
            yield number

    async def timed() -> float:
        begun = asyncio.get_running_loop().time()
        await work(recorder.stage(4, 2), handed_on(), StopSignal())
        return asyncio.get_running_loop().time() - begun

    assert run_clocked(timed()) == pytest.approx(41.0)
    assert recorder.kept == [(0, 0), (1, 1), (2, 4), (3, 9)]


@pytest.mark.parametrize("size", [1, 2])
def test_an_item_that_comes_after_the_stop_is_not_begun(size: int) -> None:
    recorder, signal = Recorder(), StopSignal()

    async def late() -> AsyncIterator[int]:
        yield 0
        await asyncio.sleep(5)
        yield 1
        yield 2

    async def stopped() -> None:
        asyncio.get_running_loop().call_later(3, signal.ask, "interrupted")
        await work(recorder.stage(3, 1, size), late(), signal)

    with pytest.raises(Stopped, match="interrupted"):
        run_clocked(stopped())
    assert recorder.begun == [0] * (size == 1)


def test_items_that_fail_to_come_end_all_stages() -> None:
    recorder, signal = Recorder(), StopSignal()

    async def broken() -> AsyncIterator[int]:
        yield 0
        yield 1
        raise ConnectionError("the list broke off")

    with pytest.raises(ConnectionError, match="broke off"):
        run_clocked(work(recorder.stage(5, 3), broken(), signal))
    assert sorted(recorder.kept) == [(0, 0), (1, 1)] and signal.asked


def test_of_two_stages_the_second_ends_with_the_first() -> None:
    first, second, signal = Recorder(fails_at=3), Recorder(seconds=5.0), StopSignal()
    ready: asyncio.Queue[int | None] = asyncio.Queue()

    async def handed_on() -> AsyncIterator[int]:
        while (item := await ready.get()) is not None:
            yield item

    async def answer() -> None:
        def keep(item: int, result: int) -> None:
            first.keep(item, result)
            ready.put_nowait(item)

        try:
            await work(Stage("a", first.squares, keep, nothing, even, 9, 1), each(range(9)), signal)
        finally:
            ready.put_nowait(None)

    async def both() -> list[Any]:
        jobs = (answer(), work(second.stage(9, 2), handed_on(), signal, row=1))
        return list(await asyncio.gather(*jobs, return_exceptions=True))

    ended = run_clocked(both())
    assert isinstance(ended[0], LookupError) and isinstance(ended[1], Stopped)
    assert first.kept == [(0, 0), (1, 1), (2, 4)]
    assert second.kept == [(0, 0), (1, 1)], "what was under way is kept, 2 waited and was not begun"


def test_nothing_is_reported_that_is_not_on_disk(capsys: pytest.CaptureFixture[str]) -> None:
    """A slow disk holds up neither workers nor the loop; the bar never runs ahead of it, and one wait serves many."""
    recorder, syncs = Recorder(seconds=0.001), []

    def slow() -> None:
        on_disk = len(recorder.kept)
        time.sleep(0.02)
        syncs.append(on_disk)
        said = re.findall(r" (\d+)/60 ", capsys.readouterr().err)
        assert max(map(int, said), default=0) <= max(syncs[:-1], default=0)

    stage = Stage("s", recorder.squares, recorder.keep, slow, even, 60, 4)
    asyncio.run(work(stage, each(range(60)), StopSignal()))
    assert syncs[-1] == 60 and len(syncs) < 30
    assert "60/60" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 50])
def test_a_disk_that_fails_ends_the_stage(count: int) -> None:
    recorder, signal = Recorder(seconds=0.001), StopSignal()

    def broken() -> None:
        raise OSError(5, "Input/output error")

    stage = Stage("s", recorder.squares, recorder.keep, broken, even, count, 2)
    with pytest.raises(OSError, match="Input/output error"):
        asyncio.run(work(stage, each(range(count)), signal))
    assert count == 1 or (signal.asked and len(recorder.begun) < count)


def test_failures_are_counted_in_the_progress(capsys: pytest.CaptureFixture[str]) -> None:
    run(Recorder(), 5, 2)
    last = capsys.readouterr().err.splitlines()[-1]
    assert "squares: 100%" in last and "5/5" in last and "failed=3" in last


class TestLane:
    """Plain functions on one thread."""

    def test_what_is_no_coroutine_runs_in_one_other_thread(self) -> None:
        async def called() -> list[str]:
            thread = SerialThread()
            names = await asyncio.gather(*(thread.call(threading.current_thread) for _ in range(5)))
            thread.close()
            return [thread.name for thread in names]

        names = asyncio.run(called())
        assert len(set(names)) == 1 and names[0] != threading.current_thread().name

    def test_two_never_run_at_once_and_the_loop_goes_on(self) -> None:
        now, most, ticks = 0, 0, 0

        def slow() -> None:
            nonlocal now, most
            now += 1
            most = max(most, now)
            time.sleep(0.05)
            now -= 1

        async def called() -> None:
            nonlocal ticks
            thread = SerialThread()
            calls = asyncio.gather(*(thread.call(slow) for _ in range(4)))
            while not calls.done():
                ticks += 1
                await asyncio.sleep(0.005)
            thread.close()

        asyncio.run(called())
        assert most == 1 and ticks > 10

    def test_every_kind_of_function_is_called(self) -> None:
        class Part:
            def plain(self, n: int) -> int:
                return n + 1

            async def coroutine(self, n: int) -> int:
                await asyncio.sleep(0)
                return n + 2

            def future(self, n: int) -> Any:
                return self.coroutine(n)

            async def __call__(self, n: int) -> int:
                return n + 3

        part = Part()
        functions: list[Callable[..., Any]] = [
            part.plain,
            part.coroutine,
            part.future,
            part,
            partial(part.coroutine, 9),
        ]

        async def called() -> list[Any]:
            thread = SerialThread()
            made = [
                await thread.call(function, *(() if isinstance(function, partial) else (1,))) for function in functions
            ]
            thread.close()
            return made

        assert asyncio.run(called()) == [2, 3, 3, 4, 11]

    @pytest.mark.parametrize("raised", [ValueError("no"), StopIteration(), SystemExit(3), KeyError("k")], ids=repr)
    def test_whatever_a_function_raises_comes_back(self, raised: BaseException) -> None:
        def broken() -> None:
            raise raised

        async def called() -> BaseException | None:
            thread = SerialThread()
            try:
                async with asyncio.timeout(10):
                    await thread.call(broken)
            except (Exception, SystemExit) as error:
                return error
            finally:
                thread.close()
            return None

        error = asyncio.run(called())
        # A future cannot hold a StopIteration, so it is told inside another exception.
        assert error is raised or (isinstance(error, RuntimeError) and error.__cause__ is raised)


INTERRUPTED = """
import asyncio, sys, time
from ragaliq.execution.engine import SerialThread, Stage, each, interruptible, work
from ragaliq.errors import Stopped
from ragaliq.execution.stopping import StopSignal

def slow(item):
    print("begun", item, flush=True)
    time.sleep(0.5)
    return item

async def main():
    signal, thread = StopSignal(), SerialThread()

    async def do(items):
        return [await thread.call(slow, item) for item in items]

    stage = Stage("s", do, lambda item, _: print("kept", item, flush=True), int, lambda _: False, 100, 1)
    with interruptible(signal):
        try:
            await work(stage, each(range(100)), signal)
        finally:
            thread.close()

try:
    asyncio.run(main())
except Stopped as stop:
    print("stopped:", stop)
    sys.exit(stop.exit_code)
"""


def interrupted(*numbers: int) -> tuple[int, list[str], str, float]:
    """Exit code, output, messages and seconds of a process that gets signals while it works."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        env={**os.environ, "PYTHONPATH": str(SRC)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = [process.stdout.readline().strip()]
    begun = time.monotonic()
    for number in numbers:
        os.kill(process.pid, number)
        time.sleep(0.1)
    rest, messages = process.communicate(timeout=60)
    return process.returncode, said + rest.splitlines(), messages, time.monotonic() - begun


posix = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")


@posix
@pytest.mark.parametrize("number", [system_signals.SIGINT, system_signals.SIGTERM])
def test_an_interruption_finishes_what_is_under_way(number: int) -> None:
    code, said, messages, _ = interrupted(number)
    assert said == [
        "begun 0", "kept 0", "stopped: interrupted; what is finished is on disk, the same command goes on",
    ]  # fmt: skip
    assert code == 3 and "stopping when what is under way is finished; again to stop at once" in messages
    assert "Traceback" not in messages


@posix
def test_the_second_interruption_ends_the_process_at_once() -> None:
    code, said, messages, seconds = interrupted(system_signals.SIGINT, system_signals.SIGINT)
    assert (code, said) == (3, ["begun 0"]) and seconds < 0.5
    assert "stopped at once; what is finished is on disk" in messages and "Traceback" not in messages


@posix
def test_the_handlers_are_taken_away_again() -> None:
    async def inside() -> None:
        with interruptible(StopSignal()):
            os.kill(os.getpid(), system_signals.SIGINT)
            await asyncio.sleep(0.05)

    asyncio.run(inside())
    assert system_signals.getsignal(system_signals.SIGTERM) is system_signals.SIG_DFL
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), system_signals.SIGINT)
        time.sleep(1)


def test_a_thread_has_no_handlers_and_works_all_the_same() -> None:
    recorder, signal = Recorder(seconds=0.0), StopSignal()

    async def inside() -> None:
        with interruptible(signal):
            await work(recorder.stage(3, 1), each(range(3)), signal)

    thread = threading.Thread(target=lambda: asyncio.run(inside()))
    thread.start()
    thread.join(30)
    assert recorder.kept == [(0, 0), (1, 1), (2, 4)]

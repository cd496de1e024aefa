"""How far a stage has come: a bar on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from ragaliq.execution import progress
from ragaliq.execution.progress import EVERY_S, StageProgress, say, watched


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    return clock


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_a_log_gets_a_line_a_minute_and_one_at_the_end(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with StageProgress("answering de", 174) as stage:
        for number in range(174):
            clock.now += 0.5
            stage.step(failed=number in (3, 50))
    # 120 items in 60 s, the other 54 in 27 s more.
    assert lines(capsys) == [
        "answering de: 120/174, 2.0/s, 2 failed, 27 s left",
        "answering de: 174/174 in 87 s, 2.0/s, 2 failed",
    ]


def test_a_short_stage_has_one_line_and_an_empty_one_none(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with StageProgress("judging", 0):
        pass
    with StageProgress("judging", 2) as stage:
        clock.now += 4
        stage.step(2)
    assert lines(capsys) == ["judging: 2/2 in 4 s, 0.5/s"]


def test_a_stage_that_breaks_off_says_how_far_it_came(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LookupError), StageProgress("judging", 9) as stage:
        clock.now += 120
        stage.step()
        raise LookupError
    assert lines(capsys) == ["judging: 1/9", "judging: 1/9 in 2 min, 0.5/min"]


def test_an_inner_stage_is_silent_for_a_minute(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched("abc", "reading", 3)) == ["a", "b", "c"] and lines(capsys) == []
    for _ in watched("abc", "reading", 3):
        clock.now += EVERY_S
    # What came before the first is loading, so the first alone tells no rate.
    assert lines(capsys) == ["reading: 1/3", "reading: 2/3, 1.0/min, 60 s left", "reading: 3/3, 1.0/min, 0 s left"]


def test_bytes_are_counted_in_their_units(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with StageProgress("de.zip", 3_000_000, "B", done=1_000_000) as stage:
        clock.now += 2
        stage.step(2_000_000)
    assert lines(capsys) == ["de.zip: 3.00MB/3.00MB in 2 s, 1.00MB/s"]


def test_a_total_that_comes_later_counts(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with StageProgress("runs", 2) as stage:
        stage.expect(4)
        clock.now += 2
        stage.step()
    assert lines(capsys) == ["runs: 1/4 in 2 s, 0.5/s"]


def test_a_terminal_gets_a_bar_and_lines_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with StageProgress("judging", 2) as stage:
        say("note: one")
        stage.expect(3)
        stage.step(3, failed=1)
    shown = terminal.getvalue()
    assert "note: one\n" in shown and "3/3" in shown and "failed=1" in shown
    assert "judging: 3/3 in" not in shown, "the bar is the last line"

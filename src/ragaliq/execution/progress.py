"""How far a stage has come, on stderr: a bar on a terminal; elsewhere a line a minute and one at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")

# A log file keeps every line.
EVERY_S = 60.0
# What takes less time needs no bar within another one's stage.
_INNER_DELAY_S = 2.0


def say(line: str) -> None:
    """Print a line to stderr, above any bar."""
    tqdm.write(line, file=sys.stderr)


def watched(items: Iterable[Item], name: str, total: int | None = None, unit: str = "item") -> Iterator[Item]:
    """Yield items, and show how many are done as an inner stage."""
    with StageProgress(name, total, unit, inner=True) as progress:
        for item in items:
            yield item
            progress.step()


class StageProgress:
    """Shows how many items of a stage are done, and how many of these failed.

    A stage without items shows nothing.
    """

    def __init__(
        self, name: str, total: int | None = None, unit: str = "item", row: int = 0, inner: bool = False, done: int = 0
    ) -> None:
        """Begin.

        Args:
            name: what is done.
            total: how many items there will be, if that is known.
            unit: what one item is; of bytes, `B`.
            row: the line of a bar, of those that stand at once.
            inner: a part of another stage: its bar goes away, and it has no line of its own at its end.
            done: how many were done earlier.
        """
        self._name, self._total, self._unit, self._inner = name, total, unit, inner
        self._earlier = self._done = done
        self._failed = 0
        self._start = self._told = monotonic()
        # When the first was done, and how many with it: what came before is loading.
        self._first: tuple[float, int] | None = None
        self._bar: tqdm[Any] | None = None
        if sys.stderr.isatty() and total != 0:
            self._bar = tqdm(
                total=total, desc=name, unit=unit, unit_scale=unit == "B", position=None if inner else row,
                initial=done, leave=not inner, delay=_INNER_DELAY_S if inner else 0,
            )  # fmt: skip

    def __enter__(self) -> Self:
        """Begin, as the constructor does."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End: the bar stays, or a last line says how far it came."""
        if self._bar is not None:
            self._bar.close()
        elif self._total != 0 and not self._inner:
            say(self._line(ended=True))

    def expect(self, total: int) -> None:
        """Take note of another number of items."""
        self._total = total
        if self._bar is not None:
            self._bar.total = total

    def step(self, n: int = 1, failed: int = 0) -> None:
        """Take note of items that are done, and of how many of them failed."""
        self._done += n
        self._failed += failed
        self._first = self._first or (monotonic(), self._done)
        if self._bar is not None:
            if failed:
                self._bar.set_postfix(failed=self._failed, refresh=False)
            self._bar.update(n)
        elif monotonic() - self._told >= EVERY_S:
            self._told = monotonic()
            say(self._line())

    def _line(self, ended: bool = False) -> str:
        seconds = monotonic() - self._start
        rate = (self._done - self._earlier) / max(seconds, 1e-3) if ended else self._rate()
        count = self._amount(self._done) + ("" if self._total is None else f"/{self._amount(self._total)}")
        parts = [f"{count} in {_duration(seconds)}" if ended else count]
        if self._unit == "B":
            parts.append(f"{self._amount(rate)}/s")
        elif rate:
            parts.append(f"{rate:.1f}/s" if rate >= 0.1 else f"{60 * rate:.1f}/min")
        if self._failed:
            parts.append(f"{self._failed} failed")
        if not ended and self._total is not None and rate:
            parts.append(f"{_duration(max(0, self._total - self._done) / rate)} left")
        return f"{self._name}: {', '.join(parts)}"

    def _rate(self) -> float:
        """Return how many items a second are done since the first was; 0 where no other is."""
        since, n = self._first or (monotonic(), self._done)
        return (self._done - n) / max(monotonic() - since, 1e-3)

    def _amount(self, number: float) -> str:
        return f"{tqdm.format_sizeof(number)}B" if self._unit == "B" else f"{number:.0f}"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"

"""A build whose process ends after any write goes on to the same bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from ragaliq.storage import files, journal
from small_build import artifacts, build
from unit.build.conftest import Fresh

# `.ci/run` takes every eleventh write; with `RAGALIQ_KILLS=20` it is each one.
STEP = 1 if int(os.environ.get("RAGALIQ_KILLS", "3")) >= 20 else 11


class PowerCut(Exception):
    """The process ends here; what it writes from now on is not written."""


class Power:
    """Lets so many writes through, tears the next one, and refuses all further ones."""

    def __init__(self, writes: int) -> None:
        self.left = writes
        self.is_out = False

    def spend(self) -> bool:
        """Whether the next write is whole; False for the one that is torn."""
        if self.is_out:
            raise PowerCut
        self.left -= 1
        self.is_out = self.left < 0
        return not self.is_out


def cut_power(patch: pytest.MonkeyPatch, power: Power) -> None:
    append, new_file = journal.Journal.append, files.new_file

    def appended(self: journal.Journal, row: Mapping[str, Any]) -> tuple[int, int]:
        if power.spend():
            return append(self, row)
        with self._path.open("ab") as file:
            file.write(files.dump_row(row)[: 1 + power.left % 7])
        raise PowerCut

    @contextmanager
    def written(path: Path) -> Iterator[Any]:
        if power.spend():
            with new_file(path) as out:
                yield out
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f".{path.name}.{os.getpid()}.draft").write_bytes(b"half of i")
        raise PowerCut

    patch.setattr(journal.Journal, "append", appended)
    patch.setattr(files, "new_file", written)


def interrupted(bench: Path, writes: int) -> bool:
    """Build until so many writes are done; whether that was before the end."""
    power = Power(writes)
    with pytest.MonkeyPatch.context() as patch:
        cut_power(patch, power)
        with suppress(PowerCut):
            build(bench)
    return power.is_out


def test_interrupted_every_so_often_the_build_is_the_same(bench: Path, small_build: Path) -> None:
    # The steps have no common divisor, so each stage is met elsewhere.
    for step in (41, 67, 29, 53, 37):
        assert interrupted(bench, step)
    assert build(bench) == 0
    assert artifacts(bench) == artifacts(small_build)


@pytest.mark.slow
def test_interrupted_after_each_write_the_build_is_the_same(fresh: Fresh, small_build: Path) -> None:
    whole, writes = artifacts(small_build), 0
    bench = fresh()
    while interrupted(bench, writes):
        assert build(bench) == 0
        assert artifacts(bench) == whole, f"after {writes} writes"
        bench, writes = fresh(), writes + STEP
    assert writes > 200

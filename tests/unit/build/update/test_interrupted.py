"""An update whose process ends after any write goes on to the same bytes."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from small_build import artifacts
from unit.build.test_resume import STEP, Power, PowerCut, cut_power
from unit.build.update.station import insert, rows_of, shipped, update


def prepared(built: Path, folder: Path) -> tuple[Path, list[str]]:
    """Return a copy of a build whose documents have changed, and what is to be retired in it."""
    shutil.copytree(built.parent, folder)
    bench = folder / "bench"
    insert(bench, "meals", "ru")
    insert(bench, "diving", "zh")
    (folder / "documents" / "weather.de.md").unlink()
    return bench, [max(query_id for _, query_id in shipped(built, "queries"))]


def interrupted(bench: Path, retire: list[str], writes: int) -> bool:
    """Update until `writes` writes are done; return whether that was before the end."""
    power = Power(writes)
    with pytest.MonkeyPatch.context() as patch:
        cut_power(patch, power)
        with suppress(PowerCut):
            update(bench, retire)
    return power.is_out


def test_interrupted_again_and_again_the_update_is_the_same(station_build: Path, tmp_path: Path) -> None:
    whole, retire = prepared(station_build, tmp_path / "whole")
    update(whole, retire)
    bench, _ = prepared(station_build, tmp_path / "cut")
    for step in (7, 23, 19, 31):
        assert interrupted(bench, retire, step)
    update(bench, retire)
    assert artifacts(bench) == artifacts(whole)
    assert rows_of(bench, "export").keys() == shipped(bench, "queries").keys()


@pytest.mark.slow
def test_interrupted_after_each_write_the_update_is_the_same(station_build: Path, tmp_path: Path) -> None:
    whole, retire = prepared(station_build, tmp_path / "whole")
    update(whole, retire)
    writes = 0
    bench, _ = prepared(station_build, tmp_path / "0")
    while interrupted(bench, retire, writes):
        update(bench, retire)
        assert artifacts(bench) == artifacts(whole), f"after {writes} writes"
        shutil.rmtree(bench.parent)
        writes += STEP
        bench, _ = prepared(station_build, tmp_path / str(writes))
    assert writes > 100

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unit.build.update.station import build, write_station


@pytest.fixture(scope="session")
def station_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build of the station's documents; a test that changes it takes `station`."""
    bench = write_station(tmp_path_factory.mktemp("station"))
    assert build(bench)
    return bench


@pytest.fixture
def station(station_build: Path, tmp_path: Path) -> Path:
    """A copy of the station's build with its documents."""
    shutil.copytree(station_build.parent, tmp_path / "station")
    return tmp_path / "station" / "bench"

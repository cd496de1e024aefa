"""A part of the sample that validation finds clean, once as it is and once for each test to break."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unit.benchmark.sample_part import write_part


@pytest.fixture(scope="module")
def part(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_part(sample, tmp_path_factory.mktemp("part") / "bench")


@pytest.fixture
def copy(part: Path, tmp_path: Path) -> Path:
    shutil.copytree(part.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "bench"

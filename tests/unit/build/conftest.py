"""A finished small build, to copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from small_build import build, write_documents


@pytest.fixture(scope="session")
def small_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small build, finished by the scripted rules; a test that changes it takes `built`."""
    bench = write_documents(tmp_path_factory.mktemp("built"))
    assert build(bench) == 0
    return bench


@pytest.fixture
def built(small_build: Path, tmp_path: Path) -> Path:
    """A copy of the small build with its documents."""
    shutil.copytree(small_build.parent, tmp_path / "copy")
    return tmp_path / "copy" / "bench"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """The small build before its first stage."""
    return write_documents(tmp_path)


Fresh = Callable[[], Path]


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """Makes small builds before their first stage."""
    return lambda: write_documents(tmp_path_factory.mktemp("fresh"))

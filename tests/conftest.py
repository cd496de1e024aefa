"""Shared data and the `shared` marker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("RAGALIQ_SHARED_DATA", ROOT.parent / "shared" / "data"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if SHARED.is_dir():
        return
    kept = [item for item in items if "shared" not in item.keywords]
    config.hook.pytest_deselected(items=[item for item in items if "shared" in item.keywords])
    items[:] = kept


def pytest_report_header() -> str:
    if SHARED.is_dir():
        return f"shared data: {SHARED}"
    return f"shared data: none at {SHARED} (RAGALIQ_SHARED_DATA), so the tests marked 'shared' are left out"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the data written elsewhere."""
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """The sample benchmark."""
    return ROOT / "data" / "velmora"

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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not SHARED.is_dir():
        terminalreporter.write_line(
            "left out: the tests marked 'shared', because there is no data folder beside the checkout "
            "(RAGALIQ_SHARED_DATA names another)"
        )


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the data written elsewhere."""
    return SHARED


@pytest.fixture(scope="session")
def sample() -> Path:
    """The sample benchmark."""
    return ROOT / "data" / "velmora"

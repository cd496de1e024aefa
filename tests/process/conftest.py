"""A browser for the tests that drive one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pages import chromium_browser, write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser, closed after the module: its event loop may not run beside another one."""
    with chromium_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two made-up systems in four languages, 160 items."""
    return write_report(tmp_path_factory.mktemp("report"), systems=2, queries=20)

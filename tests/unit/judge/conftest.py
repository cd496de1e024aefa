"""What the tests of judges behind an endpoint have in common."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Wait little between attempts, and know no endpoint but the one that a test sets."""
    monkeypatch.setattr("ragaliq.llm.retry._FIRST_WAIT_S", 0.001)
    monkeypatch.chdir(tmp_path)
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL"):
        monkeypatch.delenv(name, raising=False)

"""No test waits for the disk; `synced` counts how often one would have."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The file descriptors whose files were to be written through."""
    calls: list[int] = []
    monkeypatch.setattr(os, "fsync", calls.append)
    return calls

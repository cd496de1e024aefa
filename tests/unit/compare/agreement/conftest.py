"""Intervals of few resamples: what these tests check does not hang on their ends."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragaliq.metrics.agreement.intervals.RESAMPLES", 300)

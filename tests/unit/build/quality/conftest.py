"""The build written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.context import BuildContext
from ragaliq.build.quality.built import Built
from unit.build.quality.hand_made import hand_made


@pytest.fixture
def context(tmp_path: Path) -> BuildContext:
    return hand_made(tmp_path / "hand")


@pytest.fixture
def built(context: BuildContext) -> Built:
    return Built(context)

"""A part of the sample that validation finds clean, once as it is and once for each test to break."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ragaliq.benchmark.checks import validate
from ragaliq.text.language import is_foreign
from unit.benchmark.sample_part import write_part


@pytest.fixture(autouse=True, scope="module")
def _each_text_is_read_once() -> Iterator[None]:
    """Keep the language and the facts of each text: all but the broken ones are the same in every test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validate, "is_foreign", cache(is_foreign))
        # A second process would forget the facts.
        patch.setattr(validate, "beside", lambda work: work)
        yield


@pytest.fixture(scope="module")
def part(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_part(sample, tmp_path_factory.mktemp("part") / "bench")


@pytest.fixture
def copy(part: Path, tmp_path: Path) -> Path:
    shutil.copytree(part.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / "bench"

"""What `import ragaliq` offers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ragaliq
from ragaliq.errors import InputError


def test_every_public_name_is_listed_and_loads_when_it_is_used() -> None:
    assert dir(ragaliq) == sorted(ragaliq.__all__)
    assert all(getattr(ragaliq, name) is not None for name in ragaliq.__all__)
    with pytest.raises(AttributeError, match="'nothing'"):
        ragaliq.nothing  # noqa: B018


def test_a_name_that_no_file_can_have_is_refused_by_all_that_take_a_path(small: Path) -> None:
    takers: list[Callable[[str], object]] = [
        ragaliq.load_benchmark, ragaliq.load_collections, ragaliq.load_config, ragaliq.load_run,
        lambda name: ragaliq.compare([name, "x"]), lambda name: ragaliq.Chatbot(index_dir=name),
        lambda name: ragaliq.evaluate({}, ragaliq.load_benchmark(small), name),
    ]  # fmt: skip
    for take in takers:
        with pytest.raises(InputError, match=r"^'a\\x00b' holds a null character"):
            take("a\0b")
        with pytest.raises(InputError, match=r"^'a\\udcffb' is not UTF-8"):
            take("a\udcffb")

"""What `import ragaliq` offers."""

from __future__ import annotations

import pytest

import ragaliq


def test_every_public_name_is_listed_and_loads_when_it_is_used() -> None:
    assert dir(ragaliq) == sorted(ragaliq.__all__)
    assert all(getattr(ragaliq, name) is not None for name in ragaliq.__all__)
    with pytest.raises(AttributeError, match="module 'ragaliq' has no attribute 'nothing'"):
        ragaliq.nothing  # noqa: B018

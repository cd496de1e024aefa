"""The versions of Python and of packages, as a run's manifest records them."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version


def installed_versions(packages: Sequence[str]) -> dict[str, str | None]:
    """Return the versions of Python and of packages, None for one that is not installed."""
    return {"python": platform.python_version(), **{package: _version(package) for package in packages}}


@cache  # Milliseconds each.
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None

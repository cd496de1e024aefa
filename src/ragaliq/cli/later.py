"""Stages of the interface that come with a later version."""

from __future__ import annotations

from ragaliq.errors import ConfigError

_STAGES = ("topics",)


def check_stage(stage: str) -> None:
    """Refuse a stage of `build` that comes later.

    Raises:
        ConfigError: naming the stage.
    """
    if stage in _STAGES:
        raise ConfigError(f"build {stage}: comes with a later version")


def announcement() -> str:
    """Return one line that names all that comes later, for `--help`."""
    return f"With a later version comes: build {', '.join(_STAGES)}."

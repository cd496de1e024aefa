"""Commands and stages of the interface that come with a later version."""

from __future__ import annotations

from collections.abc import Sequence

from ragaliq.errors import ConfigError

_COMMANDS = ("index",)
_STAGES = ("topics",)


def announced(arguments: Sequence[str]) -> str:
    """Return the command among these arguments if it is one that comes later; else empty."""
    return next((argument for argument in arguments[:1] if argument in _COMMANDS), "")


def check_stage(stage: str) -> None:
    """Refuse a stage of `build` that comes later.

    Raises:
        ConfigError: naming the stage.
    """
    if stage in _STAGES:
        raise ConfigError(f"build {stage}: comes with a later version")


def announcement() -> str:
    """Return one line that names all that comes later, for `--help`."""
    return f"With a later version come: {'; '.join((' '.join(_COMMANDS), ' '.join(('build', *_STAGES))))}."

"""Commands, options and stages of the interface that come with a later version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ragaliq.errors import ConfigError

_COMMANDS = ("index",)
_RUN = ("--engine",)
_OPTIONS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "run": _RUN,
        "plan": _RUN,
    }
)
_STAGES = ("topics",)


def announced(arguments: Sequence[str]) -> str:
    """Return the first command or option among these arguments that comes later, such as `run --shard`; else empty."""
    return next(_later(arguments), "")


def check_stage(stage: str) -> None:
    """Refuse a stage of `build` that comes later.

    Raises:
        ConfigError: naming the stage.
    """
    if stage in _STAGES:
        raise ConfigError(f"build {stage}: comes with a later version")


def announcement() -> str:
    """Return one line that names all that comes later, for `--help`."""
    options = [" ".join((command, *_OPTIONS[command])) for command in ("run",)]
    return f"With a later version come: {'; '.join((' '.join(_COMMANDS), *options, ' '.join(('build', *_STAGES))))}."


def _later(arguments: Sequence[str]) -> Iterator[str]:
    command = arguments[0] if arguments else ""
    if command in _COMMANDS:
        yield command
    for argument in arguments[1:]:
        if argument == "--":
            return
        name = argument.partition("=")[0]
        if name in _OPTIONS.get(command, ()):
            yield f"{command} {name}"

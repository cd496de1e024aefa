"""Checks of the options that the local embedders share; each names the option in one line."""

from __future__ import annotations

from collections.abc import Iterable

from ragaliq.errors import ConfigError, nearest


def check_choice(name: str, option: str, value: str, known: Iterable[str]) -> None:
    """Refuse a value that is neither empty nor known.

    Raises:
        ConfigError: naming the nearest known value.
    """
    choices = list(known)
    if value and value not in choices:
        raise ConfigError(f"{name}: unknown {option} '{value}'; {nearest(value, choices)}")


def check_sizes(name: str, batch_size: int, max_length: int) -> None:
    """Refuse a batch of no texts and a negative length.

    Raises:
        ConfigError: naming both options.
    """
    if batch_size < 1 or max_length < 0:
        raise ConfigError(f"{name}: option 'batch_size' is at least 1, 'max_length' at least 0")


def check_optional(name: str, kind: type, **values: object) -> None:
    """Refuse values that are neither None nor of a type: a YAML file may hold anything.

    Raises:
        ConfigError: naming the option.
    """
    for option, value in values.items():
        if not isinstance(value, kind | None):
            raise ConfigError(f"{name}: option '{option}' must be of type {kind.__name__}, not {value!r}")

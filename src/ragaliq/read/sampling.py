"""The sampling parameters that a model on this machine understands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ragaliq.errors import ConfigError, nearest


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model writes.

    Attributes:
        max_tokens: most tokens of an answer.
        temperature: 0 writes the most probable token each time; above it, tokens are drawn.
        top_p: draw from the most probable tokens that together have this probability, in 0..1; 1 takes all.
        top_k: draw from this many most probable tokens; 0 takes all.
        stop: the answer ends before the first of these texts.
        seed: of what is drawn.
        logprobs: number of most probable candidates that are recorded for each token.
    """

    max_tokens: int = 512
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    stop: tuple[str, ...] = ()
    seed: int = 0
    logprobs: int = 0


# Parameter → the least value it may have.
_WHOLE = {"max_tokens": 1, "top_k": 0, "seed": 0, "logprobs": 0}


def read_sampling(values: Mapping[str, Any] | None, seed: int = 0) -> Sampling:
    """Return sampling parameters as a record; `seed` is used where they name none.

    Raises:
        ConfigError: if a parameter is unknown or its value cannot be.
    """
    known = [field.name for field in fields(Sampling)]
    read: dict[str, Any] = {"seed": seed}
    for key, value in (values or {}).items():
        if key not in known:
            raise ConfigError(f"sampling: unknown parameter '{key}'; {nearest(key, known)}")
        read[key] = _stops(value) if key == "stop" else _number(key, value)
    return Sampling(**read)


def _number(key: str, value: object) -> int | float:
    if key in _WHOLE:
        if type(value) is int and value >= _WHOLE[key]:
            return value
        raise ConfigError(f"sampling: '{key}' must be a whole number of at least {_WHOLE[key]}, not {value!r}")
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else -1.0
    if key == "top_p" and not 0 < number <= 1:
        raise ConfigError(f"sampling: 'top_p' must be above 0 and at most 1, not {value!r}")
    if number < 0:
        raise ConfigError(f"sampling: '{key}' must be a number of at least 0, not {value!r}")
    return number


def _stops(value: object) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text for text in texts):
        raise ConfigError(f"sampling: 'stop' must be a text or a list of texts, none of them empty, not {value!r}")
    return tuple(texts)

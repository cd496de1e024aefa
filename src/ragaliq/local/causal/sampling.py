"""Sampling parameters: how a model writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.errors import ConfigError, nearest


@dataclass(frozen=True, slots=True)
class Sampling:
    """The parameters that a model on this machine understands.

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


_WHOLE = {"logprobs", "max_completion_tokens", "max_tokens", "seed", "top_k"}


def read_sampling(values: Mapping[str, Any] | None, seed: int = 0) -> Sampling:
    """Return sampling parameters as a record; `seed` is used where they name none.

    Raises:
        ConfigError: if a parameter is unknown or its value cannot be.
    """
    read = asdict(Sampling(seed=seed))
    for key, value in (values or {}).items():
        if key not in read:
            raise ConfigError(f"sampling: unknown parameter '{key}'; {nearest(key, read)}")
        check_parameter(key, value, 1 if key == "max_tokens" else 0)
        read[key] = (value,) if isinstance(value, str) else type(read[key])(value)
    sampling = Sampling(**read)
    if not 0 < sampling.top_p <= 1:
        raise ConfigError(f"sampling: 'top_p' must be above 0 and at most 1, not {sampling.top_p}")
    return sampling


def check_parameter(key: str, value: object, least: float) -> None:
    """Refuse a value that a parameter cannot have.

    Raises:
        ConfigError: if `stop` is no text or list of texts, or another is no number from `least` on, whole where it
            counts something.
    """
    if key == "stop":
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) and text for text in texts):
            raise ConfigError(f"sampling: 'stop' must be a text or a list of texts, none of them empty, not {value!r}")
        return
    whole = key in _WHOLE
    # Not below, because NaN is below nothing.
    fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool) and value >= least
    if not fits:
        kind = f"a {'whole ' if whole else ''}number" + (f" of at least {least}" if least >= 0 else "")
        raise ConfigError(f"sampling: '{key}' must be {kind}, not {value!r}")

"""The context window of a model: what does not fit is left out whole, lowest rank first, and told."""

from __future__ import annotations

import sys
import weakref
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from ragaliq.errors import ConfigError


def fitting_chunks(n_chunks: int, n_tokens: Callable[[int], int], limit: int) -> int | None:
    """Return how many of the best chunks a prompt may hold, or None if it is too long even without any.

    Args:
        n_chunks: number of chunks, best first.
        n_tokens: the length in tokens of the prompt with the given number of the best chunks; it must not fall as
            chunks are added.
        limit: most tokens that the prompt may have.
    """
    if n_tokens(n_chunks) <= limit:
        return n_chunks
    shorter = bisect_right(range(n_chunks), limit, key=n_tokens)
    return shorter - 1 if shorter else None


@dataclass(slots=True)
class _Count:
    prompts: int = 0
    shortened: int = 0
    emptied: int = 0


class Window:
    """Fits prompts into a model's window, and says on stderr, once and at the end, how many had to be shortened.

    The end is when the reader that owns the window goes away, at the latest the end of the process.

    Attributes:
        n_tokens: tokens of the window, the answer's included.
    """

    def __init__(self, model: str, n_tokens: int, max_tokens: int) -> None:
        """Take a model's name, the tokens of its window, and how many of them are the answer's.

        Raises:
            ConfigError: if the answer may take all.
        """
        if n_tokens <= max_tokens:
            raise ConfigError(f"sampling: max_tokens {max_tokens} fills the {n_tokens} tokens of {model}; lower it")
        self.n_tokens = n_tokens
        self._limit = n_tokens - max_tokens
        self._count = _Count()
        weakref.finalize(self, _tell, self._count, f"the {n_tokens} tokens of {model}")

    def fit(self, n_chunks: int, n_tokens: Callable[[int], int]) -> int | None:
        """Return how many of the best chunks fit beside the answer; see `fitting_chunks`."""
        kept = fitting_chunks(n_chunks, n_tokens, self._limit)
        self._count.prompts += 1
        if kept is not None and kept < n_chunks:
            self._count.shortened += 1
            self._count.emptied += kept == 0
        return kept


def _tell(count: _Count, window: str) -> None:
    if count.shortened:
        none_left = f" ({count.emptied} kept none)" if count.emptied else ""
        print(
            f"note: {count.shortened} of {count.prompts} prompts were too long for {window}; "
            f"their lowest chunks were left out{none_left}",
            file=sys.stderr,
        )

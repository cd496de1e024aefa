"""A plain function as reader."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence

from ragaliq.errors import ConfigError
from ragaliq.types import Hit, Query, Reading

_MOST = 3


class FunctionReader:
    """Answers with a function of the question, or of question and context, or of question, context and language.

    The function gets as many arguments as it has positional parameters without a default: the question's text, the list
    of the chunks' texts, the language code. It returns a text or a `Reading`. It may be a coroutine function; then many
    calls are under way at once.
    """

    def __init__(self, function: Callable[..., Reading | str | Awaitable[Reading | str]]) -> None:
        """Count the function's parameters.

        Raises:
            ConfigError: if it takes none or more than three.
        """
        self._function = function
        self._n_parameters = _count(function)

    def read(self, query: Query, context: Sequence[Hit]) -> Reading | str | Awaitable[Reading | str]:
        """Return what the function returns."""
        arguments = (query.text, [hit.chunk.text for hit in context], query.lang)
        return self._function(*arguments[: self._n_parameters])


def _count(function: Callable[..., object]) -> int:
    name = f"reader '{getattr(function, '__qualname__', type(function).__name__)}'"
    wanted = "write it as f(question), f(question, texts) or f(question, texts, lang)"
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise ConfigError(f"{name}: its parameters cannot be read; {wanted}") from None
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    keywords = [p.name for p in needed if p.kind is p.KEYWORD_ONLY]
    if keywords:
        raise ConfigError(f"{name}: the parameter '{keywords[0]}' can only be given by name; {wanted}")
    if not 1 <= len(needed) <= _MOST:
        raise ConfigError(f"{name}: {len(needed)} parameters without a default; {wanted}")
    return len(needed)

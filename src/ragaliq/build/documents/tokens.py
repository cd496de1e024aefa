"""Tokens by a declared counter: the unit of a chunk's hard maximum."""

from __future__ import annotations

from collections.abc import Callable

from ragaliq.llm.tokens import estimate_tokens

ESTIMATE = "estimate"


def token_counter(tokenizer: str) -> Callable[[str], int]:
    """Return the function that counts the tokens of a text.

    Args:
        tokenizer: `estimate` (tends to overcount; any language, no model), or a model's tokenizer: an id on the Hugging
            Face hub, or a folder.

    Raises:
        ConfigError: if there is no such tokenizer.
    """
    if tokenizer == ESTIMATE:
        return estimate_tokens
    from ragaliq.read.tokenizer import load_tokens

    tokens = load_tokens(tokenizer, "build: tokenizer")
    return lambda text: len(tokens(text))

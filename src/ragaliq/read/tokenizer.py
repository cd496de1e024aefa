"""The tokens of a text as a model's tokenizer cuts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragaliq.local.checkpoint import loading


def load_tokens(model: str, name: str) -> Callable[[str], list[str]]:
    """Return a function that gives the tokens of a text, each as the text that it is by itself.

    Args:
        model: id on the Hugging Face hub, or a folder.
        name: names the component in errors.

    Raises:
        ConfigError: if there is no such tokenizer.
    """
    from transformers import AutoTokenizer

    with loading(f"{name}: the tokenizer '{model}'"):
        tokenizer = AutoTokenizer.from_pretrained(model)
    return lambda text: token_texts(tokenizer, text)


def token_texts(tokenizer: Any, text: str) -> list[str]:
    """Return the tokens of a text, without those that only mark its beginning or end."""
    return [str(tokenizer.decode([token])) for token in tokenizer(text, add_special_tokens=False)["input_ids"]]

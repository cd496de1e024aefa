"""The tokens of a text as a model's tokenizer cuts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.storage.redaction import error_line


def load_tokens(model: str, name: str) -> Callable[[str], list[str]]:
    """Return a function that gives the tokens of a text, each as the text that it is by itself.

    Args:
        model: id on the Hugging Face hub, or a folder.
        name: names the component in errors.

    Raises:
        ConfigError: if there is no such tokenizer.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
    except Exception as error:  # Hub and files raise what they like.
        raise ConfigError(f"{name}: the tokenizer '{model}' cannot be loaded ({error_line(error)[:300]})") from None
    return lambda text: token_texts(tokenizer, text)


def token_texts(tokenizer: Any, text: str) -> list[str]:
    """Return the tokens of a text, without those that only mark its beginning or end."""
    return [str(tokenizer.decode([token])) for token in tokenizer(text, add_special_tokens=False)["input_ids"]]

"""Rendering a chat for a model on this machine, with the template that its tokenizer brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragaliq.errors import ConfigError
from ragaliq.llm import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# No template contains this, so a rendered chat does only if the template renders the system message.
_PROBE = "ragaliq-system-probe"


class ChatTemplate:
    """Turns the messages of a chat into the tokens of a prompt.

    The template decides whether the model has a system role: if it refuses or ignores a system message, the system
    text goes before the text of the next message. Without a template the texts are joined by blank lines.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, model: str) -> None:
        """Take a tokenizer, and the model's name for messages.

        Raises:
            ConfigError: if the template cannot be rendered.
        """
        self._tokenizer = tokenizer
        self._model = model
        self._has_template = bool(tokenizer.chat_template)
        self._has_system = self._has_template and self._renders_system()

    def tokens(self, messages: Sequence[Message]) -> list[int]:
        """Return the prompt of a chat that begins with a system message."""
        if not self._has_system:
            system, first, *rest = messages
            messages = [{**first, "content": f"{system['content']}\n\n{first['content']}"}, *rest]
        if not self._has_template:
            return self._ids("".join(f"{message['content']}\n\n" for message in messages), special=True)
        # A template writes the special tokens itself.
        return self._ids(self._text(messages), special=False)

    def _ids(self, text: str, special: bool) -> list[int]:
        # Quiet, because texts that are too long are expected here, and shortened or refused.
        return list(self._tokenizer(text, add_special_tokens=special, verbose=False)["input_ids"])

    def _text(self, messages: Sequence[Message]) -> str:
        text = self._tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        assert isinstance(text, str)
        return text

    def _renders_system(self) -> bool:
        from jinja2 import TemplateError

        user = {"role": "user", "content": "?"}
        try:
            return _PROBE in self._text([{"role": "system", "content": _PROBE}, user])
        except TemplateError:
            try:
                self._text([user])
            except TemplateError as error:
                reason = " ".join(str(error).split())
                raise ConfigError(f"{self._model}: its chat template cannot be rendered ({reason})") from None
            return False

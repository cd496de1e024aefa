"""Rendering a chat for a model on this machine, with the template that its tokenizer brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragaliq.errors import ConfigError
from ragaliq.llm import Message
from ragaliq.read.local.window import Window
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.types import Hit, Query

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# Stands in no template, so it is found in a rendered chat only if the template renders the system message.
_PROBE = "ragaliq-system-probe"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt in tokens; `note` says how many chunks did not fit, if any."""

    ids: list[int]
    note: str = ""


class ChatRenderer:
    """Turns queries and contexts into the tokens of a prompt that fits the model's window.

    Whether the model has a system role is told by its template: if it refuses or passes over a system message, the
    system text goes in front of the user's. Without a template the texts are joined by blank lines.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase, prompt: ReaderPrompt, window: Window, model: str) -> None:
        self._tokenizer = tokenizer
        self._prompt = prompt
        self._window = window
        self._model = model
        self._has_template = bool(tokenizer.chat_template)
        self._has_system = self._has_template and self._renders_system()

    def render(self, query: Query, context: Sequence[Hit]) -> Rendered | None:
        """Return the prompt with as many of the best chunks as fit, or None if it is too long even without any.

        The chunks that are kept stay in the order of the context.
        """
        best = sorted(range(len(context)), key=lambda index: context[index].rank)

        def tokens(n_chunks: int) -> list[int]:
            shown = [context[index] for index in sorted(best[:n_chunks])]
            return self._tokens(self._prompt.messages(query, shown))

        kept = self._window.fit(len(context), lambda n_chunks: len(tokens(n_chunks)))
        if kept is None:
            return None
        dropped = len(context) - kept
        window = f"the prompt is longer than the {self._window.n_tokens} tokens of {self._model}"
        return Rendered(tokens(kept), f"{dropped} of {len(context)} chunks left out: {window}" if dropped else "")

    def too_long(self) -> str:
        """Say why a prompt could not be rendered."""
        return f"the prompt is longer than the {self._window.n_tokens} tokens of {self._model}, even without documents"

    def _tokens(self, messages: Sequence[Message]) -> list[int]:
        system, user = (message["content"] for message in messages)
        if not self._has_system:
            messages = [{"role": "user", "content": f"{system}\n\n{user}"}]
        if not self._has_template:
            return self._ids(f"{messages[0]['content']}\n\n", special=True)
        # A template writes the special tokens itself.
        return self._ids(self._text(messages), special=False)

    def _ids(self, text: str, special: bool) -> list[int]:
        # Quiet, because texts that are too long are expected here, and shortened.
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

"""The prompt of a reader on this machine: as many chunks as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragaliq.local.causal.chat import ChatTemplate
from ragaliq.read.local.window import Window
from ragaliq.read.prompting import ReaderPrompt
from ragaliq.types import Hit, Query

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt in tokens; `note` says how many chunks did not fit, if any."""

    ids: list[int]
    note: str = ""


class ChatRenderer:
    """Turns queries and contexts into the tokens of a prompt that fits the model's window."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, prompt: ReaderPrompt, window: Window, model: str) -> None:
        self._prompt = prompt
        self._window = window
        self._model = model
        self._template = ChatTemplate(tokenizer, model)

    def render(self, query: Query, context: Sequence[Hit]) -> Rendered | None:
        """Return the prompt with as many of the best chunks as fit, or None if it is too long even without any.

        The chunks that are kept stay in the order of the context.
        """
        best = sorted(range(len(context)), key=lambda index: context[index].rank)

        def tokens(n_chunks: int) -> list[int]:
            shown = [context[index] for index in sorted(best[:n_chunks])]
            return self._template.tokens(self._prompt.messages(query, shown))

        kept = self._window.fit(len(context), lambda n_chunks: len(tokens(n_chunks)))
        if kept is None:
            return None
        dropped = len(context) - kept
        window = f"the prompt is longer than the {self._window.n_tokens} tokens of {self._model}"
        return Rendered(tokens(kept), f"{dropped} of {len(context)} chunks left out: {window}" if dropped else "")

    def too_long(self) -> str:
        """Say why a prompt could not be rendered."""
        return f"the prompt is longer than the {self._window.n_tokens} tokens of {self._model}, even without documents"

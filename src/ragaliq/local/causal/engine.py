"""The interface of the engines that run a causal language model, and the trace of a completion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ragaliq.errors import ConfigError
from ragaliq.llm import ResponseCache
from ragaliq.llm.replies.reasoning import thinking_limit
from ragaliq.local.causal.completion import Completion
from ragaliq.local.causal.sampling import Sampling
from ragaliq.types import Trace, Usage

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

NO_MEMORY = "the GPU's memory is too small for this prompt"


@dataclass(frozen=True, slots=True)
class Engine(ABC):
    """A loaded model; `window` is the number of tokens that prompt and answer may have."""

    tokenizer: PreTrainedTokenizerBase
    window: int

    @abstractmethod
    def complete(self, prompts: Sequence[list[int]], sampling: Sampling) -> Sequence[Completion | None]:
        """Return what the model writes after each prompt; None if the GPU's memory is too small for it."""


def check_model(stage: str, kind: str, model: str) -> None:
    """Refuse a component without a model.

    Raises:
        ConfigError: saying how to name one.
    """
    if not model:
        raise ConfigError(f"{stage} '{kind}': name its model, as in {kind}:MODEL")


def check_library(label: str, library: str) -> None:
    """Refuse a component whose library is not installed.

    Raises:
        ConfigError: naming the library.
    """
    if find_spec(library) is None:
        raise ConfigError(f"{label}: needs {library}: pip install {library}")


def complete_with_room(engine: Engine, prompts: Sequence[list[int]], sampling: Sampling) -> list[Completion | None]:
    """Complete prompts; those whose completion was cut while the model was thinking once more, with more room for it.

    The room is what the window leaves, and at most that of `thinking_limit`.
    """
    completions = list(engine.complete(prompts, sampling))
    cut = [index for index, one in enumerate(completions) if one is not None and one.cut_thinking]
    room = min((engine.window - len(prompts[index]) for index in cut), default=0)
    roomy = replace(sampling, max_tokens=min(thinking_limit(sampling.max_tokens), room))
    if roomy.max_tokens > sampling.max_tokens:
        again = engine.complete([prompts[index] for index in cut], roomy)
        for index, completion in zip(cut, again, strict=True):
            completions[index] = completion or completions[index]
    return completions


def completion_trace(call: Trace, prompt: Sequence[int], completion: Completion | None) -> Trace:
    """Return the trace of a prompt in tokens and what became of it; `call` says who asked which model, and how."""
    key = {"model": call.model, "prompt": list(prompt), "parameters": dict(call.parameters)}
    call = replace(call, request_hash=ResponseCache.key(key))
    if completion is None:
        return replace(call, error=NO_MEMORY)
    return replace(
        call,
        raw_reply=completion.text,
        reasoning=completion.reasoning,
        finish_reason="stop" if completion.finished else "length",
        usage=Usage(len(prompt), completion.n_tokens),
    )

"""From a completion to a reading."""

from __future__ import annotations

from ragaliq.local.causal.completion import Completion
from ragaliq.read.outcome import outcome_of
from ragaliq.types import Query, Reading, Usage


def reading(completion: Completion, query: Query, prompt_tokens: int, note: str = "") -> Reading:
    """Return a completion as the reader's result; `note` is recorded as what went wrong with the prompt."""
    return Reading(
        text=completion.text.strip(),
        outcome=outcome_of(completion.text, query.lang, cut=not completion.finished),
        usage=Usage(prompt_tokens, completion.n_tokens),
        error=note,
        logprobs=completion.choices,
    )

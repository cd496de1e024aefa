"""From a completion to a reading."""

from __future__ import annotations

from ragaliq.local.causal.completion import Completion
from ragaliq.read.outcome import CUT, outcome_of
from ragaliq.types import Query, Reading, Usage


def reading(completion: Completion, query: Query, prompt_tokens: int, note: str = "") -> Reading:
    """Return a completion as the reader's result; `note` is recorded as what went wrong with the prompt."""
    cut = not completion.finished and not completion.text.strip()
    return Reading(
        text=completion.text.strip(),
        outcome=outcome_of(completion.text, query.lang, cut=not completion.finished),
        usage=Usage(prompt_tokens, completion.n_tokens),
        error=f"{note}; {CUT}" if note and cut else CUT if cut else note,
        logprobs=completion.choices,
        reasoning=completion.reasoning,
    )

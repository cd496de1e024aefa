"""Whose verdict a call of a judge has led to: a run that was graded again holds the calls of earlier judges, too."""

from __future__ import annotations

from ragaliq.storage.files import Row
from ragaliq.types import Verdict

# Judges whose names name the model that they ask.
_KINDS = ("openai:", "transformers:")


def is_call_of(row: Row, verdict: Verdict) -> bool:
    """Return whether a judge's call is one of the judge of a verdict, by its model and the hash of its prompts.

    The members of a panel, and repeats, are known by their models alone; a judge whose name names no model by its
    prompts alone.
    """
    same_prompts = row.get("prompt_hash") == verdict.prompt_hash
    names = [vote.judge for vote in verdict.draws] or [verdict.judge]
    models = [name.split(":", 1)[1] for name in names if name.startswith(_KINDS)]
    if not same_prompts and not verdict.draws:
        return False
    return not models or any(_asks(name, str(row.get("model"))) for name in models)


def _asks(name: str, model: str) -> bool:
    """Return whether a judge's name without its kind is a model's, or goes on with temperature, revision or options."""
    return name == model or name.startswith((f"{model}@", f"{model}+"))

"""Judges: from an answer and its reference to a verdict. Any object with `grade` is a judge; one file a kind.

Rubric and instructions are files in `prompts/`, the offline judge is in `offline/`, cases whose grade is known in
`controls/`, questions beside the grade in `checks/` and `nuggets/`.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from ragaliq.types import Answer, Item, Verdict

__all__ = [
    "Judge",
    "checks",
    "controls",
    "families",
    "fence",
    "finding_rows",
    "nuggets",
    "offline",
    "openai",
    "outcome",
    "panel",
    "parse",
    "rubric",
    "transformers",
]


class Judge(Protocol):
    """Anything that grades one answer. The method may be a coroutine; then many calls are in flight at once."""

    def grade(self, item: Item, answer: Answer) -> Verdict | Awaitable[Verdict]:
        """Return a grade of the rubric, or the typed reason that there is none."""
        ...

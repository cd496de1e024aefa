"""Judges: from an answer and its reference to a verdict."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from ragaliq.types import Answer, Item, Verdict


class Judge(Protocol):
    """Anything that grades one answer. The method may be a coroutine; then many calls are in flight at once."""

    def grade(self, item: Item, answer: Answer) -> Verdict | Awaitable[Verdict]:
        """Return a grade of the rubric, or the typed reason that there is none."""
        ...

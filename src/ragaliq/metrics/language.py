"""Does a system answer in the language of the question?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LanguageConsistency:
    """Share of answers in the query's language among those long enough to tell; None if none is."""

    value: float | None
    n_decided: int
    n_undecided: int


def language_consistency(marks: Iterable[bool | None]) -> LanguageConsistency:
    """Measure whether answers are in their query's language; None stands for an answer too short to tell."""
    found = list(marks)
    decided = [mark for mark in found if mark is not None]
    value = sum(decided) / len(decided) if decided else None
    return LanguageConsistency(value, len(decided), len(found) - len(decided))

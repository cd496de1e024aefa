"""Does a system answer in the language of the question?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragaliq.text.language import in_language


@dataclass(frozen=True, slots=True)
class LanguageConsistency:
    """Share of answers in the query's language among those long enough to tell; None if none is."""

    value: float | None
    n_decided: int
    n_undecided: int


def language_consistency(answers: Iterable[tuple[str, str]]) -> LanguageConsistency:
    """Measure `(answer, language of the query)` pairs."""
    marks = [in_language(text, lang) for text, lang in answers]
    decided = [mark for mark in marks if mark is not None]
    value = sum(decided) / len(decided) if decided else None
    return LanguageConsistency(value, len(decided), len(marks) - len(decided))

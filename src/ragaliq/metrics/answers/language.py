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
    answers = list(marks)
    decided = [mark for mark in answers if mark is not None]
    value = sum(decided) / len(decided) if decided else None
    return LanguageConsistency(value, len(decided), len(answers) - len(decided))


@dataclass(frozen=True, slots=True)
class LanguagePassRates:
    """How many answers stay in the query's language, at three sizes of text.

    Line and word level follow Marchisio et al. (2024, "Understanding and Mitigating Language Confusion in LLMs",
    section 3): the word level is measured on the answers that pass the line level.

    Attributes:
        answers: whole answers in the right language, among those that can be told.
        lines: answers without a line in another language, among those with a line that can be told.
        words: of the answers that pass by lines, those without a word in a foreign script.
    """

    answers: LanguageConsistency
    lines: LanguageConsistency
    words: LanguageConsistency


def pass_rates(marks: Iterable[tuple[bool | None, bool | None, bool | None]]) -> LanguagePassRates:
    """Measure the three pass rates; a mark is (answer, lines, words) of one answer, None where it cannot be told."""
    rows = list(marks)
    return LanguagePassRates(
        language_consistency(answer for answer, _, _ in rows),
        language_consistency(lines for _, lines, _ in rows),
        language_consistency(words for _, lines, words in rows if lines),
    )

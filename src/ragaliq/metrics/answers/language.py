"""Does a system answer in the language of the question?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from ragaliq.metrics.statistics.intervals import Interval, share_interval


@dataclass(frozen=True, slots=True)
class LanguageConsistency:
    """How far answers are in the query's language.

    Attributes:
        value: share of them among those long enough to tell; None if none is.
        n_decided: answers long enough to tell.
        n_undecided: the others.
        ci: Wilson's 95 % interval of the share; None without one, and where a mark is none of 0..1. Of marks between 0
            and 1 it is wider than need be.
    """

    value: float | None
    n_decided: int
    n_undecided: int
    ci: Interval | None


def language_consistency(marks: Iterable[float | None]) -> LanguageConsistency:
    """Measure whether answers are in their query's language, or how far, in 0..1; None: too short to tell."""
    answers = list(marks)
    decided = [mark for mark in answers if mark is not None]
    shares = bool(decided) and all(0 <= mark <= 1 for mark in decided)
    return LanguageConsistency(
        fmean(decided) if decided else None,
        len(decided),
        len(answers) - len(decided),
        share_interval(sum(decided), len(decided)) if shares else None,
    )


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

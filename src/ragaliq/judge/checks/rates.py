"""What the separate questions say about a run, per language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckHeader:
    """What is kept in memory of a check, and what our own detectors say about the same answer.

    Attributes:
        scored: whether the questions were answered.
        abstains: what was answered; None if nothing was.
        in_language: likewise; None also if it could not be told.
        supported: number of sentences; `partly` and `unsupported` likewise.
        detected_abstains: whether the abstention phrases found one.
        detected_in_language: what the language detector says; None if the text is too short for it.
    """

    scored: bool
    abstains: bool | None = None
    in_language: bool | None = None
    supported: int = 0
    partly: int = 0
    unsupported: int = 0
    detected_abstains: bool | None = None
    detected_in_language: bool | None = None


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of `n`; the value is None for n = 0."""

    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class CheckRates:
    """The findings about one language's answers.

    Attributes:
        n: number of answers expected, those that are missing and failed readers' included.
        checked: share of them about which the questions were answered.
        abstained: share of abstentions among the answers checked.
        supported: share of sentences that a passage bears out, among those that state something; `partly` and
            `unsupported` likewise, so the three add up to 1.
        wrong_language: share of answers in another language than the query's, among those that could be told.
        agree_abstained: share of answers on which abstention phrases say the same.
        agree_language: share on which the language detector says the same, among those that both could tell.
    """

    lang: str
    n: int
    checked: Rate
    abstained: Rate
    supported: Rate
    partly: Rate
    unsupported: Rate
    wrong_language: Rate
    agree_abstained: Rate
    agree_language: Rate


def check_rates(lang: str, notes: Iterable[CheckHeader]) -> CheckRates:
    """Return the rates over the answers of one language."""
    found = list(notes)
    scored = [note for note in found if note.scored]
    told = [note for note in scored if note.in_language is not None]
    both = [note for note in told if note.detected_in_language is not None]
    sentences = sum(note.supported + note.partly + note.unsupported for note in scored)
    detected = [note for note in scored if note.detected_abstains is not None]
    return CheckRates(
        lang,
        len(found),
        _rate(len(scored), len(found)),
        _rate(sum(note.abstains is True for note in scored), len(scored)),
        _rate(sum(note.supported for note in scored), sentences),
        _rate(sum(note.partly for note in scored), sentences),
        _rate(sum(note.unsupported for note in scored), sentences),
        _rate(sum(note.in_language is False for note in told), len(told)),
        _rate(sum(note.abstains is note.detected_abstains for note in detected), len(detected)),
        _rate(sum(note.in_language is note.detected_in_language for note in both), len(both)),
    )


def _rate(count: int, n: int) -> Rate:
    return Rate(count / n if n else None, n)

"""What the separate questions say about a run, per language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ragaliq.judge.checks.support import Check, Support, check_from_row, check_to_row
from ragaliq.judge.finding_rows import finding_codec
from ragaliq.metrics.answers.citations import CitationScores
from ragaliq.storage.own_json import ModelText
from ragaliq.types import VerdictOutcome


@dataclass(frozen=True, slots=True)
class CheckHeader:
    """What is kept in memory of a check, and what our own detectors say about the same answer.

    Attributes:
        outcome: `scored` if the questions were answered; None without a check.
        checker: name and prompt hash of who answered them.
        abstains: what was answered; None if nothing was.
        in_language: likewise; None also if the language is unknown.
        supported: number of sentences; `partly`, `contradicted` and `unsupported` likewise.
        detected_abstains: whether the detector of refusals found one.
        detected_in_language: what the language detector says; None if the text is too short for it.
        answer_hash: of the answer that was checked.
        citations: precision and recall of its citations.
    """

    outcome: VerdictOutcome | None = None
    checker: tuple[str, str] = ("", "")
    abstains: bool | None = None
    in_language: bool | None = None
    supported: int = 0
    partly: int = 0
    unsupported: int = 0
    contradicted: int = 0
    detected_abstains: bool | None = None
    detected_in_language: bool | None = None
    answer_hash: str = field(default="", kw_only=True)
    citations: CitationScores = field(default=CitationScores(None, None), kw_only=True)

    @property
    def scored(self) -> bool:
        """Whether the questions were answered."""
        return self.outcome is VerdictOutcome.SCORED

    @property
    def stating(self) -> int:
        """Number of sentences that state something."""
        return self.supported + self.partly + self.unsupported + self.contradicted

    @property
    def supported_share(self) -> float | None:
        """Share of these that are supported in full; None without any."""
        return self.supported / self.stating if self.stating else None

    @property
    def complete(self) -> bool:
        """Whether they were, for each citation, too."""
        return self.scored and self.citations.n == self.citations.n_expected


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
        supported: share of sentences that a passage supports, among those that state something; `partly`,
            `contradicted` and `unsupported` likewise, so the four add up to 1.
        wrong_language: share of answers in another language than the query's, among those of known language.
        agree_abstained: share of answers on which the detector of refusals says the same.
        agree_language: share on which the language detector says the same, among those whose language both know.
    """

    lang: str
    n: int
    checked: Rate
    abstained: Rate
    supported: Rate
    partly: Rate
    contradicted: Rate
    unsupported: Rate
    wrong_language: Rate
    agree_abstained: Rate
    agree_language: Rate


def check_header(check: Check) -> CheckHeader:
    """Return what is kept in memory of a check."""
    supported, partly, unsupported, contradicted = (
        sum(s.support is support for s in check.sentences) for support in Support
    )
    checker, marks = (check.judge, check.prompt_hash), (check.abstains, check.in_language)
    counts = (supported, partly, unsupported, contradicted)
    return CheckHeader(
        check.outcome, checker, *marks, *counts, answer_hash=check.answer_hash, citations=check.citation_scores
    )


def check_rates(lang: str, headers: Sequence[CheckHeader]) -> CheckRates:
    """Return the rates over the answers of one language."""
    scored = [check for check in headers if check.scored]
    with_language = [check for check in scored if check.in_language is not None]
    sentences = sum(check.supported + check.partly + check.unsupported + check.contradicted for check in scored)
    return CheckRates(
        lang,
        len(headers),
        _share(check.scored for check in headers),
        _share(check.abstains is True for check in scored),
        _rate(sum(check.supported for check in scored), sentences),
        _rate(sum(check.partly for check in scored), sentences),
        _rate(sum(check.contradicted for check in scored), sentences),
        _rate(sum(check.unsupported for check in scored), sentences),
        _share(check.in_language is False for check in with_language),
        _share(c.abstains is c.detected_abstains for c in scored if c.detected_abstains is not None),
        _share(c.in_language is c.detected_in_language for c in with_language if c.detected_in_language is not None),
    )


def _share(flags: Iterable[bool]) -> Rate:
    values = list(flags)
    return _rate(sum(values), len(values))


def _rate(count: int, n: int) -> Rate:
    return Rate(count / n if n else None, n)


_SHAPE = {
    "abstains": (bool, None),
    "in_language": (bool, None),
    "sentences": [{"text": ModelText, "support": (str, None), "doc_id": (str, None)}],
    "n_listed?": int,
    "citations?": [{"sentence": int, "doc_id": str, "support": (str, None), "outcome?": str}],
}
CHECKS = finding_codec(check_from_row, check_to_row, check_header, _SHAPE)

"""The figures of answers that were graded or checked row by row, by language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragaliq.aggregate.beside.groundedness import interval_of_shares
from ragaliq.formats.grades.rows import NOT_GRADED, is_answerable
from ragaliq.metrics.answers.aggregates import Aggregates, aggregate
from ragaliq.storage.files import Row
from ragaliq.types import VerdictOutcome

SUPPORT_LABELS = ("supported", "partly", "unsupported", "contradicted")
NO_CONTEXTS = str(VerdictOutcome.NO_CONTEXTS)
# Why nobody was asked.
_NOT_ASKED = ("", *NOT_GRADED, NO_CONTEXTS)
_SCORED = str(VerdictOutcome.SCORED)
# Stands for all languages.
ALL_LANGUAGES = "all"


@dataclass(frozen=True, slots=True)
class RowFigures:
    """What figures need of one graded row; empty texts where the file has no such column.

    Attributes:
        support: the label of each sentence that states something.
        reason: of a row without a grade, what its feedback says.
    """

    lang: str
    answerable: bool
    grade: int | None
    outcome: str
    refuses: str
    check_outcome: str
    support: tuple[str, ...]
    reason: str

    @classmethod
    def of(cls, row: Row) -> RowFigures:
        """Return what a graded row says."""
        outcome, refuses, check_outcome = (str(row.get(key) or "") for key in ("outcome", "refuses", "check_outcome"))
        labels = tuple(str(one["label"]) for one in row.get("support") or ())
        reason = str(row.get("feedback") or "") if row.get("grade") is None else ""
        return cls(
            str(row["lang"]), is_answerable(row), row.get("grade"), outcome, refuses, check_outcome, labels, reason
        )

    @property
    def failed(self) -> bool:
        """Whether something that was asked has no finding."""
        return any(outcome not in (*_NOT_ASKED, _SCORED) for outcome in (self.outcome, self.check_outcome))

    @property
    def to_retry(self) -> bool:
        """Whether a call failed, which the same command tries again."""
        return VerdictOutcome.API_ERROR in (self.outcome, self.check_outcome)


@dataclass(frozen=True, slots=True)
class SupportShare:
    """A share of sentences, in 0..1, with its 95 % interval; None where there are none, or too few answers."""

    value: float | None
    ci: Sequence[float] | None


@dataclass(frozen=True, slots=True)
class SupportFigures:
    """What share of the sentences that state something their contexts support.

    Attributes:
        n_expected: answers whose contexts are known.
        n: those that were checked.
        n_sentences: their sentences that state something.
        shares: by label, over these sentences; the interval resamples answers with all their sentences.
    """

    n_expected: int
    n: int
    n_sentences: int
    shares: Mapping[str, SupportShare]

    @property
    def coverage(self) -> float | None:
        """Share of the answers with known contexts that were checked."""
        return self.n / self.n_expected if self.n_expected else None


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """The figures of one language's rows, or of all.

    Attributes:
        lang: the language, or `ALL_LANGUAGES`.
        n: number of rows.
        grades: over the rows with question and reference that are not marked as unanswerable; None if nobody graded.
        support: None if nobody checked.
        refuses: how many answers refuse in full, in part, not at all.
        not_asked: how many rows have nothing to grade or check by, by the reason.
        unanswerable: rows marked so, which enter no grade.
        failures: how many rows have no grade, or no check, by the outcome.
        reasons: what the judge said of one of them, by the outcome, where it said something.
    """

    lang: str
    n: int
    grades: Aggregates | None
    support: SupportFigures | None
    refuses: Mapping[str, int]
    not_asked: Mapping[str, int]
    unanswerable: int
    failures: Mapping[str, int]
    reasons: Mapping[str, str]

    def covered(self, min_coverage: float) -> bool:
        """Return whether enough rows have what was asked for."""
        shares = [part.coverage for part in (self.grades, self.support) if part is not None]
        return all(share is None or share >= min_coverage for share in shares)


def answer_figures(rows: Sequence[RowFigures]) -> list[AnswerFigures]:
    """Return the figures of each language, sorted, and of all if there are several."""
    langs = sorted({row.lang for row in rows})
    figures = [_figures(lang, [row for row in rows if row.lang == lang]) for lang in langs]
    return figures if len(langs) < 2 else [*figures, _figures(ALL_LANGUAGES, rows)]


def _figures(lang: str, rows: Sequence[RowFigures]) -> AnswerFigures:
    asked = [row for row in rows if row.outcome not in _NOT_ASKED and row.answerable]
    graded = any(row.outcome for row in rows)
    # A row counts once for a reason that grade and check have in common.
    outcomes = [outcome for row in rows for outcome in {row.outcome, row.check_outcome}]
    return AnswerFigures(
        lang,
        len(rows),
        aggregate([row.grade for row in asked], len(asked)) if graded else None,
        _support(rows) if any(row.check_outcome for row in rows) else None,
        Counter(row.refuses for row in rows),
        dict(sorted(Counter(one for one in outcomes if one and one in _NOT_ASKED).items())),
        sum(not row.answerable for row in rows),
        dict(sorted(Counter(one for one in outcomes if one not in (*_NOT_ASKED, _SCORED)).items())),
        {row.outcome: row.reason for row in reversed(rows) if row.reason},
    )


def _support(rows: Sequence[RowFigures]) -> SupportFigures:
    asked = [row for row in rows if row.check_outcome not in _NOT_ASKED]
    checked = [row for row in asked if row.check_outcome == _SCORED]
    labels = [(str(number), label) for number, row in enumerate(checked) for label in row.support]
    return SupportFigures(
        len(asked), len(checked), len(labels), {name: _share(labels, name) for name in SUPPORT_LABELS}
    )


def _share(labels: Sequence[tuple[str, str]], name: str) -> SupportShare:
    flags = [float(label == name) for _, label in labels]
    interval: Any = interval_of_shares(flags, 0, [number for number, _ in labels])
    return SupportShare(sum(flags) / len(flags) if flags else None, interval)

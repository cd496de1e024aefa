"""Which of the chunks shown are useful, and which statements of the reference they support: `context_scores.jsonl`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ragaliq.judge.finding_rows import common_fields, finding_codec, finding_to_row
from ragaliq.metrics.answers.context import ContextScores, context_scores
from ragaliq.storage.files import Row
from ragaliq.storage.own_json import ModelText
from ragaliq.types import Usage, VerdictOutcome

_NO_SCORES = ContextScores(None, None)


@dataclass(frozen=True, slots=True)
class PassageMark:
    """A chunk that was shown, and whether it helps to arrive at the reference."""

    doc_id: str
    useful: bool


@dataclass(frozen=True, slots=True)
class StatementMark:
    """A sentence of the reference, and whether the chunks shown support it."""

    text: str
    attributable: bool


@dataclass(frozen=True, slots=True)
class ContextMarks:
    """The context of one answer against the reference, or the typed reason that there are no marks.

    Attributes:
        passages: the chunks in the order shown; none without `scored`.
        statements: the sentences of the reference; none without `scored`, and for a query without a reference.
        outcome: `scored` if each passage and each statement has a mark.
        judge: who judged them.
        answer_hash: of answer and context; empty if not known.
        error: what came instead of marks, if anything did.
    """

    query_id: str
    lang: str
    passages: tuple[PassageMark, ...]
    statements: tuple[StatementMark, ...]
    outcome: VerdictOutcome
    judge: str
    prompt_hash: str
    attempts: int = 1
    usage: Usage | None = None
    answer_hash: str = ""
    error: str = ""

    def __post_init__(self) -> None:
        """Refuse marks without `SCORED`, and marks of passages without a reference."""
        if self.passages and not self.statements:
            raise ValueError(f"context of {self.query_id}: passages without a reference")
        if self.statements and self.outcome is not VerdictOutcome.SCORED:
            raise ValueError(f"context of {self.query_id}: marks with outcome {self.outcome}")

    @property
    def key(self) -> tuple[str, str]:
        """The item's place in every sorted output: language, then query id."""
        return (self.lang, self.query_id)

    @property
    def scores(self) -> ContextScores:
        """Precision and recall, both None without marks."""
        return context_scores([one.useful for one in self.passages], [one.attributable for one in self.statements])


@dataclass(frozen=True, slots=True)
class ContextHeader:
    """What is kept in memory of a context's marks; `outcome` is None where nobody was asked."""

    outcome: VerdictOutcome | None = None
    checker: tuple[str, str] = ("", "")
    answer_hash: str = ""
    scores: ContextScores = _NO_SCORES

    @property
    def complete(self) -> bool:
        """Whether everything was judged."""
        return self.outcome is VerdictOutcome.SCORED

    @property
    def nothing_to_find(self) -> bool:
        """Whether there is no reference to compare with."""
        return self.outcome is VerdictOutcome.SCORED and self.scores == _NO_SCORES


def _to_row(marks: ContextMarks) -> Row:
    return {**finding_to_row(marks), "scores": asdict(marks.scores)}


def _from_row(row: Row) -> ContextMarks:
    passages = tuple(PassageMark(one["doc_id"], one["useful"]) for one in row["passages"])
    statements = tuple(StatementMark(one["text"], one["attributable"]) for one in row["statements"])
    return ContextMarks(passages=passages, statements=statements, **common_fields(row))


def _header(marks: ContextMarks) -> ContextHeader:
    return ContextHeader(marks.outcome, (marks.judge, marks.prompt_hash), marks.answer_hash, marks.scores)


_SHAPE = {"passages": [{"doc_id": str, "useful": bool}], "statements": [{"text": ModelText, "attributable": bool}]}
CONTEXTS = finding_codec(_from_row, _to_row, _header, _SHAPE)

"""Which of the chunks shown are useful, and what of the reference they bear out: a record and a line of a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ragaliq.metrics.answers.context import ContextScores, context_scores
from ragaliq.storage.files import Row
from ragaliq.storage.record_store import RowCodec
from ragaliq.types import Usage, VerdictOutcome

_NO_SCORES = ContextScores(None, None)


@dataclass(frozen=True, slots=True)
class PassageMark:
    """A chunk that was shown, and whether it helps to arrive at the reference."""

    doc_id: str
    useful: bool


@dataclass(frozen=True, slots=True)
class StatementMark:
    """A sentence of the reference, and whether the chunks shown bear it out."""

    text: str
    attributable: bool


@dataclass(frozen=True, slots=True)
class ContextMarks:
    """The context of one answer against the reference, or the typed reason that nothing was found.

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
    def nothing_to_find(self) -> bool:
        """Whether there is no reference to compare with."""
        return self.outcome is VerdictOutcome.SCORED and self.scores == _NO_SCORES


def marks_to_row(marks: ContextMarks) -> Row:
    """Return the line of `context_scores.jsonl`; its scores follow from its marks."""
    row = asdict(marks)
    if not marks.error:
        del row["error"]
    return {**row, "scores": asdict(marks.scores)}


def marks_from_row(row: Row) -> ContextMarks:
    """Return the record of a line of `context_scores.jsonl`.

    Raises:
        KeyError, TypeError, ValueError: if a key is missing or its value is of another kind.
    """
    if not isinstance(row["query_id"], str) or not isinstance(row["lang"], str):
        raise TypeError("'query_id' and 'lang' must be texts")
    passages = tuple(PassageMark(one["doc_id"], one["useful"]) for one in row["passages"])
    statements = tuple(StatementMark(one["text"], one["attributable"]) for one in row["statements"])
    marks = (*(one.useful for one in passages), *(one.attributable for one in statements))
    if not all(isinstance(mark, bool) for mark in marks):
        raise TypeError("'useful' and 'attributable' must be true or false")
    usage = row.get("usage")
    return ContextMarks(
        row["query_id"],
        row["lang"],
        passages,
        statements,
        VerdictOutcome(row["outcome"]),
        row["judge"],
        row["prompt_hash"],
        row.get("attempts", 1),
        None if usage is None else Usage(usage["prompt_tokens"], usage["completion_tokens"]),
        row.get("answer_hash", ""),
        row.get("error", ""),
    )


def _header(marks: ContextMarks) -> ContextHeader:
    return ContextHeader(marks.outcome, (marks.judge, marks.prompt_hash), marks.answer_hash, marks.scores)


CONTEXTS = RowCodec(
    marks_from_row,
    marks_to_row,
    lambda marks: marks.key,
    _header,
    lambda marks: marks.outcome is not VerdictOutcome.SCORED,
)

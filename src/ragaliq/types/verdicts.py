"""What a judge makes of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragaliq.types.answers import Usage

# The scale of all grades: whole numbers 0 to 5, 0 for an abstention, with the meanings of the rubric.
SCALE = "grade-0-5"


class VerdictOutcome(StrEnum):
    """`SCORED`: the answer has a grade; else the reason why it has none.

    `NO_CONTEXTS` is a check's alone: it is not known what the reader saw.
    """

    SCORED = "scored"
    REFUSED = "refused"
    UNPARSEABLE = "unparseable"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    API_ERROR = "api_error"
    NO_ANSWER = "no_answer"
    NO_CONTEXTS = "no_contexts"


class Refusal(StrEnum):
    """Whether an answer says that it does not know: nothing of the kind, of a part of the question, or altogether."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """One of several gradings of an answer: by a judge of a panel, or one of a judge's repeats."""

    judge: str
    grade: int | None
    outcome: VerdictOutcome

    def __post_init__(self) -> None:
        """Refuse a grade off the scale."""
        if self.grade is not None and (type(self.grade) is not int or not 0 <= self.grade <= 5):
            raise ValueError(f"vote of {self.judge}: a grade is a whole number from 0 to 5, not {self.grade!r}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's grade of an answer, or the typed reason that there is none.

    Attributes:
        grade: a whole number from 0 to 5 if `outcome` is `SCORED`, else None.
        draws: of several gradings, all.
        refuses: whether the answer says that it does not know; None if the judge did not say.
        expected_grade: the mean of the grades that the judge's model could have written, weighted by their
            probabilities; None if its endpoint gives none.
        confidence: the probability of the grade that it wrote, in 0..1; None likewise.
        reasoning: what the model thought before its reply.
        answer_hash: of the answer, its citations and its context; empty if not known.
    """

    query_id: str
    lang: str
    grade: int | None
    outcome: VerdictOutcome
    feedback: str
    judge: str
    prompt_hash: str
    attempts: int = 1
    usage: Usage | None = None
    draws: tuple[JudgeVote, ...] = ()
    refuses: Refusal | None = None
    expected_grade: float | None = None
    confidence: float | None = None
    reasoning: str = ""
    answer_hash: str = ""

    def __post_init__(self) -> None:
        if (self.grade is None) == (self.outcome is VerdictOutcome.SCORED):
            raise ValueError(f"verdict on {self.query_id}: grade {self.grade} with outcome {self.outcome}")
        if self.grade is not None and (type(self.grade) is not int or not 0 <= self.grade <= 5):
            raise ValueError(f"verdict on {self.query_id}: a grade is a whole number from 0 to 5, not {self.grade!r}")

    @property
    def key(self) -> tuple[str, str]:
        """Language and query id, the order of every output."""
        return (self.lang, self.query_id)

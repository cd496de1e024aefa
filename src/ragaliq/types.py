"""The records that pass between stages.

Every stage reads and writes these frozen records; none of them knows about files, models or networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# Names the scale of all grades: whole numbers 0 to 5, 0 for an abstention, with the meanings of the rubric.
SCALE = "grade-0-5"


class AnswerOutcome(StrEnum):
    """What became of one query at the reader."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    ERROR = "error"


class VerdictOutcome(StrEnum):
    """Either the judge graded the answer (`SCORED`), or the reason why there is no grade."""

    SCORED = "scored"
    REFUSED = "refused"
    UNPARSEABLE = "unparseable"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    API_ERROR = "api_error"
    NO_ANSWER = "no_answer"


class Importance(StrEnum):
    """How much an answer needs a nugget."""

    VITAL = "vital"
    OKAY = "okay"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One indexed unit of text: `source[start:end] == text`, offsets in Unicode code points."""

    doc_id: str
    lang: str
    text: str
    source_id: str
    start: int
    end: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the system under test sees it: no reference, no gold."""

    query_id: str
    lang: str
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A query with what a judge may know about it.

    `gold` is an AND of ORs over doc ids: every group is needed, any member of a group will do.
    `near_miss` names the chunk nearest to an unanswerable query.
    """

    query: Query
    reference: str
    answerable: bool = True
    type: str = "single"
    gold: tuple[tuple[str, ...], ...] = ()
    aliases: tuple[str, ...] = ()
    difficulty: str = ""
    near_miss: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The item's place in every sorted output: language, then query id."""
        return (self.query.lang, self.query.query_id)


@dataclass(frozen=True, slots=True)
class Nugget:
    """An atomic fact that a good answer holds, with the chunks that support it."""

    nugget_id: str
    query_id: str
    lang: str
    text: str
    importance: Importance
    doc_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExamAnswer:
    """An answer of which it is known what a sound judge gives it: a grade from `least` to `most`.

    Parallel ones in several languages have the same `exam_id`.
    """

    exam_id: str
    item: Item
    kind: str
    text: str
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk. `rank` counts from 1; a greater `score` is better."""

    chunk: Chunk
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that an endpoint reported for one call."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """A token that a model could have written at one place, with its probability in 0..1."""

    token: str
    prob: float


# For each token that a model wrote, its most probable candidates there, best first.
TokenChoices = tuple[tuple[TokenChoice, ...], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of one query and its context; `error` says what went wrong, if anything did."""

    text: str
    outcome: AnswerOutcome
    usage: Usage | None = None
    error: str = ""
    logprobs: TokenChoices = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer with the context that its reader saw; `error` says what went wrong, if anything did."""

    query: Query
    text: str
    outcome: AnswerOutcome
    context: tuple[Hit, ...]
    usage: Usage | None = None
    error: str = ""
    logprobs: TokenChoices = ()

    @property
    def key(self) -> tuple[str, str]:
        """The item's place in every sorted output: language, then query id."""
        return (self.query.lang, self.query.query_id)


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """One of several gradings of the same answer: by one judge of a panel, or one of a judge's repeats."""

    judge: str
    grade: int | None
    outcome: VerdictOutcome


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's grade of one answer, or the typed reason that there is none.

    `grade` is a whole number from 0 to 5 exactly when `outcome` is `SCORED`, else None. `draws` holds the gradings that
    the grade was made of, where there were several.
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

    def __post_init__(self) -> None:
        """Refuse a grade without `SCORED`, `SCORED` without a grade, and a grade off the scale."""
        if (self.grade is None) == (self.outcome is VerdictOutcome.SCORED):
            raise ValueError(f"verdict on {self.query_id}: grade {self.grade} with outcome {self.outcome}")
        if self.grade is not None and (type(self.grade) is not int or not 0 <= self.grade <= 5):
            raise ValueError(f"verdict on {self.query_id}: a grade is a whole number from 0 to 5, not {self.grade!r}")

    @property
    def key(self) -> tuple[str, str]:
        """The item's place in every sorted output: language, then query id."""
        return (self.lang, self.query_id)

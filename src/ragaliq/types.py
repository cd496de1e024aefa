"""The frozen records that pass between stages; none of them knows about files, models or networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

# The scale of all grades: whole numbers 0 to 5, 0 for an abstention, with the meanings of the rubric.
SCALE = "grade-0-5"
# Query id → doc id → relevance: above 0 relevant, 0 judged and not relevant, below 0 as 0; what is absent is unjudged.
Qrels = Mapping[str, Mapping[str, int]]
# Query id → nugget id → doc id → relevance. A nugget that no document supports stays, with rows of 0 or none.
NuggetQrels = Mapping[str, Mapping[str, Mapping[str, int]]]


class AnswerOutcome(StrEnum):
    """What became of a query at the reader."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    ERROR = "error"


class VerdictOutcome(StrEnum):
    """`SCORED`: the answer has a grade; else the reason why it has none."""

    SCORED = "scored"
    REFUSED = "refused"
    UNPARSEABLE = "unparseable"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    API_ERROR = "api_error"
    NO_ANSWER = "no_answer"


class Refusal(StrEnum):
    """Whether an answer says that it does not know: nothing of the kind, of a part of the question, or altogether."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


class Importance(StrEnum):
    """How much an answer needs a nugget."""

    VITAL = "vital"
    OKAY = "okay"


class AssignmentLabel(StrEnum):
    """How far a text says what a nugget says."""

    SUPPORT = "support"
    PARTIAL_SUPPORT = "partial_support"
    NOT_SUPPORT = "not_support"


@dataclass(frozen=True, slots=True)
class Chunk:
    """An indexed unit of text: `source[start:end] == text`, offsets in Unicode code points."""

    doc_id: str
    lang: str
    text: str
    source_id: str
    start: int
    end: int
    title: str = ""

    @property
    def titled(self) -> str:
        """The text below its title, if it has one."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Query:
    """A question as the system under test sees it: no reference, no gold.

    `lang` is the language of the documents that are to answer it, `asked_in` that of its text where it is another one.
    """

    query_id: str
    lang: str
    text: str
    asked_in: str = ""

    def to_documents_in(self, lang: str) -> Query:
        """Return the question as it is asked of documents in a language, or in several, as in `de+en`."""
        foreign = self.lang not in lang.split("+")
        return replace(self, lang=lang, asked_in=self.lang if foreign else "")


@dataclass(frozen=True, slots=True)
class Item:
    """A query with what a judge may know about it.

    `gold` is an AND of ORs over doc ids: every group is needed, any member of a group will do. `near_miss` is the doc
    id of the chunk nearest to an unanswerable query.
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
        """Language and query id, the order of every output."""
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
class Assignment:
    """Whether a text says what a nugget says: a chunk (`doc_id`), or the answer to the nugget's query in a `run`."""

    nugget_id: str
    lang: str
    label: AssignmentLabel
    doc_id: str = ""
    run: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.label, AssignmentLabel):
            raise ValueError(f"assignment of {self.nugget_id}: unknown label {self.label!r}")
        if bool(self.doc_id) == bool(self.run):
            raise ValueError(f"assignment of {self.nugget_id}: name a doc_id or a run, one of the two")

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Language, nugget and target, the order of every output."""
        return (self.lang, self.nugget_id, self.doc_id, self.run)


class Origin(StrEnum):
    """Where a candidate comes from: a model wrote it; people asked and answered it; it was asked in a query log."""

    GENERATED = "generated"
    PEOPLE = "people"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query before filtering, with its reference and the chunks that the two were written from.

    `gold` as in `Item`. An answerable candidate has some, unless people answered it: what they had read is not known.
    Parallel candidates in several languages have the same `candidate_id`.
    """

    candidate_id: str
    lang: str
    text: str
    reference: str
    gold: tuple[tuple[str, ...], ...]
    answerable: bool = True
    type: str = "single"
    origin: Origin = Origin.GENERATED

    def __post_init__(self) -> None:
        where = f"candidate {self.candidate_id} ({self.lang})"
        if not self.text.strip():
            raise ValueError(f"{where}: the query is blank")
        if self.answerable and not self.reference.strip():
            raise ValueError(f"{where}: answerable without reference")
        if self.answerable and not self.gold and self.origin != Origin.PEOPLE:
            raise ValueError(f"{where}: answerable without gold")
        if not all(self.gold):
            raise ValueError(f"{where}: a group of its gold names no chunk")

    @property
    def key(self) -> tuple[str, str]:
        """Language and id, the order of every output."""
        return (self.lang, self.candidate_id)


@dataclass(frozen=True, slots=True)
class ExamAnswer:
    """An answer that a sound judge grades from `least` to `most`; parallel ones have the same `exam_id`."""

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
    """Tokens of one call, as its endpoint reported them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Trace:
    """One call of a model that writes, here or at an endpoint, or of an endpoint's embedder.

    Vectors and scores that a model on this machine computes have none; the run's configuration tells how to get them.

    Attributes:
        component: who asked: `reader`, `reranker`, `embedder`, `judge` or `check`.
        model: its name at the endpoint, its id on this machine, or the address of an `http` reader.
        lang: of the query that the call is about; empty where it is about none, as an embedder's.
        query_id: of the same query.
        turn: number of the request in its conversation, from 1.
        parameters: the request without its messages.
        prompt_hash: of the prompt files that the messages were made from.
        request_hash: SHA-256 of the request with its messages, the key in the cache of replies.
        raw_reply: the text as it came; empty if the call failed, and for vectors.
        reasoning: written before the reply, where the endpoint reports it apart.
        finish_reason: why the reply ends, in the endpoint's word.
        usage: as reported.
        attempts: requests that the reply, or the failure, took.
        error: why there is no reply.
    """

    component: str
    model: str
    lang: str = ""
    query_id: str = ""
    turn: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)
    prompt_hash: str = ""
    request_hash: str = ""
    raw_reply: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    attempts: int = 1
    error: str = ""


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """A token that a model could have written at a place, with its probability in 0..1."""

    token: str
    prob: float


# For each token that a model wrote, its most probable candidates there, best first.
TokenChoices = tuple[tuple[TokenChoice, ...], ...]


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of an answer, with the ids of the documents that it cites."""

    text: str
    citations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader's answer to a query; `error` says what went wrong, `sentences` are those of an answer that cites."""

    text: str
    outcome: AnswerOutcome
    usage: Usage | None = None
    error: str = ""
    logprobs: TokenChoices = ()
    sentences: tuple[CitedSentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A system's answer with the context that its reader saw; `error` says what went wrong."""

    query: Query
    text: str
    outcome: AnswerOutcome
    context: tuple[Hit, ...]
    usage: Usage | None = None
    error: str = ""
    logprobs: TokenChoices = ()
    sentences: tuple[CitedSentence, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Language and query id, the order of every output."""
        return (self.query.lang, self.query.query_id)


@dataclass(frozen=True, slots=True)
class JudgeVote:
    """One of several gradings of an answer: by a judge of a panel, or one of a judge's repeats."""

    judge: str
    grade: int | None
    outcome: VerdictOutcome


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
        reasoning: what the model wrote before its reply, where the endpoint reports it apart.
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

    def __post_init__(self) -> None:
        if (self.grade is None) == (self.outcome is VerdictOutcome.SCORED):
            raise ValueError(f"verdict on {self.query_id}: grade {self.grade} with outcome {self.outcome}")
        if self.grade is not None and (type(self.grade) is not int or not 0 <= self.grade <= 5):
            raise ValueError(f"verdict on {self.query_id}: a grade is a whole number from 0 to 5, not {self.grade!r}")

    @property
    def key(self) -> tuple[str, str]:
        """Language and query id, the order of every output."""
        return (self.lang, self.query_id)

"""What is asked, and what a good answer holds: the records of a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

# Query id → doc id → relevance: above 0 relevant, 0 judged and not relevant, below 0 as 0; what is absent is unjudged.
Qrels = Mapping[str, Mapping[str, int]]
# Query id → nugget id → doc id → relevance. A nugget that no document supports stays, with rows of 0 or none.
NuggetQrels = Mapping[str, Mapping[str, Mapping[str, int]]]


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

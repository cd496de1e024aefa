"""What people say of a benchmark: its nuggets, the judgements of support, its translations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SupportReview(StrEnum):
    """Whether a document supports a nugget, as a person sees it (FreshStack, arXiv 2504.13128, section 4)."""

    RELEVANT = "relevant"
    PARTIAL = "partial"
    NOT = "not"


class TranslationReview(StrEnum):
    """How good a translation is."""

    GOOD = "good"
    MINOR = "minor"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class ReviewedNuggets:
    """One person's view of the nuggets of a query.

    Attributes:
        query_id: the query.
        lang: its language.
        rater: who looked.
        nugget_ids: the nuggets in their order.
        hallucinated: those that the answer does not say.
        redundant: those that are minor, or repeat another.
        missing: how many facts of the answer have no nugget.
    """

    query_id: str
    lang: str
    rater: str
    nugget_ids: tuple[str, ...]
    hallucinated: frozenset[str]
    redundant: frozenset[str]
    missing: int


@dataclass(frozen=True, slots=True)
class ReviewedSupport:
    """One person's view of a pair of nugget and document, given without the model's label.

    Attributes:
        query_id: the query.
        lang: its language.
        rater: who looked.
        nugget_id: the nugget.
        doc_id: the document.
        label: what the person says.
        supported: what the model says.
    """

    query_id: str
    lang: str
    rater: str
    nugget_id: str
    doc_id: str
    label: SupportReview
    supported: bool


@dataclass(frozen=True, slots=True)
class ReviewedTranslation:
    """One person's view of a translated text as it stood.

    Attributes:
        id: what it is and its id, as in `chunk arrival-01` or `nugget q001-1` (`RecordKind`).
        lang: language of the translation.
        rater: who looked.
        label: what the person says.
    """

    id: str
    lang: str
    rater: str
    label: TranslationReview

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


# From worst to best.
SUPPORT_ORDER = (SupportReview.NOT, SupportReview.PARTIAL, SupportReview.RELEVANT)
TRANSLATION_ORDER = (TranslationReview.WRONG, TranslationReview.MINOR, TranslationReview.GOOD)


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
        query_id: the query that it belongs to; of a chunk the chunk's id.
        lang: language of the translation.
        rater: who looked.
        label: what the person says.
    """

    id: str
    query_id: str
    lang: str
    rater: str
    label: TranslationReview


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement of the raters, as in `agreement.json`; `lang` is `all` for the languages together.

    `what` is the task; of `nuggets` the rows are `hallucinated` and `redundant`, whose items are nuggets, and
    `missing`, the number of missing facts of a query. `alpha` is nominal. The figures are those of `DoubleAnnotation`.
    """

    task: str
    what: str
    lang: str
    n: int
    n_raters: int
    exact: float | None
    cohen_kappa: float | None
    alpha: float | None
    ordinal_alpha: float | None

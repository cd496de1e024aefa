"""Several raters of one item: the one judgement that they make.

The majority decides. Where there is none, the judgement against the benchmark does: a flag is set, support is the
lesser label of a pair that the model calls supported and the greater of any other, a translation the worse, and of two
counts of missing facts the greater one holds. Three different labels make the middle one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ragaliq.build.audit.support_strata import Population
from ragaliq.metrics.answers.nugget_audit import JudgedNuggets
from ragaliq.types import (
    SUPPORT_ORDER,
    TRANSLATION_ORDER,
    AgreementRow,
    ReviewedNuggets,
    ReviewedSupport,
    ReviewedTranslation,
    SupportReview,
)

_Review = TypeVar("_Review", ReviewedNuggets, ReviewedSupport, ReviewedTranslation)


@dataclass(frozen=True, slots=True)
class Reviews:
    """What people said of a benchmark, the latest of each rater and item.

    Attributes:
        nuggets, support, translations: their judgements, as far as the judged texts are still there.
        agreement: how far the raters agree.
        pairs: all judged pairs of the languages whose support was reviewed.
        n_stale: judgements that do not count: their texts have changed.
    """

    nuggets: Sequence[ReviewedNuggets] = ()
    support: Sequence[ReviewedSupport] = ()
    translations: Sequence[ReviewedTranslation] = ()
    agreement: Sequence[AgreementRow] = ()
    pairs: Population = field(default_factory=dict)
    n_stale: int = 0

    @property
    def raters(self) -> tuple[str, ...]:
        """Everybody who judged something, sorted."""
        return tuple(sorted({one.rater for kind in (self.nuggets, self.support, self.translations) for one in kind}))


def combined_nuggets(reviews: Sequence[ReviewedNuggets]) -> dict[tuple[str, str], JudgedNuggets]:
    """Return one judgement for each language and query, in their order."""
    return {key: _nuggets(own) for key, own in _grouped(reviews, lambda one: (one.lang, one.query_id)).items()}


def combined_support(reviews: Sequence[ReviewedSupport]) -> list[ReviewedSupport]:
    """Return one judgement for each pair of nugget and document, in the order of their names."""
    pairs = _grouped(reviews, _pair)
    return [
        ReviewedSupport(
            own[0].query_id,
            own[0].lang,
            "",
            own[0].nugget_id,
            own[0].doc_id,
            _support(own),
            own[0].supported,
        )
        for own in pairs.values()
    ]


def combined_translations(reviews: Sequence[ReviewedTranslation]) -> list[ReviewedTranslation]:
    """Return one judgement for each translated text, in the order of languages and ids."""
    texts = _grouped(reviews, lambda one: (one.lang, one.id))
    return [
        ReviewedTranslation(
            own[0].id,
            own[0].query_id,
            own[0].lang,
            "",
            TRANSLATION_ORDER[_decided([TRANSLATION_ORDER.index(one.label) for one in own])],
        )
        for own in texts.values()
    ]


def _nuggets(own: Sequence[ReviewedNuggets]) -> JudgedNuggets:
    # The nuggets of a query are the same for all its raters.
    ids = own[0].nugget_ids
    return JudgedNuggets(
        own[0].query_id,
        tuple(_flagged([nugget_id in one.hallucinated for one in own]) for nugget_id in ids),
        tuple(_flagged([nugget_id in one.redundant for one in own]) for nugget_id in ids),
        -_decided([-one.missing for one in own]),
    )


def _support(own: Sequence[ReviewedSupport]) -> SupportReview:
    """Return the majority's label; without one the lesser of a supported pair, the greater of an unsupported one."""
    worst_first = SUPPORT_ORDER if own[0].supported else tuple(reversed(SUPPORT_ORDER))
    return worst_first[_decided([worst_first.index(one.label) for one in own])]


def _flagged(flags: Sequence[bool]) -> bool:
    return 2 * sum(flags) >= len(flags)


def _decided(places: Sequence[int]) -> int:
    """Return the place that more than half chose, else the lower median."""
    return sorted(places)[(len(places) - 1) // 2]


def _pair(one: ReviewedSupport) -> tuple[str, str, str, str]:
    return one.lang, one.query_id, one.nugget_id, one.doc_id


def _grouped(reviews: Sequence[_Review], key: Callable[[_Review], tuple[str, ...]]) -> dict[Any, list[_Review]]:
    groups: dict[Any, list[_Review]] = {}
    for one in sorted(reviews, key=lambda one: (key(one), one.rater)):
        groups.setdefault(key(one), []).append(one)
    return groups

"""Several raters of one item: the one judgement that they make, and how far they agree.

The majority decides. Where there is none, the judgement against the benchmark does: a flag is set, support is the
lesser, a translation the worse, and of two counts of missing facts the greater one holds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ragaliq.metrics.agreement.coefficients import alpha_of_raters
from ragaliq.metrics.answers.nugget_audit import JudgedNuggets
from ragaliq.types import (
    ReviewedNuggets,
    ReviewedSupport,
    ReviewedTranslation,
    SupportReview,
    TranslationReview,
)

# From worst to best.
_SUPPORT = (SupportReview.NOT, SupportReview.PARTIAL, SupportReview.RELEVANT)
_TRANSLATION = (TranslationReview.WRONG, TranslationReview.MINOR, TranslationReview.GOOD)
_Review = TypeVar("_Review", ReviewedNuggets, ReviewedSupport, ReviewedTranslation)


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Agreement on the items that two or more people judged.

    Attributes:
        what: `hallucinated`, `redundant`, `support` or `translation`.
        n: number of these items.
        raters: how many people judged at least one of them.
        exact: share of them on which all say the same; None for n = 0.
        alpha: Krippendorff's α, ordinal; None if all judgements are the same.
    """

    what: str
    n: int
    raters: int
    exact: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True)
class Reviews:
    """What people said of a benchmark, the latest of each rater and item."""

    nuggets: Sequence[ReviewedNuggets] = ()
    support: Sequence[ReviewedSupport] = ()
    translations: Sequence[ReviewedTranslation] = ()

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
            _SUPPORT[_decided([_SUPPORT.index(one.label) for one in own])],
            own[0].supported,
        )
        for own in pairs.values()
    ]


def combined_translations(reviews: Sequence[ReviewedTranslation]) -> list[ReviewedTranslation]:
    """Return one judgement for each translated text, in the order of languages and ids."""
    texts = _grouped(reviews, lambda one: (one.lang, one.id))
    return [
        ReviewedTranslation(
            own[0].id, own[0].lang, "", _TRANSLATION[_decided([_TRANSLATION.index(one.label) for one in own])]
        )
        for own in texts.values()
    ]


def rater_agreement(reviews: Reviews) -> tuple[RaterAgreement, ...]:
    """Return how far the raters agree; a task whose items one person judged is left out."""
    units: dict[str, dict[Hashable, dict[str, int]]] = {}
    for one in reviews.nuggets:
        for nugget_id in one.nugget_ids:
            key = one.lang, one.query_id, nugget_id
            for what, flagged in (("hallucinated", one.hallucinated), ("redundant", one.redundant)):
                units.setdefault(what, {}).setdefault(key, {})[one.rater] = int(nugget_id in flagged)
    for pair in reviews.support:
        units.setdefault("support", {}).setdefault(_pair(pair), {})[pair.rater] = _SUPPORT.index(pair.label)
    for text in reviews.translations:
        ratings = units.setdefault("translation", {}).setdefault((text.lang, text.id), {})
        ratings[text.rater] = _TRANSLATION.index(text.label)
    rows = (_agreement(what, items) for what, items in units.items())
    return tuple(row for row in rows if row.n)


def _agreement(what: str, items: Mapping[Hashable, Mapping[str, int]]) -> RaterAgreement:
    shared = [ratings for ratings in items.values() if len(ratings) > 1]
    same = sum(len(set(ratings.values())) == 1 for ratings in shared)
    return RaterAgreement(
        what,
        len(shared),
        len({rater for ratings in shared for rater in ratings}),
        same / len(shared) if shared else None,
        alpha_of_raters([list(ratings.values()) for ratings in shared]),
    )


def _nuggets(own: Sequence[ReviewedNuggets]) -> JudgedNuggets:
    # The nuggets of a query are the same for all its raters.
    ids = own[0].nugget_ids
    return JudgedNuggets(
        own[0].query_id,
        tuple(_flagged([nugget_id in one.hallucinated for one in own]) for nugget_id in ids),
        tuple(_flagged([nugget_id in one.redundant for one in own]) for nugget_id in ids),
        -_decided([-one.missing for one in own]),
    )


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

"""How good the judge of support is: its labels beside those of people, on a sample of pairs of nugget and document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.build.audit.support_strata import (
    Population,
    counted_as,
    is_support,
    middle,
    share_draws,
    stratum_share,
)
from ragaliq.metrics.statistics.clustered_share import ClusteredShare
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.types import ReviewedSupport, SupportReview


@dataclass(frozen=True, slots=True)
class LabelShares:
    """What people say of pairs that the model calls supported (FreshStack's table 5); the shares add up to 1."""

    relevant: ClusteredShare
    partial: ClusteredShare
    not_relevant: ClusteredShare


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """Precision and recall of the judge over all judged pairs.

    Attributes:
        counts_as: which labels of people count as support: `relevant`, or `relevant or partial`.
        positives: pairs in the benchmark that the model calls supported; `negatives` are the others.
        precision: share of the positives that people call support (`stratum_share`).
        missed: share of the negatives that people call support.
        recall: positives · precision / (positives · precision + negatives · missed); None if a part is not known.
        recall_interval: 95 %: the middle of draws of the two shares; so nothing missed in few pairs leaves doubt.
    """

    counts_as: str
    positives: int
    negatives: int
    precision: ClusteredShare
    missed: ClusteredShare
    recall: float | None
    recall_interval: Interval | None


def label_shares(reviews: Sequence[ReviewedSupport], population: Population) -> LabelShares:
    """Return the shares of the three labels among all pairs that the model calls supported."""
    shares = (
        stratum_share(reviews, population, True, label.__eq__)
        for label in (SupportReview.RELEVANT, SupportReview.PARTIAL, SupportReview.NOT)
    )
    return LabelShares(*shares)


def judge_quality(
    reviews: Sequence[ReviewedSupport], population: Population, partial: bool, seed: int = 0
) -> JudgeQuality:
    """Return precision and recall; `reviews` hold one judgement a pair, `partial` ones count as support if it says so.

    Positives and negatives are two strata, sampled apart; pairs of queries that the population lacks do not count.
    """
    precision, missed = (
        stratum_share(reviews, population, supported, lambda label: is_support(label, partial))
        for supported in (True, False)
    )
    positives = sum(one.supported for one in population.values())
    negatives = sum(one.unsupported for one in population.values())
    recall, ends = _recall((positives, precision), (negatives, missed), seed)
    return JudgeQuality(counted_as(partial), positives, negatives, precision, missed, recall, ends)


def _recall(
    positives: tuple[int, ClusteredShare], negatives: tuple[int, ClusteredShare], seed: int
) -> tuple[float | None, Interval | None]:
    (n_positive, right), (n_negative, missed) = positives, negatives
    if not n_negative:
        return (1.0, None) if right.value else (None, None)
    if right.value is None or missed.value is None or right.value + missed.value == 0:
        return None, None
    recall = n_positive * right.value / (n_positive * right.value + n_negative * missed.value)
    found, lost = share_draws([right, missed], seed)
    return recall, middle(n_positive * found / (n_positive * found + n_negative * lost), recall)

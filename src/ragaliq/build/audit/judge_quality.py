"""How good the judge of support is: its labels beside those of people, on a sample of pairs of nugget and document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragaliq.metrics.statistics.clustered_share import ClusteredShare, QueryUnits, clustered_share
from ragaliq.metrics.statistics.intervals import Interval, quantiles
from ragaliq.types import ReviewedSupport, SupportReview

_DRAWS = 20_000
_ENDS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The judged pairs of one query in one language: those that the model calls supported, and the others."""

    supported: int
    unsupported: int
    nuggets: int


# Language and query id → its pairs.
Population = Mapping[tuple[str, str], PairCounts]


@dataclass(frozen=True, slots=True)
class LabelShares:
    """FreshStack's table 5: what people say of pairs that the model calls supported, each pair the same weight."""

    relevant: ClusteredShare
    partial: ClusteredShare
    not_relevant: ClusteredShare


@dataclass(frozen=True, slots=True)
class JudgeQuality:
    """Precision and recall of the judge over all judged pairs.

    Attributes:
        counts_as: which labels of people count as support: `relevant`, or `relevant or partial`.
        positives: pairs in the benchmark that the model calls supported; `negatives` are the others.
        precision: share of the positives that people call support. A reviewed pair stands for the others of its query.
        missed: share of the negatives that people call support, in the same way.
        recall: positives · precision / (positives · precision + negatives · missed); None if a part is not known.
        recall_interval: 95 %: the middle of draws of the two shares, each of a beta distribution with its effective
            number of pairs and Jeffreys' prior; so nothing missed in few pairs leaves doubt.
    """

    counts_as: str
    positives: int
    negatives: int
    precision: ClusteredShare
    missed: ClusteredShare
    recall: float | None
    recall_interval: Interval | None


def label_shares(reviews: Sequence[ReviewedSupport]) -> LabelShares:
    """Return the shares of the three labels among the reviewed positives; the sample has one of each question."""
    positives = [one for one in reviews if one.supported]
    shares = (
        _plain([(one.query_id, one.label is label) for one in positives])
        for label in (SupportReview.RELEVANT, SupportReview.PARTIAL, SupportReview.NOT)
    )
    return LabelShares(*shares)


def judge_quality(
    reviews: Sequence[ReviewedSupport], population: Population, partial: bool, seed: int = 0
) -> JudgeQuality:
    """Return precision and recall; `reviews` hold one judgement a pair, `partial` ones count as support if it says so.

    Positives and negatives are two strata, sampled apart; pairs of queries that the population lacks do not count.
    """
    known = [one for one in reviews if (one.lang, one.query_id) in population]
    precision, missed = (_stratum(known, population, supported, partial) for supported in (True, False))
    positives = sum(one.supported for one in population.values())
    negatives = sum(one.unsupported for one in population.values())
    recall, ends = _recall((positives, precision), (negatives, missed), seed)
    return JudgeQuality(counted_as(partial), positives, negatives, precision, missed, recall, ends)


def is_support(label: SupportReview, partial: bool) -> bool:
    """Return whether a label counts as support."""
    return label is SupportReview.RELEVANT or (partial and label is SupportReview.PARTIAL)


def counted_as(partial: bool) -> str:
    """Return which labels count as support, in words."""
    return "relevant or partial" if partial else "relevant"


def _stratum(
    reviews: Iterable[ReviewedSupport], population: Population, supported: bool, partial: bool
) -> ClusteredShare:
    """Return the share of support in a stratum: within a query and language its mean, weighted by its pairs there."""
    drawn: dict[tuple[str, str], list[bool]] = {}
    for one in reviews:
        if one.supported is supported:
            drawn.setdefault((one.lang, one.query_id), []).append(is_support(one.label, partial))
    queries: dict[str, QueryUnits] = {}
    for (lang, query_id), own in drawn.items():
        counts = population[lang, query_id]
        size = counts.supported if supported else counts.unsupported
        before = queries.get(query_id, QueryUnits(0.0, 0.0, 0))
        queries[query_id] = QueryUnits(
            before.count + size * sum(own) / len(own), before.size + size, before.drawn + len(own)
        )
    return clustered_share(queries)


def _recall(
    positives: tuple[int, ClusteredShare], negatives: tuple[int, ClusteredShare], seed: int
) -> tuple[float | None, Interval | None]:
    (n_positive, right), (n_negative, missed) = positives, negatives
    if not n_negative:
        return (1.0, None) if right.value else (None, None)
    if right.value is None or missed.value is None or right.value + missed.value == 0:
        return None, None
    recall = n_positive * right.value / (n_positive * right.value + n_negative * missed.value)
    generator = np.random.default_rng(seed)
    found, lost = (
        size * generator.beta(share.effective * value + 0.5, share.effective * (1 - value) + 0.5, _DRAWS)
        for size, share, value in ((n_positive, right, right.value), (n_negative, missed, missed.value))
    )
    ends = quantiles(found / (found + lost), _ENDS)
    return recall, Interval(min(ends.low, recall), max(ends.high, recall))


def _plain(rows: Iterable[tuple[str, bool]]) -> ClusteredShare:
    queries: dict[str, QueryUnits] = {}
    for query_id, hit in rows:
        before = queries.get(query_id, QueryUnits(0, 0, 0))
        queries[query_id] = QueryUnits(before.count + hit, before.size + 1, before.drawn + 1)
    return clustered_share(queries)

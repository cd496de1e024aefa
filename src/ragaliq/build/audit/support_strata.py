"""Pairs of nugget and document in two strata, by the model's label, and what the reviewed ones say of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from ragaliq.metrics.statistics.clustered_share import ClusteredShare, QueryUnits, clustered_share
from ragaliq.metrics.statistics.intervals import Array, Interval, quantiles
from ragaliq.types import ReviewedSupport, SupportReview

_DRAWS = 20_000
_ENDS = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The judged pairs of one query in one language: those that the model calls supported, and the others."""

    supported: int
    unsupported: int
    nuggets: int

    def of(self, supported: bool) -> int:
        """Return the pairs of a stratum."""
        return self.supported if supported else self.unsupported


# Language and query id → its pairs.
Population = Mapping[tuple[str, str], PairCounts]
# What a pair of a query counts; 1 in a share of pairs.
PairWeight = Callable[[PairCounts], float]


def is_support(label: SupportReview, partial: bool) -> bool:
    """Return whether a label counts as support."""
    return label is SupportReview.RELEVANT or (partial and label is SupportReview.PARTIAL)


def counted_as(partial: bool) -> str:
    """Return which labels count as support, in words."""
    return "relevant or partial" if partial else "relevant"


def stratum_share(
    reviews: Iterable[ReviewedSupport],
    population: Population,
    supported: bool,
    hit: Callable[[SupportReview], bool],
    weight: PairWeight = lambda counts: 1.0,
) -> ClusteredShare:
    """Return the share of a label in a stratum: over all its pairs, as the reviewed ones show it.

    The weights follow the draw (`ragaliq.review.sources.support`). Of pairs called supported there is one at random of
    each of some random queries, with the weight of all of its query. The others are drawn at random from the language,
    with equal weights. Languages count by their pairs. Pairs of queries that the population lacks do not count.
    """
    drawn: dict[tuple[str, str], list[bool]] = {}
    for one in reviews:
        key = one.lang, one.query_id
        if one.supported is supported and key in population and population[key].of(supported):
            drawn.setdefault(key, []).append(hit(one.label))
    stands_for = {key: population[key].supported if supported else len(own) for key, own in drawn.items()}
    found, whole = Counter[str](), Counter[str]()
    for (lang, _), pairs in stands_for.items():
        found[lang] += pairs
    for (lang, _), counts in population.items():
        whole[lang] += counts.of(supported)
    queries: dict[str, QueryUnits] = {}
    weights: list[float] = []
    for key, own in drawn.items():
        lang, query_id = key
        units = weight(population[key]) * stands_for[key] * whole[lang] / found[lang]
        weights += [units / len(own)] * len(own)
        before = queries.get(query_id, QueryUnits(0.0, 0.0, 0))
        count = before.count + units * sum(own) / len(own)
        queries[query_id] = QueryUnits(count, before.size + units, before.drawn + len(own))
    # Kish 1965, Survey Sampling, section 11.2.
    equal = fsum(weights) ** 2 / fsum(one * one for one in weights) if weights else 0.0
    return clustered_share(queries, equal)


def share_draws(shares: Sequence[ClusteredShare], seed: int) -> list[Array]:
    """Return draws of what shares may be: each of a beta distribution with its effective number and Jeffreys' prior."""
    generator = np.random.default_rng(seed)
    draws = []
    for share in shares:
        value = share.value or 0.0
        draws.append(generator.beta(share.effective * value + 0.5, share.effective * (1 - value) + 0.5, _DRAWS))
    return draws


def middle(draws: Array, value: float) -> Interval:
    """Return the middle 95 % of draws, widened where it leaves the value out."""
    ends = quantiles(draws, _ENDS)
    return Interval(min(ends.low, value), max(ends.high, value))

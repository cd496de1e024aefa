"""Rates of support as people would give them: the model's labels of all pairs, corrected by people's of some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from ragaliq.build.audit.support_strata import (
    PairCounts,
    Population,
    counted_as,
    is_support,
    middle,
    share_draws,
    stratum_share,
)
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.types import ReviewedSupport


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """A mean over the benchmark's queries: of the model, and as people would give it.

    Attributes:
        rate: `share of pairs supported`, in 0..1, or `documents per nugget`.
        counts_as: which labels of people count as support.
        positives: reviewed pairs that the model calls supported; `negatives` are the others.
        queries: queries with judged pairs, in one language.
        model: the mean by the model's labels; None without queries.
        corrected: the model's mean times the share of it that people call support, and the same of the pairs that the
            model calls unsupported. None if a kind of pairs has no reviewed one.
        interval: 95 %, of the choice of reviewed pairs: the middle of draws of the two shares; within the rate's range.
    """

    rate: str
    counts_as: str
    positives: int
    negatives: int
    queries: int
    model: float | None
    corrected: float | None
    interval: Interval | None


def corrected_rates(
    reviews: Sequence[ReviewedSupport], population: Population, partial: bool, seed: int = 0
) -> tuple[CorrectedRate, ...]:
    """Return both rates; `reviews` hold one judgement a pair.

    This is prediction-powered inference with the model's label as strata (Fisch et al. 2024, arXiv 2406.04291): the
    model's labels of all pairs are known, people correct each stratum apart. A pair weighs as in the mean over queries:
    one over the number of its query's pairs, or nuggets.
    """
    usable = {key: counts for key, counts in population.items() if counts.supported + counts.unsupported}
    return (
        _corrected("share of pairs supported", reviews, usable, partial, seed),
        _corrected("documents per nugget", reviews, usable, partial, seed),
    )


def _corrected(
    rate: str, reviews: Sequence[ReviewedSupport], population: Population, partial: bool, seed: int
) -> CorrectedRate:
    def weight(counts: PairCounts) -> float:
        return 1 / (counts.supported + counts.unsupported if rate.startswith("share") else counts.nuggets)

    shares, masses = [], []
    for supported in (True, False):
        kind = fsum(counts.of(supported) * weight(counts) for counts in population.values())
        masses.append(kind / len(population) if population else 0.0)
        shares.append(stratum_share(reviews, population, supported, lambda label: is_support(label, partial), weight))
    model = masses[0] if population else None
    corrected, interval = None, None
    if population and all(share.value is not None or not mass for share, mass in zip(shares, masses, strict=True)):
        corrected = fsum(mass * (share.value or 0.0) for share, mass in zip(shares, masses, strict=True))
        right, lost = share_draws(shares, seed)
        interval = middle(masses[0] * right + masses[1] * lost, corrected)
    return CorrectedRate(
        rate, counted_as(partial), shares[0].n, shares[1].n, len(population), model, corrected, interval
    )

"""All pairs of systems of a table at once, and the ranks that they leave open.

The pairs are tested by `max_t`; how rank sets follow from them: Mogstad, Romano, Shaikh and Wilhelm 2024, Review of
Economic Studies 91, "Inference for Ranks".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import clustered
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.max_t import max_t
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.sign_flips import exact_tail
from ragaliq.metrics.statistics.significance import DRAWS, effect, paired_t

Array = NDArray[np.float64]
# What is less is rounding, and a tie.
_ROUNDING = 1e-10


@dataclass(frozen=True, slots=True)
class RankSet:
    """The ranks that a system may have, from the best; rank 1 is the best of all."""

    low: int
    high: int

    @property
    def first(self) -> bool:
        """Whether the system is better than all others."""
        return self.high == 1


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems, by their columns (`a` < `b`).

    Attributes:
        a: column of the first system.
        b: column of the second system.
        difference: mean of b less mean of a.
        interval: of the difference, for all pairs at once; it leaves 0 out where `p_max_t` is below 1 − level. None
            where all systems agree on every query, and where the clusters are too few to say anything.
        p_max_t: p value against the greatest of all pairs, in (0, 1].
        p_holm: `p_sign_flip` corrected for the number of pairs by Holm's method.
        p_sign_flip: that of `sign_flip`, of this pair alone.
        p_t: that of `paired_t`, of this pair alone; None where it is not defined.
    """

    a: int
    b: int
    difference: float
    interval: Interval | None
    p_max_t: float
    p_holm: float
    p_sign_flip: float
    p_t: float | None


@dataclass(frozen=True, slots=True)
class Simultaneous:
    """Rank sets of all systems and comparisons of all pairs, over `n` queries in `n_clusters` clusters."""

    n: int
    n_clusters: int
    ranks: tuple[RankSet, ...]
    pairs: tuple[Pair, ...]


def simultaneous(
    values: Array, seed: int = 0, level: float = 0.95, clusters: Sequence[str] | None = None, draws: int = DRAWS
) -> Simultaneous:
    """Compare all pairs of systems, one per column, on the same queries, one per row; greater values are better.

    A system's rank set goes from 1 + the number of systems that are significantly better to k − the number that are
    significantly worse; a pair is significant where `p_max_t` < 1 − level. With a chance of `level` or more the sets
    hold the true ranks of all systems at once. Up to 14 clusters all assignments of signs are counted, else `draws`
    are drawn. The order of the queries changes nothing; without queries nothing is significant.

    Raises:
        ValueError: if `values` is no table, holds what is no finite number, or has not one cluster per query.
    """
    if values.ndim != 2:
        raise ValueError(f"values must be queries × systems, not of shape {values.shape}")
    n, k = values.shape
    groups = clustered(values, clusters)
    flips = max_t(groups.sums, seed, draws)
    columns = list(zip(flips.first.tolist(), flips.second.tolist(), strict=True))
    parts = [_parts(groups.sums, a, b) for a, b in columns]
    alone = [_sign_flip_p(part, float(drawn)) for part, drawn in zip(parts, flips.alone, strict=True)]
    critical = flips.critical(1 - level)
    pairs = []
    for place, ((a, b), corrected) in enumerate(zip(columns, holm(alone), strict=True)):
        statistic, difference = float(flips.statistics[place]), effect(values[:, a], values[:, b]).difference or 0.0
        # In theory the first is never the lesser; drawn flips may say so by a hair.
        p = max(flips.p(statistic), alone[place])
        interval = _interval(
            parts[place], groups.sizes, flips.floor, critical if p < 1 - level else max(critical, statistic)
        )
        p_t = paired_t(values[:, a], values[:, b], clusters)
        pairs.append(Pair(a, b, difference, interval, p, corrected or alone[place], alone[place], p_t))
    return Simultaneous(n, len(groups.sizes), rank_sets(pairs, k, 1 - level), tuple(pairs))


def _parts(sums: Array, a: int, b: int) -> Array:
    parts: Array = sums[:, b] - sums[:, a]
    parts[np.abs(parts) <= _ROUNDING] = 0.0
    return parts


def _sign_flip_p(parts: Array, drawn: float) -> float:
    """Return the p value of `sign_flip`; where it draws signs, the flips that all pairs share stand in for its own."""
    untied = parts[parts != 0]
    if not len(untied):
        return 1.0
    exact = exact_tail(untied)
    return drawn if exact is None else exact


def _interval(parts: Array, sizes: Array, floor: float, critical: float) -> Interval | None:
    """Return the differences δ that the test would not reject: (S − δN)² ≤ c² (Σ (s − δn)² + floor) over clusters.

    That is Wilson's interval for a mean: the spread is the one around δ, as in the test.
    """
    if floor == 0 or not math.isfinite(critical):
        return None
    square = critical**2
    lead = sizes.sum() ** 2 - square * (sizes @ sizes)
    if lead <= 0:
        return None
    middle = parts.sum() * sizes.sum() - square * (parts @ sizes)
    last = parts.sum() ** 2 - square * (parts @ parts + floor)
    root = math.sqrt(max(0.0, float(middle**2 - lead * last)))
    return Interval(float((middle - root) / lead), float((middle + root) / lead))


def rank_sets(pairs: Sequence[Pair], systems: int, alpha: float) -> tuple[RankSet, ...]:
    """Return the ranks that the significant pairs leave to each system."""
    better, worse = [0] * systems, [0] * systems
    for pair in pairs:
        if pair.p_max_t < alpha:
            winner, loser = (pair.b, pair.a) if pair.difference > 0 else (pair.a, pair.b)
            better[loser] += 1
            worse[winner] += 1
    return tuple(RankSet(1 + ahead, systems - behind) for ahead, behind in zip(better, worse, strict=True))

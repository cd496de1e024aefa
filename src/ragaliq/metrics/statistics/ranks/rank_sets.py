"""All pairs of systems of a table, or of several, at once, and the ranks that they leave open.

The pairs are tested by `max_t`; how rank sets follow from them: Mogstad, Romano, Shaikh and Wilhelm 2024, Review of
Economic Studies 91, "Inference for Ranks".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import Clustered, clustered
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.ranks.max_t import MaxT, max_t
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
        interval: of the difference, for all pairs of all tables at once, in one step. Where it leaves 0 out `p_max_t`
            is below 1 − level; since the test steps down, it may hold 0 all the same where the pair is separated. None
            where all systems agree on every query, and where the clusters are too few to say anything.
        p_max_t: p value of max-t stepping down over all pairs of all tables, in (0, 1].
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


@dataclass(frozen=True, slots=True)
class JointTable:
    """Values of systems on the same queries: one system per column, one query per row; greater values are better.

    `clusters` names the cluster of each row; None: each row is its own, and no row of another table belongs to it.
    """

    values: Array
    clusters: Sequence[str] | None = None


def simultaneous(
    values: Array, seed: int = 0, level: float = 0.95, clusters: Sequence[str] | None = None, draws: int = DRAWS
) -> Simultaneous:
    """Compare all pairs of systems of one table; see `simultaneous_tables`."""
    return simultaneous_tables([JointTable(values, clusters)], seed, level, draws)[0]


def simultaneous_tables(
    tables: Sequence[JointTable], seed: int = 0, level: float = 0.95, draws: int = DRAWS
) -> list[Simultaneous]:
    """Compare all pairs of systems within each table, all tables together, such as those of the languages.

    Clusters of one name change sign together in all tables. Values are of one measure, since the greatest difference of
    any table bounds what any pair may still show; systems and queries may differ from table to table. A
    system's rank set goes from 1 + the number of systems of its table that are significantly better to k − the number
    that are significantly worse; a pair is significant where `p_max_t` < 1 − level. With a chance of `level` or more
    the sets of all tables hold the true ranks of all systems at once. Up to 14 clusters all assignments of signs are
    counted, else `draws` are drawn. The order of tables, queries and systems changes nothing; without queries nothing
    is significant.

    Raises:
        ValueError: if `values` is no table, holds what is no finite number, or has not one cluster per query.
    """
    for table in tables:
        if table.values.ndim != 2:
            raise ValueError(f"values must be queries × systems, not of shape {table.values.shape}")
    groups = [clustered(table.values, table.clusters) for table in tables]
    if not tables:
        return []
    flips = max_t(_aligned(tables, groups), seed, draws)
    found, done = [], 0
    for table, own in zip(tables, groups, strict=True):
        k = table.values.shape[1]
        places = slice(done, done + k * (k - 1) // 2)
        pairs = _pairs(table, own, flips, places, 1 - level)
        found.append(Simultaneous(len(table.values), len(own.sizes), _rank_sets(pairs, k, 1 - level), pairs))
        done = places.stop
    return found


def _aligned(tables: Sequence[JointTable], groups: Sequence[Clustered]) -> list[Array]:
    """Return the sums of each table, with a row for each cluster of any table."""
    names: list[Sequence[object]] = [
        [(number, row) for row in range(len(own.sizes))] if table.clusters is None else sorted(set(table.clusters))
        for number, (table, own) in enumerate(zip(tables, groups, strict=True))
    ]
    rows: dict[object, int] = {}
    for own in names:
        for name in own:
            rows.setdefault(name, len(rows))
    aligned = []
    for own, grouped in zip(names, groups, strict=True):
        sums = np.zeros((len(rows), grouped.sums.shape[1]))
        sums[[rows[name] for name in own]] = grouped.sums
        aligned.append(sums)
    return aligned


def _pairs(table: JointTable, groups: Clustered, flips: MaxT, places: slice, alpha: float) -> tuple[Pair, ...]:
    """Return the pairs of one table, which are those at `places` of all."""
    k = table.values.shape[1]
    columns = [(a, b) for a in range(k) for b in range(a + 1, k)]
    parts = [_parts(groups.sums, a, b) for a, b in columns]
    alone = [_sign_flip_p(part, float(drawn)) for part, drawn in zip(parts, flips.alone[places], strict=True)]
    stepped, statistics = flips.stepped[places].tolist(), flips.statistics[places].tolist()
    critical = flips.critical(alpha)
    pairs = []
    for place, ((a, b), corrected) in enumerate(zip(columns, holm(alone), strict=True)):
        first, second = table.values[:, a], table.values[:, b]
        difference = effect(first, second).difference or 0.0
        # In theory the first is never the lesser; drawn flips may say so by a hair.
        p = max(stepped[place], alone[place])
        beyond = critical if p < alpha else max(critical, statistics[place])
        interval = _interval(parts[place], groups.sizes, flips.floor, beyond)
        p_t = paired_t(first, second, table.clusters)
        pairs.append(Pair(a, b, difference, interval, p, corrected or alone[place], alone[place], p_t))
    return tuple(pairs)


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


def _rank_sets(pairs: Sequence[Pair], systems: int, alpha: float) -> tuple[RankSet, ...]:
    """Return the ranks that the significant pairs leave to each system."""
    better, worse = [0] * systems, [0] * systems
    for pair in pairs:
        if pair.p_max_t < alpha:
            winner, loser = (pair.b, pair.a) if pair.difference > 0 else (pair.a, pair.b)
            better[loser] += 1
            worse[winner] += 1
    return tuple(RankSet(1 + ahead, systems - behind) for ahead, behind in zip(better, worse, strict=True))

"""The share of units that have a property, where units of one query belong together, and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf

from ragaliq.metrics.statistics.intervals import Interval, share_interval


@dataclass(frozen=True, slots=True)
class QueryUnits:
    """Units of one query, or a weighted part of them: how many there are, and how many have the property.

    Of weighted units, `count` and `size` are sums of weights, `drawn` is how many were looked at.
    """

    count: float
    size: float
    drawn: int


@dataclass(frozen=True, slots=True)
class ClusteredShare:
    """A share with its interval.

    Attributes:
        value: sum of counts over sum of sizes, in 0..1; None without units.
        n: units that were looked at.
        n_queries: queries that they belong to.
        effective: how many independent units would tell as much; at most `n`.
        interval: 95 %; None without units.
    """

    value: float | None
    n: int
    n_queries: int
    effective: float
    interval: Interval | None


def clustered_share(queries: Mapping[str, QueryUnits], most: float = inf) -> ClusteredShare:
    """Return the share over all units, with Wilson's interval for the effective number of units.

    That number is the variance p (1 − p) of one unit over the variance of the share: that of a ratio of sums over
    queries (Cochran 1977, Sampling Techniques, section 6.4). At a share of 0 or 1, where the variance says nothing, it
    is the number of queries; so it is for one query. It is never above `most`, which unequal weights may ask for: few
    units of great weight show too little of that variance. Queries without units do not count.
    """
    units = [one for one in queries.values() if one.size > 0]
    total, drawn, clusters = fsum(one.size for one in units), sum(one.drawn for one in units), len(units)
    if not units:
        return ClusteredShare(None, 0, 0, 0.0, None)
    share = min(1.0, fsum(one.count for one in units) / total)
    rest = fsum((one.count - share * one.size) ** 2 for one in units)
    spread, effective = share * (1 - share), float(clusters)
    if clusters > 1 and spread > 0 and rest > 0:
        variance = clusters / (clusters - 1) * rest / total**2
        effective = min(spread / variance, float(drawn))
    effective = min(effective, most)
    ends = share_interval(share * effective, effective)
    return ClusteredShare(share, drawn, clusters, effective, ends)


def share_of_marks(marks: Sequence[bool], queries: Sequence[str] | None = None) -> ClusteredShare:
    """Return the share of marks that are set, with its interval.

    `queries` names the query of each mark; without it, or where all differ, each mark is a unit by itself and the
    interval is Wilson's for their number. Else the marks of a query belong together, as in `clustered_share`.

    Raises:
        ValueError: if there is not one query per mark.
    """
    names = [str(place) for place in range(len(marks))] if queries is None else queries
    units: dict[str, QueryUnits] = {}
    for name, mark in zip(names, marks, strict=True):
        before = units.get(name, QueryUnits(0, 0, 0))
        units[name] = QueryUnits(before.count + mark, before.size + 1, before.drawn + 1)
    n = len(marks)
    if not n or len(units) < n:
        return clustered_share(units)
    return ClusteredShare(sum(marks) / n, n, n, float(n), share_interval(sum(marks), n))

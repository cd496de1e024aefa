"""How much of what was asked each system has a value for, why the rest is missing, and what it could change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.lost_values import lost_bounds, lost_interval


@dataclass(frozen=True, slots=True)
class Coverage:
    """One system in one language, over its own items, shared with others or not.

    Attributes:
        n: items that should be there: those expected, else those that are there.
        n_valued: items with a value.
        failures: why the others have none, with their number.
        mean: of the values; None without any.
        bounds: of the mean over all n if everything missing had the least, or the greatest value there can be; None
            where nothing is missing, or the range is not known.
        bounds_interval: 95 % interval of that mean, whatever is missing (see `lost_interval`); likewise.
    """

    system: str
    lang: str
    n: int
    n_valued: int
    failures: Mapping[str, int]
    mean: float | None
    bounds: Interval | None
    bounds_interval: Interval | None

    @property
    def share(self) -> float | None:
        """Share of the items that have a value; None without items."""
        return self.n_valued / self.n if self.n else None


def system_coverage(
    systems: Sequence[Mapping[str, SystemValues]], metric: TableMetric, seed: int = 0
) -> tuple[Coverage, ...]:
    """Return the coverage of each system and language, in their order."""
    return tuple(_coverage(own, metric, seed) for system in systems for own in system.values())


class LostBounds(NamedTuple):
    """What a mean can be where values are missing: without sampling, and its 95 % interval."""

    bounds: Interval | None
    interval: Interval | None


NOTHING_LOST = LostBounds(None, None)


def bounds_of(
    systems: Sequence[SystemValues], metric: TableMetric, n: int, clusters: Mapping[str, str], seed: int
) -> LostBounds:
    """Return what the mean over `n` items of one system in some languages can be, whatever is missing.

    `clusters` names the cluster of each query that shares one. Nobody knows the queries of items that are not there at
    all: each is its own cluster. Nothing where nothing is missing, or the range is not known.
    """
    keys = [(own, key) for own in systems for key in sorted(own.values)]
    values = [own.values[key] for own, key in keys] + [None] * (n - len(keys))
    if not metric.known or None not in values:
        return NOTHING_LOST
    names = [clusters.get(key.query, key.query) or str(key) for _, key in keys]
    names += [f"missing {place}" for place in range(n - len(keys))]
    ends = (metric.least, metric.greatest)
    together = names if len(set(names)) < len(names) else None
    return LostBounds(lost_bounds(values, *ends), lost_interval(values, *ends, seed=seed, clusters=together))


def _coverage(own: SystemValues, metric: TableMetric, seed: int) -> Coverage:
    values = [value for value in own.values.values() if value is not None]
    n = own.n_items
    clusters = {key.query: name for key, name in own.clusters.items()}
    return Coverage(
        own.name,
        own.lang,
        n,
        len(values),
        own.failures,
        fsum(values) / len(values) if values else None,
        *bounds_of([own], metric, n, clusters, seed),
    )

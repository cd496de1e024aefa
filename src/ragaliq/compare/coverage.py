"""How much of what was asked each system has a value for, why the rest is missing, and what it could change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from ragaliq.compare.sources.system_values import SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.intervals import Interval


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
    """

    system: str
    lang: str
    n: int
    n_valued: int
    failures: Mapping[str, int]
    mean: float | None
    bounds: Interval | None

    @property
    def share(self) -> float | None:
        """Share of the items that have a value; None without items."""
        return self.n_valued / self.n if self.n else None


def system_coverage(systems: Sequence[Mapping[str, SystemValues]], metric: TableMetric) -> tuple[Coverage, ...]:
    """Return the coverage of each system and language, in their order."""
    return tuple(_coverage(own, metric) for system in systems for own in system.values())


def _coverage(own: SystemValues, metric: TableMetric) -> Coverage:
    values = [value for value in own.values.values() if value is not None]
    n = own.n_items
    total, missing = fsum(values), n - len(values)
    bounds = Interval((total + missing * metric.least) / n, (total + missing * metric.greatest) / n) if n else None
    return Coverage(
        own.name,
        own.lang,
        n,
        len(values),
        own.failures,
        total / len(values) if values else None,
        bounds if missing and metric.known else None,
    )

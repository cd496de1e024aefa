"""Whether a system reaches a minimum: by the interval of its mean, with all that is missing counted against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.sources.tables import source_clusters
from ragaliq.compare.standings import ALL
from ragaliq.compare.value_table import TableMetric
from ragaliq.errors import ConfigError, nearest
from ragaliq.metrics.statistics.clusters import clustered, standard_error
from ragaliq.metrics.statistics.intervals import Interval, value_interval
from ragaliq.metrics.statistics.noninferiority import GateOutcome
from ragaliq.metrics.statistics.power import queries_needed

# Names of the square of the mean weight, and of the share of items that have a value.
WEIGHTED = ("weighted", "weighted_score")
COVERAGE = "coverage"
# The metric that is compared.
MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Minimum:
    """The least value that a system must reach in a language, or over all languages together.

    Attributes:
        name: `weighted`, `coverage`, `mean` for the metric that is compared, or the name of a metric.
    """

    name: str
    least: float
    lang: str = ALL

    @property
    def metric(self) -> str:
        """The metric whose values are needed; empty for that which is compared."""
        return MEAN_WEIGHT.name if self.name in WEIGHTED else "" if self.name in (MEAN, COVERAGE) else self.name


@dataclass(frozen=True, slots=True)
class MinimumResult:
    """What a system's values say about a minimum.

    Attributes:
        value: over the items that have one; None without any.
        interval: its lower end counts every missing value as the least there can be, its upper end as the greatest.
        needed: how many queries would decide with a chance of 80 % at this value, spread and share of missing values;
            None where it is decided, and where that needs the missing values.
    """

    minimum: Minimum
    system: str
    value: float | None
    interval: Interval | None
    outcome: GateOutcome
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class _Items:
    """The values of items, their clusters, and the clusters of the items without a value."""

    values: tuple[float, ...]
    clusters: tuple[str, ...]
    missing: tuple[str, ...]


def check_minimums(minimum: Minimum, sources: Sources, level: float, seed: int) -> tuple[MinimumResult, ...]:
    """Return whether each system but the first reaches a minimum.

    It does where the lower end of the interval with 1 − `level` is at or above the minimum, it does not where the upper
    end is below; else that is not decided. Coverage is counted, and has no interval. Not decided is a language in which
    the system has no item, and values of which some are missing and the range is not known.

    Raises:
        ConfigError: if less is better for the metric, or no system has the language.
    """
    if sources.metric.less_is_better and minimum.name != COVERAGE:
        raise ConfigError(f"--min {minimum.name}: less is better for it; take a metric of which more is better")
    langs = sorted({lang for system in sources.systems for lang in system})
    if minimum.lang not in (ALL, *langs):
        raise ConfigError(f"--min {minimum.name}@{minimum.lang}: no such language; {nearest(minimum.lang, langs)}")
    clusters = source_clusters(sources)
    return tuple(_checked(minimum, system, sources.metric, clusters, (level, seed)) for system in sources.systems[1:])


def _checked(
    minimum: Minimum,
    system: Mapping[str, SystemValues],
    metric: TableMetric,
    clusters: Mapping[str, str],
    drawn: tuple[float, int],
) -> MinimumResult:
    name = next(iter(system.values())).name
    chosen = [own for lang, own in system.items() if minimum.lang in (ALL, lang)]
    if minimum.name == COVERAGE:
        return _of_coverage(minimum, name, chosen)
    items = _items(chosen, clusters)
    if not items.values:
        return MinimumResult(minimum, name, None, None, GateOutcome.INCONCLUSIVE)
    squared = minimum.name in WEIGHTED
    mean = fsum(items.values) / len(items.values)
    if items.missing and not metric.known:
        return MinimumResult(minimum, name, mean, None, GateOutcome.INCONCLUSIVE)
    ends = _ends(items, metric, *drawn)
    value, interval = (mean**2, Interval(ends.low**2, ends.high**2)) if squared else (mean, ends)
    outcome = GateOutcome.INCONCLUSIVE
    if interval.low >= minimum.least:
        outcome = GateOutcome.PASS
    elif interval.high < minimum.least:
        outcome = GateOutcome.FAIL
    least = minimum.least**0.5 if squared and minimum.least > 0 else minimum.least
    needed = _needed(items, metric, least) if outcome is GateOutcome.INCONCLUSIVE else None
    return MinimumResult(minimum, name, value, interval, outcome, needed)


def _of_coverage(minimum: Minimum, name: str, chosen: list[SystemValues]) -> MinimumResult:
    n = sum(own.n_items for own in chosen)
    if not n:
        return MinimumResult(minimum, name, None, None, GateOutcome.INCONCLUSIVE)
    share = sum(own.n_valued for own in chosen) / n
    return MinimumResult(minimum, name, share, None, GateOutcome.PASS if share >= minimum.least else GateOutcome.FAIL)


def _items(systems: list[SystemValues], clusters: Mapping[str, str]) -> _Items:
    named = [(value, name) for own in systems for value, name in _named(own, clusters)]
    return _Items(
        tuple(value for value, _ in named if value is not None),
        tuple(name for value, name in named if value is not None),
        tuple(name for value, name in named if value is None),
    )


def _named(own: SystemValues, clusters: Mapping[str, str]) -> Iterator[tuple[float | None, str]]:
    """Yield the value and the cluster of each item; one that names no query, or is not there, is its own."""
    for place, (key, value) in enumerate(own.values.items()):
        yield value, f"query {clusters.get(key.query, key.query)}" if key.query else f"row {own.lang} {place}"
    for place in range(len(own.values), own.n_expected or 0):
        yield None, f"row {own.lang} {place}"


def _ends(items: _Items, metric: TableMetric, level: float, seed: int) -> Interval:
    names = (*items.clusters, *items.missing)
    clusters = names if len(set(names)) < len(names) else None
    if not metric.known:
        return metric.interval_of_mean(items.values, names, seed) or Interval(metric.least, metric.greatest)
    low, high = (
        value_interval(
            [*items.values, *(end for _ in items.missing)], metric.least, metric.greatest, 1 - level, seed, clusters
        )
        for end in (metric.least, metric.greatest)
    )
    return Interval(low.low if low else metric.least, high.high if high else metric.greatest)


def _needed(items: _Items, metric: TableMetric, least: float) -> int | None:
    import numpy as np

    groups = clustered(np.asarray(items.values), items.clusters)
    count, total, missing = len(groups.sizes), fsum(items.values), len(items.missing)
    n = len(items.values) + missing
    above, below = (total + missing * metric.least) / n - least, (total + missing * metric.greatest) / n - least
    if count < 2 or above <= 0 <= below:
        return None
    needed = queries_needed(standard_error(groups) * count**0.5, above if above > 0 else below)
    return None if needed is None else max(needed, count + 1)

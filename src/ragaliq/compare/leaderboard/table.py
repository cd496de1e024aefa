"""Systems of any origin in one table: a row each, best first, a column for each language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, fsum
from statistics import median
from typing import NamedTuple

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.compare.coverage import NOTHING_LOST, LostBounds, bounds_of
from ragaliq.compare.leaderboard.ranking import BoardRanks, board_ranks
from ragaliq.compare.sources.system_values import MISSING, Sources, SystemValues
from ragaliq.compare.sources.tables import source_clusters
from ragaliq.compare.standings import LEVEL
from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.multiplicity import level_per_look
from ragaliq.metrics.statistics.ranks.new_sample import new_sample_interval
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet


@dataclass(frozen=True, slots=True)
class Placing:
    """One system in one language, or in several together.

    Attributes:
        mean: of the values that it has; None without any.
        interval: 95 % interval of the mean; None for fewer than two clusters, and where queries of several languages
            cannot be joined.
        new_sample: where the mean of as many other queries would be, with a chance of 95 %.
        rank: the ranks that the data leave open; None where systems are not ranks.
        n_valued: number of values.
        n_items: number of items that it should have; where that is not known, that any of the systems has.
        squared: the values are weights of grades, and the score is the square of their mean.
        lost: what the mean over all items can be; nothing where none is missing, or the range is not known.
        shrunken: the mean in a language less what sampling alone makes languages differ; None where it is not known.
    """

    mean: float | None
    interval: Interval | None
    new_sample: Interval | None
    rank: RankSet | None
    n_valued: int
    n_items: int
    squared: bool = False
    lost: LostBounds = NOTHING_LOST
    shrunken: float | None = None

    @property
    def score(self) -> float | None:
        """The weighted score of graded systems, else the mean."""
        return self.mean**2 if self.squared and self.mean is not None else self.mean

    @property
    def shrunken_score(self) -> float | None:
        """The same of the shrunken mean."""
        return self.shrunken**2 if self.squared and self.shrunken is not None else self.shrunken

    @property
    def score_interval(self) -> Interval | None:
        """The 95 % interval of the score."""
        return self._scaled(self.interval)

    @property
    def score_of_new_sample(self) -> Interval | None:
        """Where the score of as many other queries would be."""
        return self._scaled(self.new_sample)

    @property
    def score_bounds(self) -> LostBounds:
        """What the score over all items can be, whatever is missing."""
        return LostBounds(*map(self._scaled, self.lost))

    @property
    def coverage(self) -> float | None:
        """Share of the items that have a value; None without items."""
        return self.n_valued / self.n_items if self.n_items else None

    def _scaled(self, ends: Interval | None) -> Interval | None:
        return Interval(ends.low**2, ends.high**2) if ends is not None and self.squared else ends


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One system.

    Attributes:
        total: over the languages that all systems share.
        selected: how often it comes first when the queries are drawn again, in 0..1; None where systems are not ranks.
        languages: each of its languages.
        failures: why items have no value, with their number, over all of its languages.
        cost: in USD of 1,000 answers; None where not known.
        seconds: median and 95th percentile of the time of an answer; None where nothing was timed.
    """

    name: str
    total: Placing
    selected: float | None
    languages: Mapping[str, Placing]
    failures: Mapping[str, int] = field(default_factory=dict)
    cost: float | None = None
    seconds: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Systems, best first by their mean over the languages that all of them share; ties by name.

    Attributes:
        metric: what the values are of.
        rows: the systems.
        languages: that any system has.
        shared: the languages that all systems have.
        n_shared: number of queries that rank sets and selection of the total rest on.
        kept: the share of the differences between languages that shrunken means keep; None without them.
        joined: the queries of the shared languages are joined by their ids, or there is one such language.
        warnings: what makes the table doubtful, a line each.
        notes: what was taken for what when files were read.
        looks: planned while queries are added.
    """

    metric: TableMetric
    rows: tuple[LeaderboardRow, ...]
    languages: tuple[str, ...]
    shared: tuple[str, ...]
    n_shared: int
    joined: bool
    kept: float | None
    seed: int
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    looks: int = 1

    @property
    def n_ranked(self) -> int:
        """Number of systems that are ranked over the shared languages."""
        return sum(row.total.rank is not None for row in self.rows)

    @property
    def leading(self) -> tuple[str, ...]:
        """The systems that may be the best; none where systems are not ranks."""
        return tuple(row.name for row in self.rows if row.total.rank is not None and row.total.rank.low == 1)


def leaderboard_of(sources: Sources, mixed: bool = False, seed: int = 0, looks: int = 1) -> Leaderboard:
    """Return the table of systems; rank sets and selection are those of `board_ranks`.

    They are over the queries that all ranked systems have a value for, means and intervals over each system's own
    values. Sets of each of the `looks` planned while queries are added are wider, so that those of all hold at once.

    Raises:
        InputError: if judges or data of a language differ, unless `mixed` allows it.
    """
    # Sorted, so that the order in which systems are named does not show in the last digits.
    sources = replace(sources, systems=tuple(sorted(sources.systems, key=lambda own: next(iter(own.values())).name)))
    langs = tuple(dict.fromkeys(lang for own in sources.systems for lang in own))
    shared = tuple(lang for lang in langs if all(lang in own for own in sources.systems))
    by_id = all(values.by_id for own in sources.systems for values in own.values())
    joined = bool(shared) and (by_id or len(shared) == 1)
    level = 1 - level_per_look(looks, LEVEL)
    ranks = board_ranks(sources, shared if joined else (), mixed, seed, level)
    asked = {lang: _asked([own[lang] for own in sources.systems if lang in own]) for lang in langs}
    scope = _Scope(shared, joined, asked, source_clusters(sources), seed)
    rows = [_row(own, sources.metric, ranks, scope) for own in sources.systems]
    sign = 1.0 if sources.metric.less_is_better else -1.0
    rows.sort(key=lambda row: (row.total.mean is None, sign * (row.total.mean or 0.0), row.name))
    return Leaderboard(
        metric=sources.metric,
        rows=tuple(rows),
        languages=langs,
        shared=shared,
        n_shared=ranks.n_shared,
        joined=joined,
        kept=ranks.kept,
        seed=seed,
        warnings=tuple(dict.fromkeys([*ranks.warnings, *sources.warnings])),
        notes=sources.notes,
        looks=looks,
    )


class _Scope(NamedTuple):
    """What rows have in common: shared languages, whether these join, items by language, clusters of queries, seed."""

    shared: tuple[str, ...]
    joined: bool
    asked: Mapping[str, int]
    clusters: Mapping[str, str]
    seed: int


def _asked(systems: Sequence[SystemValues]) -> int:
    return len({key for own in systems for key in own.values})


def _row(own: Mapping[str, SystemValues], metric: TableMetric, ranks: BoardRanks, scope: _Scope) -> LeaderboardRow:
    name = next(iter(own.values())).name
    failures: Counter[str] = Counter()
    for lang, values in own.items():
        failures.update(values.failures)
        absent = _items(values, scope.asked[lang]) - values.n_valued - sum(values.failures.values())
        failures[MISSING] += max(0, absent)
    costs = [values.cost for values in own.values() if values.cost is not None]
    n_priced = sum(values.n_priced for values in own.values())
    return LeaderboardRow(
        name,
        _placing([own[lang] for lang in scope.shared], metric, ranks.total.get(name), scope),
        ranks.selected.get(name),
        {
            lang: replace(
                _placing([values], metric, ranks.by_lang.get(lang, {}).get(name), scope),
                shrunken=ranks.shrunken.get(lang, {}).get(name),
            )
            for lang, values in own.items()
        },
        {why: count for why, count in sorted(failures.items()) if count > 0},
        1000 * fsum(costs) / n_priced if n_priced else None,
        _percentiles([second for values in own.values() for second in values.seconds]),
    )


def _items(values: SystemValues, asked: int) -> int:
    return asked if values.n_expected is None else values.n_items


def _placing(systems: Sequence[SystemValues], metric: TableMetric, rank: RankSet | None, scope: _Scope) -> Placing:
    keys = [(own, key) for own in systems for key in sorted(own.values) if own.values[key] is not None]
    values = [float(own.values[key] or 0.0) for own, key in keys]
    clusters = [scope.clusters.get(key.query, key.query) or str(key) for own, key in keys]
    ends = None
    if scope.joined or len(systems) == 1:
        ends = metric.interval_of_mean(values, clusters, scope.seed)
    mean = fsum(values) / len(values) if values else None
    n_clusters, within = len(set(clusters)), Interval(metric.least, metric.greatest)
    new = None if ends is None or mean is None else new_sample_interval(mean, ends, n_clusters, within=within)
    n_items = sum(_items(own, scope.asked[own.lang]) for own in systems)
    lost = NOTHING_LOST
    if scope.joined or len(systems) == 1:
        lost = bounds_of(systems, metric, n_items, scope.clusters, scope.seed)
    return Placing(mean, ends, new, rank, len(values), n_items, metric.name == MEAN_WEIGHT.name, lost)


def _percentiles(seconds: Sequence[float]) -> tuple[float, float] | None:
    """Return the median and the 95th percentile by nearest rank; None without any."""
    ordered = sorted(seconds)
    return (median(ordered), ordered[ceil(0.95 * len(ordered)) - 1]) if ordered else None

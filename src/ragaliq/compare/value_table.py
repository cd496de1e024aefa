"""What a comparison starts from: the values of several systems on the same queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragaliq.aggregate.grades.graded_metrics import GradeMetric
from ragaliq.aggregate.grades.query_grades import QueryGrades, QueryKey
from ragaliq.metrics.statistics.clusters import clustered, standard_error
from ragaliq.metrics.statistics.intervals import Interval, mean_interval, value_interval
from ragaliq.metrics.statistics.sign_flips import ROUNDING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TableMetric:
    """What the values are: their name, what their mean says, whether less is better, and their range.

    The range is that of the values at hand where it is not `known`: it bounds nothing that is missing then. `good` is
    the value from which on an answer counts as good; None: the middle of the range.
    """

    name: str
    meaning: str
    less_is_better: bool = False
    greatest: float = 1.0
    least: float = 0.0
    known: bool = True
    good: float | None = None

    def is_good(self, value: float) -> bool:
        """Return whether an answer with this value counts as good."""
        bound = (self.least + self.greatest) / 2 if self.good is None else self.good
        return value <= bound if self.less_is_better else value >= bound

    @property
    def width(self) -> float:
        """The greatest difference between two values."""
        return self.greatest - self.least

    def interval_of_mean(
        self, values: Sequence[float], clusters: Sequence[str] | None = None, seed: int = 0
    ) -> Interval | None:
        """Return the 95 % interval of a mean: `value_interval` where the range is known, else `mean_interval`.

        None for fewer than two clusters, and where the range is not known and all values are the same: nothing says
        then what other values there could be.
        """
        names = list(clusters) if clusters is not None else [str(place) for place in range(len(values))]
        if len(set(names)) < 2:
            return None
        groups = names if len(set(names)) < len(names) else None
        if self.known:
            return value_interval(values, self.least, self.greatest, seed=seed, clusters=groups)
        return mean_interval(values, seed=seed, clusters=groups) if min(values) < max(values) else None


@dataclass(frozen=True, slots=True)
class TableSystem:
    """A system with the number of its own values, shared or not, and of those expected; None if not known.

    Attributes:
        mean_grade: mean of the grades above 0 over the shared queries; None without any, or without grades.
        n_above_zero: how many grades that is of.
    """

    name: str
    n_valued: int
    n_expected: int | None = None
    mean_grade: float | None = None
    n_above_zero: int = 0


@dataclass(frozen=True, slots=True)
class ValueTable:
    """The values that all systems have.

    Attributes:
        lang: the language; `all` for all together, empty where the source does not say.
        systems: the columns, the baseline first.
        values: a row per query (per query and language in `all`).
        queries: the query of each row; the rows of one query are one cluster.
        n_asked: number of queries that any of the systems answers.
        groups: the cluster of each row, where queries belong together; all rows of a query have the same.
    """

    metric: TableMetric
    lang: str
    systems: tuple[TableSystem, ...]
    values: Array
    queries: tuple[str, ...]
    n_asked: int
    groups: tuple[str, ...] = ()

    @property
    def clusters(self) -> list[str] | None:
        """The cluster of each row, which is its query where nothing groups queries; None where all differ."""
        names = self.cluster_names
        return list(names) if self.n_clusters < len(names) else None

    @property
    def cluster_names(self) -> tuple[str, ...]:
        """The cluster of each row by the name that it has in every language."""
        return self.groups or self.queries

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(set(self.cluster_names))

    @property
    def merits(self) -> Array:
        """The values so that more is better."""
        return -self.values if self.metric.less_is_better else self.values

    def spread(self, deltas: Array) -> float:
        """Return the standard deviation that as many independent differences as there are clusters would have.

        It is the standard error of the mean difference by the root of the number of clusters; without clusters, the
        standard deviation of the differences.
        """
        groups = clustered(deltas, self.clusters)
        return standard_error(groups) * float(len(groups.sizes) ** 0.5)

    def untied(self, deltas: Array) -> int:
        """Return on how many different queries two systems differ: the clusters whose differences do not even out."""
        return int((abs(clustered(deltas, self.clusters).sums[:, 0]) > ROUNDING).sum())


def grade_table(systems: Sequence[QueryGrades], metric: GradeMetric) -> ValueTable | None:
    """Return the values of graded systems in one language; None if they share fewer than two queries."""
    import numpy as np

    values = [metric.values(system) for system in systems]
    shared = sorted(set.intersection(*map(set, values))) if values else []
    if len({key.query for key in shared}) < 2:
        return None
    return ValueTable(
        TableMetric(metric.name, metric.meaning, metric.less_is_better, metric.greatest),
        systems[0].lang,
        tuple(_table_system(system, len(column), shared) for system, column in zip(systems, values, strict=True)),
        np.asarray([[column[key] for column in values] for key in shared], dtype=np.float64),
        tuple(key.query for key in shared),
        len({key for system in systems for key in system.answers}),
    )


def _table_system(system: QueryGrades, n_valued: int, shared: Sequence[QueryKey]) -> TableSystem:
    grades = [grade for key in shared if (grade := system.answers[key].grade)]
    mean_grade = sum(grades) / len(grades) if grades else None
    return TableSystem(system.name, n_valued, system.n_expected, mean_grade, len(grades))


def measure_table(
    metric: TableMetric, query_ids: Sequence[str], names: Sequence[str], columns: Sequence[Array]
) -> ValueTable:
    """Return the values of runs that were measured under the same judgements."""
    import numpy as np

    systems = tuple(TableSystem(name, len(query_ids), len(query_ids)) for name in names)
    return ValueTable(metric, "", systems, np.column_stack(columns), tuple(query_ids), len(query_ids))

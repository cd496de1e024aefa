"""One system's values of one metric in one language, whatever tool they come from."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from ragaliq.aggregate.grades.query_grades import JudgeId, QueryKey
from ragaliq.compare.value_table import TableMetric

# Why an item has no value, where its source does not say.
NO_VALUE = "no value"
# The item is not there at all.
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class SystemValues:
    """One system in one language.

    Attributes:
        name: what the system is called.
        lang: empty if not known.
        values: by query, for every item that is there; None where it has no value.
        failures: why items have no value, with their number.
        n_expected: number of items that should be there; None if not known.
        judges: empty if not known.
        data: hash or name of the data; empty if not known.
        by_id: queries go by their id, not by their text.
        clusters: the cluster of each query; empty: each query is its own.
        questions: the query's text, where known.
        seconds: of each answer that was timed.
        cost: in USD of all answers whose cost is known; None for none.
        n_priced: number of these answers.
        grades: of the answers that are graded on the rubric, 0 to 5.
    """

    name: str
    lang: str
    values: Mapping[QueryKey, float | None]
    failures: Mapping[str, int] = field(default_factory=dict)
    n_expected: int | None = None
    judges: tuple[JudgeId, ...] = ()
    data: str = ""
    by_id: bool = True
    clusters: Mapping[QueryKey, str] = field(default_factory=dict)
    questions: Mapping[QueryKey, str] = field(default_factory=dict)
    seconds: tuple[float, ...] = ()
    cost: float | None = None
    n_priced: int = 0
    grades: Mapping[QueryKey, int] = field(default_factory=dict)

    @property
    def scored(self) -> set[QueryKey]:
        """The queries that have a value, and that another file may ask as well."""
        return {key for key, value in self.values.items() if value is not None and key.query}

    @property
    def asked(self) -> Set[QueryKey]:
        """The queries, with or without a value."""
        return self.values.keys()

    @property
    def n_items(self) -> int:
        """Number of items that should be there: those expected, or those that are there if these are more.

        More than is expected is refused where runs are read; a file of another tool may name fewer than it has.
        """
        return max(self.n_expected or 0, len(self.values))

    @property
    def n_valued(self) -> int:
        """Number of items with a value."""
        return sum(value is not None for value in self.values.values())

    @property
    def n_scored(self) -> int:
        """The same, by the name that it has for grades."""
        return self.n_valued


@dataclass(frozen=True, slots=True)
class Sources:
    """Systems that are to be compared, in the order given.

    Attributes:
        metric: what their values are of.
        systems: a mapping from language to values for each.
        warnings: what makes the comparison doubtful, a line each.
        notes: what was taken for what, or left out, when other tools' files were read.
        ranked: the systems may be ranked against each other.
    """

    metric: TableMetric
    systems: tuple[Mapping[str, SystemValues], ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    ranked: bool = True

"""What a comparison of systems finds: the same records for grades and for measures of retrieval."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragaliq.compare.value_table import TableMetric
from ragaliq.metrics.statistics.equivalence import Equivalence
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.ranks.rank_sets import Pair, RankSet
from ragaliq.metrics.statistics.significance import Effect, Wins

LEVEL = 0.05
# The section of all languages together.
ALL = "all"


class Outcome(StrEnum):
    """What the data say of a system against the baseline; `UNDECIDED` is not "equal"."""

    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How systems are compared.

    Attributes:
        margin: a difference that would not matter; None asks for no test of equality.
        ranked: systems that may be ranked; not so where judges, data or denominators differ.
        level: a corrected p value below it makes a difference real; less than .05 where several looks are taken.
        looks: how many times the systems are compared while queries are added.
        all_pairs: each pair is tested among all pairs of the table, which gives rank sets; else each system by itself
            against the baseline.
    """

    seed: int = 0
    margin: float | None = None
    ranked: bool = True
    all_pairs: bool = True
    level: float = LEVEL
    looks: int = 1


@dataclass(frozen=True, slots=True)
class Standing:
    """One system over the shared queries of a section.

    Attributes:
        n_valued: how many of its own queries have a value.
        n_expected: how many it should answer; None if not known.
        mean: over the shared queries; None without any.
        rank: the ranks that the data leave open; None where systems are not ranked.
        selection: see `selection_frequency`; None where systems are not ranked.
        new_sample: 95 % interval of the mean on as many other queries; None where systems are tested one by one, and
            for fewer than two queries.
        mean_grade: mean of the grades above 0 over the shared queries, in 1..5; None without any, or without grades.
        n_above_zero: how many grades that is of.
    """

    name: str
    n_valued: int
    n_expected: int | None
    mean: float | None
    rank: RankSet | None
    selection: float | None = None
    new_sample: Interval | None = None
    mean_grade: float | None = None
    n_above_zero: int = 0

    @property
    def weighted_score(self) -> float | None:
        """The square of the mean, where the mean is one of the grades' weights."""
        return None if self.mean is None else self.mean**2

    @property
    def coverage(self) -> float | None:
        """Share of the expected queries that have a value; None if their number is not known or 0."""
        return self.n_valued / self.n_expected if self.n_expected else None


@dataclass(frozen=True, slots=True)
class PValues:
    """Two-sided p values of one difference.

    Attributes:
        permutation: mid-p value of the sign-flip permutation; it decides. None without queries.
        t: of the paired t test, as a check; None where that is not defined.
        bootstrap: of the bootstrap interval, where that gives one.
    """

    permutation: float | None
    t: float | None
    bootstrap: float | None = None


@dataclass(frozen=True, slots=True)
class PairwiseResult:
    """One system against the baseline; differences are system minus baseline.

    Attributes:
        effect: both means over the shared queries, and their difference.
        interval: 95 % interval of this difference alone; None where nothing tells how others would vary.
        p: the p values of this difference alone.
        holm: the same, corrected for the systems, and languages, that are held against the baseline.
        wins: queries on which the system is better, level and worse.
        outcome: better or worse where the corrected p value of the permutation is below the level; undecided is not
            equal.
        equal: the test that the difference is within the margin; None without a margin.
        untied: on how many different queries the two differ, the languages of a query taken together.
        detectable: the least difference that these queries show with a chance of 80 %; None where nothing varies, and
            where fewer than 10 queries differ.
        needed: how many queries would show the difference observed with a chance of 80 %; None for none, and where
            fewer than 10 queries differ.
    """

    name: str
    effect: Effect
    interval: Interval | None
    p: PValues
    holm: PValues
    wins: Wins
    outcome: Outcome
    equal: Equivalence | None = None
    untied: int = 0
    detectable: float | None = None
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """The comparison on one metric in one language, or in all together.

    Attributes:
        lang: the language; `all` for all together, empty if not known.
        n: number of values per system: queries, or queries by languages.
        n_clusters: number of different queries, which is what counts as independent.
        n_asked: number of queries that any of the systems answers.
        systems: all systems, the baseline first.
        rows: all but the baseline against it.
        pairs: all pairs of systems, those with the baseline first; empty where each is tested by itself.
    """

    metric: TableMetric
    lang: str
    n: int
    n_clusters: int
    n_asked: int
    systems: tuple[Standing, ...]
    rows: tuple[PairwiseResult, ...]
    pairs: tuple[Pair, ...]

    @property
    def worse(self) -> list[str]:
        """The systems that are worse than the baseline."""
        return [row.name for row in self.rows if row.outcome is Outcome.WORSE]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Systems against the first one, section by section.

    `left_out` names the languages in which they do not share two queries.
    """

    settings: ComparisonSettings
    sections: tuple[Section, ...]
    left_out: tuple[str, ...] = ()

    @property
    def worse(self) -> list[tuple[str, str]]:
        """Each system with the language in which it is worse than the baseline."""
        return [(name, section.lang) for section in self.sections for name in section.worse]

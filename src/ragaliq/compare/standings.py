"""What a comparison of graded systems finds."""

from __future__ import annotations

from dataclasses import dataclass

from ragaliq.aggregate.graded_metrics import GradeMetric
from ragaliq.compare.comparison import Outcome
from ragaliq.metrics.statistics.equivalence import Equivalence
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.rank_sets import Pair, RankSet
from ragaliq.metrics.statistics.significance import Wins

# The section of all languages together.
ALL = "all"


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How systems are compared.

    Attributes:
        metric: on what.
        margin: a difference that would not matter; None asks for no test of equality.
        seed: of the draws.
        ranked: systems that may be ranked; not so where judges, data or denominators differ.
    """

    metric: GradeMetric
    margin: float | None = None
    seed: int = 0
    ranked: bool = True


@dataclass(frozen=True, slots=True)
class Standing:
    """One system over the shared queries of a section.

    Attributes:
        name: the system.
        n_valued: how many of its own queries have a value.
        n_expected: how many it should answer; None if not known.
        mean: over the shared queries.
        rank: the ranks that the data leave open; None where systems are not ranked.
    """

    name: str
    n_valued: int
    n_expected: int | None
    mean: float
    rank: RankSet | None

    @property
    def coverage(self) -> float | None:
        """Share of the expected queries that have a value; None if their number is not known or 0."""
        return self.n_valued / self.n_expected if self.n_expected else None


@dataclass(frozen=True, slots=True)
class PairwiseResult:
    """One system against the baseline; differences are system minus baseline.

    Attributes:
        name: the system.
        difference: of the means over the shared queries.
        interval: 95 % interval of this difference alone; None where all queries differ by the same.
        p: mid-p value of the sign-flip permutation, of this difference alone; it decides.
        p_t: of the paired t test, as a check; None where that is not defined.
        holm: `p` corrected for the number of systems, and languages, that are held against the baseline.
        p_max_t: p value with all pairs of systems of the section considered at once.
        simultaneous: interval of the difference with all pairs considered at once; None where there is none.
        wins: queries on which the system is better, level and worse.
        equal: the test that the difference is within the margin; None without a margin.
        untied: on how many different queries the two differ, the languages of a query taken together.
        detectable: the least difference that these queries show with a chance of 80 %; None where nothing varies, and
            where fewer than 10 queries differ.
        needed: how many queries would show the difference observed with a chance of 80 %; None for none, and where
            fewer than 10 queries differ.
        outcome: better or worse where `holm` is below .05; undecided is not equal.
    """

    name: str
    difference: float
    interval: Interval | None
    p: float
    p_t: float | None
    holm: float
    p_max_t: float
    simultaneous: Interval | None
    wins: Wins
    equal: Equivalence | None
    untied: int
    detectable: float | None
    needed: int | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Section:
    """The comparison in one language, or in all together.

    Attributes:
        lang: the language; `all` for all together.
        n: number of values per system: queries, or queries by languages.
        n_clusters: number of different queries, which is what counts as independent.
        n_asked: number of queries that any of the systems answers.
        systems: all systems, the baseline first.
        rows: all but the baseline against it.
        pairs: all pairs of systems, for programs.
    """

    lang: str
    n: int
    n_clusters: int
    n_asked: int
    systems: tuple[Standing, ...]
    rows: tuple[PairwiseResult, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class GradeComparison:
    """Systems against the first one, in each language that all of them have and in all of these together.

    `left_out` names the languages in which they do not share two queries.
    """

    settings: ComparisonSettings
    sections: tuple[Section, ...]
    left_out: tuple[str, ...] = ()

    @property
    def worse(self) -> list[tuple[str, str]]:
        """The system and the section in which it is worse than the baseline."""
        return [
            (row.name, section.lang)
            for section in self.sections
            for row in section.rows
            if row.outcome is Outcome.WORSE
        ]

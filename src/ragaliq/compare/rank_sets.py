"""Which ranks of systems on the same queries the data tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, median_low

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT, GradeMetric
from ragaliq.aggregate.grades.query_grades import AskedSystem, QueryGrades
from ragaliq.compare.standings import LEVEL
from ragaliq.compare.value_table import ValueTable, grade_table
from ragaliq.metrics.statistics.multiplicity import level_per_look
from ragaliq.metrics.statistics.power import ENOUGH_UNTIED, detectable_difference
from ragaliq.metrics.statistics.ranks.rank_sets import JointTable, Pair, Simultaneous, simultaneous_tables
from ragaliq.metrics.statistics.ranks.selection import selection_frequency

# A system with grades for less than this share of the queries that any of them answers is not of the same queries.
_LEAST_SHARE = 0.95
# Pairs that are named; a table of fifty systems would else have a page of names.
_NAMED = 12


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranks of systems by one metric over the queries that all of them have a value for.

    Attributes:
        n: number of these queries.
        pairwise: rank sets and all pairs, tested together with those of the other rankings that `rank` returns.
        selection: see `selection_frequency`, of each system.
        detectable: the least difference that n queries show with a chance of 80 %, from the median over the pairs of
            the standard deviation of the differences, for two systems that are compared alone (paired t); None where
            nothing varies, and where fewer than 10 queries differ.
        looks: number planned while queries are added; pairs are tested at the level of one look.
        untied: on how many different queries two systems differ: the median over the pairs, the lower of two.
    """

    names: tuple[str, ...]
    n: int
    pairwise: Simultaneous
    selection: tuple[float, ...]
    detectable: float | None
    untied: int
    looks: int = 1

    @property
    def certain(self) -> tuple[Pair, ...]:
        """The pairs that the data tell apart."""
        return tuple(pair for pair in self.pairwise.pairs if pair.p_max_t < level_per_look(self.looks, LEVEL))

    def better_than(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return each system that is better than others with these others; none for one that is better than none."""
        worse: dict[int, list[int]] = {}
        for pair in self.certain:
            first, second = (pair.b, pair.a) if pair.difference > 0 else (pair.a, pair.b)
            worse.setdefault(first, []).append(second)
        return [(self.names[one], tuple(self.names[other] for other in sorted(worse[one]))) for one in sorted(worse)]


def rank(
    groups: Sequence[Sequence[QueryGrades]], metric: GradeMetric = MEAN_WEIGHT, seed: int = 0, looks: int = 1
) -> list[Ranking | None]:
    """Rank the systems of each group on the queries that all of them have a value for, all groups together.

    Groups are the languages, or other tables that are read as one: with 95 % certainty no system of any of them is
    placed wrongly, at none of the `looks` planned while queries are added. A query of one id or text is one cluster,
    wherever it is asked. None for a group of fewer than two systems or two such queries.
    """
    tables = [grade_table(systems, metric) if len(systems) > 1 else None for systems in groups]
    ranked = [table for table in tables if table is not None]
    level = 1 - level_per_look(looks, LEVEL)
    found = iter(simultaneous_tables([JointTable(table.merits, table.queries) for table in ranked], seed, level))
    return [None if table is None else _ranking(table, next(found), seed, looks) for table in tables]


def _ranking(table: ValueTable, pairwise: Simultaneous, seed: int, looks: int) -> Ranking:
    deltas = [table.values[:, pair.b] - table.values[:, pair.a] for pair in pairwise.pairs]
    untied = median_low(map(table.untied, deltas))
    finest = detectable_difference(median(map(table.spread, deltas)), pairwise.n_clusters) or None
    return Ranking(
        tuple(system.name for system in table.systems),
        len(table.queries),
        pairwise,
        selection_frequency(table.merits, seed, table.queries),
        finest if untied >= ENOUGH_UNTIED else None,
        untied,
        looks,
    )


def on_other_footing(systems: Sequence[AskedSystem]) -> str:
    """Return why systems of one judge cannot be held against each other at all, or an empty text.

    Different data, and different numbers of queries.
    """
    if len({system.data for system in systems if system.data}) > 1:
        return "they answer different data"
    expected = {system.n_expected for system in systems if system.n_expected is not None}
    if len(expected) > 1:
        return f"they answer different numbers of queries ({', '.join(map(str, sorted(expected)))})"
    return ""


def thin_systems(systems: Sequence[AskedSystem]) -> list[str]:
    """Return the names of systems that lack a grade for over a twentieth of the queries that any of them answers."""
    asked = {place for system in systems for place in system.asked}
    return [system.name for system in systems if len(system.scored) < _LEAST_SHARE * len(asked)]


def too_thin(systems: Sequence[AskedSystem]) -> str:
    """Return which systems lack a grade for over a twentieth of the queries that any of them answers, or nothing."""
    asked = {place for system in systems for place in system.asked}
    lacking = thin_systems(systems)
    more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
    return f"too few of the {len(asked)} queries have a value in {', '.join(lacking[:3])}{more}" if lacking else ""


def too_few_untied(untied: int, n: int) -> str:
    """Return what is said in place of a power, without a full stop."""
    return f"Too few queries on which they differ to tell what they could show: {untied} of {n}"


def ranking_lines(ranking: Ranking, n_queries: int) -> str:
    """Return a table's footnote: on which queries, how fine, and which systems the data tell apart."""
    count = len(ranking.names)
    parts = [f"Ranks over the {ranking.n} of {n_queries} queries that all {count} have graded."]
    if ranking.detectable:
        alone = "" if count == 2 else " between two compared alone"
        parts.append(f"Detectable difference{alone}: {ranking.detectable:.3f} in mean weight.")
    elif ranking.untied < ENOUGH_UNTIED:
        pair = "" if count == 2 else " (the median pair)"
        parts.append(f"{too_few_untied(ranking.untied, ranking.pairwise.n_clusters)}{pair}.")
    if ranking.looks > 1:
        level = level_per_look(ranking.looks, LEVEL)
        parts.append(f"One of {ranking.looks} looks planned: systems differ where p is below {level:.3g}.")
    better = ranking.better_than()
    apart = sum(len(worse) for _, worse in better)
    if not better:
        parts.append("The two cannot be told apart." if count == 2 else f"No two of the {count} can be told apart.")
    elif apart <= _NAMED:
        parts.append("; ".join(f"{name} is better than {', '.join(worse)}" for name, worse in better) + ".")
    else:
        parts.append(f"{apart} of {len(ranking.pairwise.pairs)} pairs can be told apart.")
    return " ".join(parts)

"""Which runs of a table are ranked together: those of one judge, on the same number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ragaliq.aggregate.grades.query_grades import JudgeId, QueryGrades, judge_names, judges_of
from ragaliq.compare.rank_sets import Ranking, rank, ranking_lines, too_thin
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet


class _Footing(NamedTuple):
    """What runs must have in common to be ranked: who graded them, the data, and the number of queries."""

    judge: JudgeId
    data: str
    n_expected: int


class Placed(NamedTuple):
    """The rank sets and selection frequencies of runs by their place in the table, its footnotes, and the rankings.

    A ranking stands with the places of its systems, in their order.
    """

    ranks: dict[int, RankSet]
    selection: dict[int, float]
    lines: list[str]
    rankings: list[tuple[tuple[int, ...], Ranking]]

    def at(self, places: Sequence[int]) -> Placed:
        """Return the same for runs that stand at other places: the n-th at `places[n]`."""
        return Placed(
            {places[place]: ranks for place, ranks in self.ranks.items()},
            {places[place]: share for place, share in self.selection.items()},
            self.lines,
            [(tuple(places[place] for place in group), ranking) for group, ranking in self.rankings],
        )


def _footing_of(graded: QueryGrades) -> _Footing | None:
    """Return the footing of a run; None where it has no grades, grades of several judges, or no known queries."""
    judges = judges_of([graded])
    if len(judges) != 1 or graded.n_expected is None:
        return None
    return _Footing(judges[0], graded.data, graded.n_expected)


class _Group(NamedTuple):
    """Runs of one table on one footing: their places, and what a line about them begins with."""

    places: tuple[int, ...]
    systems: tuple[QueryGrades, ...]
    n_expected: int
    within: str


def rank_groups(
    tables: Sequence[tuple[Sequence[QueryGrades], Sequence[bool]]], seed: int = 0, looks: int = 1
) -> list[Placed]:
    """Rank each group of two or more runs of a table that are on one footing; tables are those of the languages.

    Each table comes with which of its runs are shown; only those are ranked. All groups of all tables are tested
    together, at the level of each of the `looks` planned. There is a line for each group, the largest first; where a
    table has several footings, it says which one it is about.
    """
    groups = [_groups(systems, shown) for systems, shown in tables]
    thin = [[too_thin(group.systems) for group in own] for own in groups]
    ranked = iter(
        rank(
            [
                group.systems
                for own, reasons in zip(groups, thin, strict=True)
                for group, why in zip(own, reasons, strict=True)
                if not why
            ],
            seed=seed,
            looks=looks,
        )
    )
    return [
        _placed([(group, why, None if why else next(ranked)) for group, why in zip(own, reasons, strict=True)])
        for own, reasons in zip(groups, thin, strict=True)
    ]


def _groups(systems: Sequence[QueryGrades], shown: Sequence[bool]) -> list[_Group]:
    footings = [_footing_of(system) for system in systems]
    counts = Counter(own for own, there in zip(footings, shown, strict=True) if own is not None and there)
    judges = {own.judge for own in footings if own is not None}
    names = dict(zip(sorted(judges), judge_names(judges), strict=True))
    # A run without a grade is on no footing, and says nothing of the others'.
    alone = len({own for own, system in zip(footings, systems, strict=True) if system.n_scored}) == 1
    groups = []
    for footing, count in sorted(counts.items(), key=lambda group: (-group[1], group[0])):
        if count > 1:
            places = tuple(place for place, own in enumerate(footings) if own == footing and shown[place])
            within = f"Within the {count} runs graded by {names[footing.judge]} on {footing.n_expected} queries: "
            ranked = tuple(systems[place] for place in places)
            groups.append(_Group(places, ranked, footing.n_expected, "" if alone else within))
    return groups


def _placed(groups: Sequence[tuple[_Group, str, Ranking | None]]) -> Placed:
    """Return the ranks of one table from those of its groups, or why one is not ranked."""
    placed = Placed({}, {}, [], [])
    for group, why, ranking in groups:
        if ranking is not None:
            placed.ranks.update(zip(group.places, ranking.pairwise.ranks, strict=True))
            placed.selection.update(zip(group.places, ranking.selection, strict=True))
            placed.rankings.append((group.places, ranking))
        line = f"Not ranked: {why}." if why else "" if ranking is None else ranking_lines(ranking, group.n_expected)
        placed.lines.extend([group.within + line] if line else [])
    return placed

"""Which runs of a table are ranked together: those of one judge, on the same number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ragaliq.aggregate.grades.query_grades import JudgeId, QueryGrades, judge_names, judges_of
from ragaliq.compare.rank_sets import Ranking, rank, ranking_lines, too_thin
from ragaliq.metrics.statistics.rank_sets import RankSet


class _Footing(NamedTuple):
    """What runs must have in common to be ranked: who graded them, the data, and the number of queries."""

    judge: JudgeId
    data: str
    n_expected: int


class Placed(NamedTuple):
    """The rank sets of runs by their place in the table, the table's footnotes, and the rankings behind both.

    A ranking stands with the places of its systems, in their order.
    """

    ranks: dict[int, RankSet]
    lines: list[str]
    rankings: list[tuple[tuple[int, ...], Ranking]]

    def at(self, places: Sequence[int]) -> Placed:
        """Return the same for runs that stand at other places: the n-th at `places[n]`."""
        return Placed(
            {places[place]: ranks for place, ranks in self.ranks.items()},
            self.lines,
            [(tuple(places[place] for place in group), ranking) for group, ranking in self.rankings],
        )


def _footing_of(graded: QueryGrades) -> _Footing | None:
    """Return the footing of a run; None where it has no grades, grades of several judges, or no known queries."""
    judges = judges_of([graded])
    if len(judges) != 1 or graded.n_expected is None:
        return None
    return _Footing(judges[0], graded.data, graded.n_expected)


def rank_groups(systems: Sequence[QueryGrades], shown: Sequence[bool], seed: int = 0) -> Placed:
    """Rank each group of two or more runs of a language that are on one footing; only runs that are `shown` are ranked.

    There is a line for each group, the largest first; where the table has several footings, it says which one it is
    about.
    """
    footings = [_footing_of(system) for system in systems]
    groups = Counter(own for own, there in zip(footings, shown, strict=True) if own is not None and there)
    judges = {own.judge for own in footings if own is not None}
    names = dict(zip(sorted(judges), judge_names(judges), strict=True))
    # A run without a grade is on no footing, and says nothing of the others'.
    alone = len({own for own, system in zip(footings, systems, strict=True) if system.n_scored}) == 1
    placed = Placed({}, [], [])
    for footing, count in sorted(groups.items(), key=lambda group: (-group[1], group[0])):
        if count < 2:
            continue
        places = tuple(place for place, own in enumerate(footings) if own == footing and shown[place])
        ranking, line = _ranked([systems[place] for place in places], footing.n_expected, seed)
        if ranking is not None:
            placed.ranks.update(zip(places, ranking.pairwise.ranks, strict=True))
            placed.rankings.append((places, ranking))
        within = f"Within the {count} runs graded by {names[footing.judge]} on {footing.n_expected} queries: "
        placed.lines.extend([line if alone else within + line] if line else [])
    return placed


def _ranked(systems: Sequence[QueryGrades], n_queries: int, seed: int) -> tuple[Ranking | None, str]:
    why = too_thin(systems)
    if why:
        return None, f"Not ranked: {why}."
    ranking = rank(systems, seed=seed)
    return ranking, "" if ranking is None else ranking_lines(ranking, n_queries)

"""Several gradings of the same answer: the one grade that they make, and how much they disagree.

Grades are compared by what they are worth (1 < 2 < 0 < 3 < 4 < 5, the order of the weights): an abstention is worth
more than a wrong answer, so a median of the bare numbers would be none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations
from statistics import fmean

from ragaliq.metrics.weights import WEIGHTS
from ragaliq.types import JudgeVote, VerdictOutcome

_WORTH = {grade: place for place, grade in enumerate(sorted(WEIGHTS, key=WEIGHTS.__getitem__))}
# An answer passes that is at least partly right; abstaining is no pass.
PASSING = frozenset({3, 4, 5})
# The draws on one answer, by judge.
_Panel = Mapping[str, Sequence[JudgeVote]]


class Rule(StrEnum):
    """How several grades become one."""

    MEDIAN = "median"
    MAJORITY = "majority"


def combine(grades: Sequence[int], rule: Rule = Rule.MEDIAN) -> int:
    """Return the one grade that several make.

    `MEDIAN` takes the middle one in the order of worth, the lesser of the middle two if their number is even, so it is
    always a grade that was given. `MAJORITY` takes the most frequent one, and of several equally frequent ones their
    median.

    Raises:
        ValueError: if there is no grade, or one is off the scale.
    """
    if not grades or any(grade not in _WORTH for grade in grades):
        raise ValueError(f"one or more grades of 0..5 are needed, not {list(grades)}")
    if rule is Rule.MAJORITY:
        counts = Counter(grades)
        most = max(counts.values())
        grades = [grade for grade, count in counts.items() if count == most]
    ordered = sorted(grades, key=_WORTH.__getitem__)
    return ordered[(len(ordered) - 1) // 2]


def decide(draws: Sequence[JudgeVote], rule: Rule = Rule.MEDIAN) -> tuple[int | None, VerdictOutcome]:
    """Return the grade of an answer from its draws, and the outcome.

    At least half of the draws must have a grade. Otherwise there is none, and the outcome is the most frequent failure;
    of equally frequent ones the first as `VerdictOutcome` lists them.

    Raises:
        ValueError: if there is no draw.
    """
    grades = [draw.grade for draw in draws if draw.grade is not None]
    if draws and 2 * len(grades) >= len(draws):
        return combine(grades, rule), VerdictOutcome.SCORED
    failures = Counter(draw.outcome for draw in draws if draw.grade is None)
    if not failures:
        raise ValueError("no draw, no grade")
    return None, max(VerdictOutcome, key=lambda outcome: failures[outcome])


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How two members of a panel agree; the grade of one that drew several times is the one that its draws make.

    Attributes:
        n: number of answers that both grade.
        qwk: quadratic weighted kappa of their grades, in −1..1; None if it is not defined.
        exact: share of these answers with the same grade; None for n = 0.
    """

    first: str
    second: str
    n: int
    qwk: float | None
    exact: float | None


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How far the repeats of one member of a panel are the same.

    Attributes:
        n: number of answers with at least two graded draws of the member; the rates are None for n = 0.
        flip_rate: share of these whose draws are not all equal, in 0..1.
        crossing_rate: share of these with one draw that passes (grade 3, 4, 5) and one that does not (0, 1, 2).
    """

    judge: str
    n: int
    flip_rate: float | None
    crossing_rate: float | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How much the gradings of the same answers disagree, over the answers with at least two of them that have a grade.

    Of a panel these are the grades of its members, each the one that the member's draws make (`decide`); of one judge
    they are its draws. An answer is taken by what it has: by members if several judges drew for it.

    Attributes:
        n: number of such answers; the shares and means are None for n = 0.
        n_draws: number of draws on all answers.
        n_ungraded: how many of these have no grade.
        flip_rate: share of the answers whose gradings are not all equal, in 0..1.
        crossing_rate: share of the answers with a grading that passes (grade 3, 4, 5) and one that does not (0, 1, 2).
        mean_range: mean over answers of the greatest less the least weight of the gradings, in 0..1.
        unlike: mean over answers of the share of gradings that differ from what they make together, in 0..1.
        pairs: agreement of each two members of a panel; none for one judge.
        within: the repeats of each member of a panel that drew several times for an answer; none for one judge.
    """

    n: int
    n_draws: int
    n_ungraded: int
    flip_rate: float | None
    crossing_rate: float | None
    mean_range: float | None
    unlike: float | None
    pairs: tuple[PairAgreement, ...]
    within: tuple[Steadiness, ...]


def disagreement(items: Sequence[Sequence[JudgeVote]], rule: Rule = Rule.MEDIAN) -> Disagreement:
    """Return how much the gradings of answers disagree; answers without draws are passed over."""
    panels = [_by_judge(draws) for draws in items if draws]
    several = [grades for panel in panels if len(grades := _gradings(panel, rule)) > 1]
    draws = list(chain.from_iterable(items))
    return Disagreement(
        n=len(several),
        n_draws=len(draws),
        n_ungraded=sum(draw.grade is None for draw in draws),
        flip_rate=_flips(several),
        crossing_rate=_crosses(several),
        mean_range=_mean([_range(grades) for grades in several]),
        unlike=_mean([_unlike(grades, rule) for grades in several]),
        pairs=_pairs(panels, rule),
        within=_within(panels),
    )


def _by_judge(draws: Sequence[JudgeVote]) -> _Panel:
    panel: dict[str, list[JudgeVote]] = {}
    for draw in draws:
        panel.setdefault(draw.judge, []).append(draw)
    return panel


def _gradings(panel: _Panel, rule: Rule) -> list[int]:
    """Return the grades of one answer that are compared: of the members, or of the only judge's draws."""
    if len(panel) > 1:
        grades = [decide(draws, rule)[0] for draws in panel.values()]
    else:
        grades = [draw.grade for draws in panel.values() for draw in draws]
    return [grade for grade in grades if grade is not None]


def _within(panels: Sequence[_Panel]) -> tuple[Steadiness, ...]:
    repeats: dict[str, list[list[int]]] = {}
    for panel in panels:
        for judge, draws in panel.items():
            if len(panel) > 1 and len(draws) > 1:
                repeats.setdefault(judge, []).append([draw.grade for draw in draws if draw.grade is not None])
    several = {judge: [grades for grades in repeats[judge] if len(grades) > 1] for judge in sorted(repeats)}
    return tuple(Steadiness(judge, len(rows), _flips(rows), _crosses(rows)) for judge, rows in several.items())


def _flips(several: Sequence[Sequence[int]]) -> float | None:
    return _mean([float(len(set(grades)) > 1) for grades in several])


def _crosses(several: Sequence[Sequence[int]]) -> float | None:
    return _mean([float(len({grade in PASSING for grade in grades}) > 1) for grades in several])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _range(grades: Sequence[int]) -> float:
    weights = [WEIGHTS[grade] for grade in grades]
    return max(weights) - min(weights)


def _unlike(grades: Sequence[int], rule: Rule) -> float:
    combined = combine(grades, rule)
    return sum(grade != combined for grade in grades) / len(grades)


def _pairs(panels: Sequence[_Panel], rule: Rule) -> tuple[PairAgreement, ...]:
    """Compare each two members; answers drawn for by other judges than most answers are left out."""
    members = Counter(map(tuple, panels))
    if not members:
        return ()
    names = min(members, key=lambda names: (-members[names], names))
    grades = [[decide(draws, rule)[0] for draws in panel.values()] for panel in panels if tuple(panel) == names]
    # One column of grades for each member.
    columns = zip(names, zip(*grades, strict=True), strict=True)
    return tuple(
        _pair(first, second, zip(one, two, strict=True)) for (first, one), (second, two) in combinations(columns, 2)
    )


def _pair(first: str, second: str, grades: Iterable[tuple[int | None, int | None]]) -> PairAgreement:
    from ragaliq.metrics.agreement.coefficients import agreement

    both = [(one, two) for one, two in grades if one is not None and two is not None]
    if not both:
        return PairAgreement(first, second, 0, None, None)
    figures = agreement([one for one, _ in both], [two for _, two in both])
    return PairAgreement(first, second, len(both), figures.qwk, figures.exact)

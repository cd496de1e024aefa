"""Several gradings of the same answer: the one grade that they make, and how much they disagree.

Grades are compared by what they are worth (1 < 2 < 0 < 3 < 4 < 5, the order of the weights): an abstention is worth
more than a wrong answer, so a median of the bare numbers would be none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from statistics import fmean

from ragaliq.metrics.answers import WEIGHTS
from ragaliq.types import Draw, VerdictOutcome

_WORTH = {grade: place for place, grade in enumerate(sorted(WEIGHTS, key=WEIGHTS.__getitem__))}
# An answer passes that is at least partly right; abstaining is no pass.
PASSING = frozenset({3, 4, 5})


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


def decide(draws: Sequence[Draw], rule: Rule = Rule.MEDIAN) -> tuple[int | None, VerdictOutcome]:
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
    """How two members of a panel, or two repeats of a judge, agree.

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
class Disagreement:
    """How much draws of the same answers disagree, over the answers with at least two graded draws.

    Attributes:
        n: number of such answers; the shares and means are None for n = 0.
        n_draws: number of draws on all answers.
        n_ungraded: how many of these have no grade.
        flip_rate: share of the answers whose draws are not all equal, in 0..1.
        crossing_rate: share of the answers with one draw that passes (grade 3, 4, 5) and one that does not (0, 1, 2).
        mean_range: mean over answers of the greatest less the least weight of the draws, in 0..1.
        unlike: mean over answers of the share of draws that differ from the answer's median, in 0..1.
        pairs: agreement of the draws by their places.
    """

    n: int
    n_draws: int
    n_ungraded: int
    flip_rate: float | None
    crossing_rate: float | None
    mean_range: float | None
    unlike: float | None
    pairs: tuple[PairAgreement, ...]


def disagreement(items: Sequence[Sequence[Draw]], rule: Rule = Rule.MEDIAN) -> Disagreement:
    """Return how much the draws of answers disagree; answers without draws are passed over."""
    drawn = [draws for draws in items if draws]
    graded = [[draw.grade for draw in draws if draw.grade is not None] for draws in drawn]
    several = [grades for grades in graded if len(grades) > 1]
    n_draws = sum(map(len, drawn))
    return Disagreement(
        n=len(several),
        n_draws=n_draws,
        n_ungraded=n_draws - sum(map(len, graded)),
        flip_rate=_mean([float(len(set(grades)) > 1) for grades in several]),
        crossing_rate=_mean([float(len({grade in PASSING for grade in grades}) > 1) for grades in several]),
        mean_range=_mean([_range(grades) for grades in several]),
        unlike=_mean([_unlike(grades, rule) for grades in several]),
        pairs=_pairs(drawn),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _range(grades: Sequence[int]) -> float:
    weights = [WEIGHTS[grade] for grade in grades]
    return max(weights) - min(weights)


def _unlike(grades: Sequence[int], rule: Rule) -> float:
    made = combine(grades, rule)
    return sum(grade != made for grade in grades) / len(grades)


def _pairs(items: Sequence[Sequence[Draw]]) -> tuple[PairAgreement, ...]:
    """Compare the draws by their places: the first draw of every answer with the second, and so on.

    Answers whose draws come from other judges than those of most answers are left out.
    """
    makers = Counter(tuple(draw.judge for draw in draws) for draws in items)
    if not makers:
        return ()
    names = min(makers, key=lambda names: (-makers[names], names))
    alike = [draws for draws in items if tuple(draw.judge for draw in draws) == names]
    labels = _labels(names)
    return tuple(_pair(alike, labels, one, two) for one, two in combinations(range(len(names)), 2))


def _labels(names: Sequence[str]) -> list[str]:
    """Name the places; a judge that drew several times is numbered."""
    counts, seen, labels = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        labels.append(f"{name} #{seen[name]}" if counts[name] > 1 else name)
    return labels


def _pair(items: Sequence[Sequence[Draw]], labels: Sequence[str], one: int, two: int) -> PairAgreement:
    from ragaliq.metrics.agreement import agreement

    both = [(draws[one].grade, draws[two].grade) for draws in items]
    graded = [(first, second) for first, second in both if first is not None and second is not None]
    if not graded:
        return PairAgreement(labels[one], labels[two], 0, None, None)
    found = agreement([first for first, _ in graded], [second for _, second in graded])
    return PairAgreement(labels[one], labels[two], len(graded), found.qwk, found.exact)

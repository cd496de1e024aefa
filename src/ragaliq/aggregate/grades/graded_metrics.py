"""What systems are compared on: a value of each graded answer, and its mean over queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragaliq.aggregate.grades.query_grades import GradedAnswer, QueryGrades, QueryKey
from ragaliq.metrics.answers.aggregates import WEIGHTS


@dataclass(frozen=True, slots=True)
class GradeMetric:
    """A value of an answer.

    Attributes:
        name: what the command line calls it.
        meaning: what its mean over queries is, and its range.
        value: the value of an answer; None where it has none, which leaves the query out of the comparison.
        less_is_better: whether less is better.
        greatest: the greatest value; the least is 0.
        good: the value from which on an answer counts as good; None: the middle of the range.
    """

    name: str
    meaning: str
    value: Callable[[GradedAnswer], float | None]
    less_is_better: bool = False
    greatest: float = 1.0
    good: float | None = None

    def values(self, graded: QueryGrades) -> dict[QueryKey, float]:
        """Return the value of each answer that has one, by query; rows that name no query are left out."""
        values = {query: self.value(answer) for query, answer in graded.answers.items() if query.query}
        return {query: value for query, value in values.items() if value is not None}


def _graded(of: Callable[[int], float]) -> Callable[[GradedAnswer], float | None]:
    return lambda answer: None if answer.grade is None else of(answer.grade)


MEAN_WEIGHT = GradeMetric(
    "mean_weight",
    "mean weight of the grades (5: 1, 4: .8, 3: .6, 0: .4, 2: .2, 1: 0), 0 to 1; its square is weighted_score",
    _graded(lambda grade: WEIGHTS[grade]),
    good=WEIGHTS[4],
)
METRICS = {
    metric.name: metric
    for metric in (
        MEAN_WEIGHT,
        GradeMetric("grade", "mean grade, zeros included, 0 to 5", _graded(float), greatest=5.0, good=4.0),
        GradeMetric("fives", "share of the grade 5, 0 to 1", _graded(lambda grade: float(grade == 5))),
        GradeMetric("zeros", "share of the grade 0, 0 to 1; less is better", _graded(lambda grade: float(not grade)),
                    less_is_better=True),
        GradeMetric("abstained", "share of answerable queries on which the reader abstained, 0 to 1; less is better",
                    lambda answer: None if answer.abstained is None else float(answer.abstained), less_is_better=True),
        GradeMetric("language", "share of answers in the language of the query, 0 to 1; for logs the stored share of "
                    "tokens", lambda answer: answer.in_language),
    )
}  # fmt: skip

"""The values that systems share, the same for grades of runs and for values of any source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragaliq.aggregate.grades.graded_metrics import MEAN_WEIGHT
from ragaliq.aggregate.grades.query_grades import GradedAnswer, QueryGrades, QueryKey
from ragaliq.compare.sources.graded_systems import graded_systems, table_metric
from ragaliq.compare.sources.opened import GradedSource
from ragaliq.compare.sources.settings import ReadSettings
from ragaliq.compare.sources.tables import table_together, value_table
from ragaliq.compare.value_table import TableSystem, ValueTable, grade_table

Q1, Q2, Q3, Q4, Q5 = (QueryKey(f"q{number}") for number in range(1, 6))
Q1_AGAIN, NO_QUERY = QueryKey("q1", 2), QueryKey("", 5)


def graded(name: str, grades: Mapping[QueryKey, int | None], n_expected: int | None = None) -> QueryGrades:
    answers = {key: GradedAnswer(grade) for key, grade in grades.items()}
    return QueryGrades(name, "ru", answers, (), n_expected)


def tables(*systems: QueryGrades) -> tuple[ValueTable | None, ValueTable | None]:
    """The table of the grades, and that of the same grades as values."""
    source = GradedSource(Path("runs"), tuple([system] for system in systems))
    values = [own["ru"] for own in graded_systems(source, MEAN_WEIGHT, ReadSettings(), by_id=True)]
    return grade_table(systems, MEAN_WEIGHT), value_table(values, table_metric(MEAN_WEIGHT), {})


def test_a_table_holds_the_queries_that_all_systems_have_a_value_for() -> None:
    first = graded("a", {Q1: 5, Q2: 0, Q3: None, Q4: 4, NO_QUERY: 5}, n_expected=8)
    second = graded("b", {Q1: 1, Q2: 3, Q3: 2, Q5: 5, NO_QUERY: 5})
    for table in tables(first, second):
        assert table is not None
        assert (table.queries, table.n_asked, table.groups) == (("q1", "q2"), 6, ())
        # Weights of 5, 3, 0, 1: 1, .6, .4, 0.
        assert table.values.tolist() == [[1.0, 0.0], [0.4, 0.6]]
        # Each system's values include q4 or q3 and q5; a zero is no part of a mean grade.
        assert table.systems == (TableSystem("a", 3, 8, 5.0, 1), TableSystem("b", 4, None, (1 + 3) / 2, 2))


def test_two_answers_to_one_query_make_no_table() -> None:
    twice = {Q1: 5, Q1_AGAIN: 4}
    assert tables(graded("a", twice), graded("b", twice)) == (None, None)
    assert tables(graded("a", {Q1: 5, Q2: 5}), graded("b", {Q1: 5, Q2: None})) == (None, None)
    for table in tables(graded("a", {**twice, Q2: 3}), graded("b", {**twice, Q2: 3})):
        assert table is not None and (table.queries, table.n_clusters) == (("q1", "q1", "q2"), 2)


def test_a_system_over_languages_has_the_mean_of_all_its_grades() -> None:
    german, _ = tables(graded("a", {Q1: 5, Q2: 0}, 4), graded("b", {Q1: 4, Q2: 4}, 4))
    russian, _ = tables(graded("a", {Q1: 2, Q3: 1, Q4: 3}, 4), graded("b", {Q1: 5, Q3: 0, Q4: 0}))
    assert german is not None and russian is not None
    together = table_together([german, russian])
    assert (together.queries, together.n_asked) == (("q1", "q2", "q1", "q3", "q4"), 5)
    assert together.systems == (
        TableSystem("a", 5, 8, (5 + 2 + 1 + 3) / 4, 4), TableSystem("b", 5, None, (4 + 4 + 5) / 3, 3))  # fmt: skip

"""Graded systems as values of one metric of grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ragaliq.aggregate.grades.graded_metrics import GradeMetric
from ragaliq.aggregate.grades.query_grades import QueryGrades
from ragaliq.compare.sources.opened import GradedSource
from ragaliq.compare.sources.settings import ReadSettings
from ragaliq.compare.sources.system_values import MISSING, NO_VALUE, SystemValues
from ragaliq.compare.value_table import TableMetric
from ragaliq.errors import InputError, listed


def table_metric(metric: GradeMetric) -> TableMetric:
    """Return what the values of a metric of grades are."""
    return TableMetric(metric.name, metric.meaning, metric.less_is_better, metric.greatest, good=metric.good)


def graded_systems(
    source: GradedSource, metric: GradeMetric, settings: ReadSettings, by_id: bool
) -> Iterator[dict[str, SystemValues]]:
    """Yield each system of a source, by language; queries go by their text unless `by_id`.

    Raises:
        InputError: if a system has no grade in the language of the settings.
    """
    for system in source.systems:
        chosen = [grades if by_id else grades.by_text() for grades in system if settings.lang in ("", grades.lang)]
        if not chosen:
            langs = listed(grades.lang or "not named" for grades in system)
            told = f" in {settings.lang!r} ({langs})" if settings.lang else ""
            raise InputError(f"{source.path}: no graded answers{told}; check the path")
        yield {grades.lang: _values(grades, metric) for grades in chosen}


def _values(graded: QueryGrades, metric: GradeMetric) -> SystemValues:
    """Return the values of all answers, those of rows that name no query too, which go with no other system's."""
    values = {query: metric.value(answer) for query, answer in graded.answers.items()}
    failures = Counter(graded.answers[query].failure or NO_VALUE for query, value in values.items() if value is None)
    failures[MISSING] = 0 if graded.n_expected is None else max(0, graded.n_expected - len(values))
    return SystemValues(
        graded.name,
        graded.lang,
        values,
        {reason: count for reason, count in sorted(failures.items()) if count},
        graded.n_expected,
        graded.judges,
        graded.data,
        graded.by_id,
        questions={
            query: answer.question or ("" if graded.by_id else query.query) for query, answer in graded.answers.items()
        },
        grades={query: answer.grade for query, answer in graded.answers.items() if answer.grade is not None},
    )

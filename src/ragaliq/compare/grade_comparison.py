"""Graded systems against a baseline on the same queries, language by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from ragaliq.aggregate.grades.graded_metrics import GradeMetric
from ragaliq.aggregate.grades.query_grades import QueryGrades
from ragaliq.compare.comparison import compare_tables
from ragaliq.compare.standings import ALL, Comparison, ComparisonSettings
from ragaliq.compare.value_table import TableSystem, ValueTable, grade_table
from ragaliq.errors import InputError


def compare_grades(
    systems: Sequence[Mapping[str, QueryGrades]], metric: GradeMetric, settings: ComparisonSettings
) -> Comparison:
    """Compare systems, each a mapping from language to grades, with the first one.

    Only queries that all systems have a value for are compared. In the section `all` the languages of a query are one
    cluster; it is there only if queries go by their ids, which are the same in every language. Holm's correction is
    over systems and languages together; the section `all` is corrected for itself.

    Raises:
        InputError: if there is no language in which all systems share two queries.
    """
    langs = [lang for lang in systems[0] if all(lang in own for own in systems)]
    tables = [table for lang in langs if (table := grade_table([own[lang] for own in systems], metric)) is not None]
    if not tables:
        told = "; ".join(f"{next(iter(own.values())).name}: {', '.join(own) or 'none'}" for own in systems)
        raise InputError(
            f"compare: no language in which all of these have {metric.name} for the same two queries "
            f"(languages of {told}); give systems on the same queries"
        )
    # The texts of a question in two languages do not tell that it is the same one.
    joined = len(tables) > 1 and all(grades.by_id for own in systems for grades in own.values())
    families = [tables, *([[_together(tables)]] if joined else [])]
    left_out = dict.fromkeys(lang for own in systems for lang in own if lang not in {table.lang for table in tables})
    return compare_tables(families, settings, tuple(left_out))


def _together(tables: Sequence[ValueTable]) -> ValueTable:
    import numpy as np

    systems = tuple(_joined(systems) for systems in zip(*(table.systems for table in tables), strict=True))
    values = np.concatenate([table.values for table in tables])
    queries = tuple(chain.from_iterable(table.queries for table in tables))
    return ValueTable(tables[0].metric, ALL, systems, values, queries, sum(table.n_asked for table in tables))


def _joined(systems: Sequence[TableSystem]) -> TableSystem:
    """Return one system's figures over its languages."""
    n_above_zero = sum(system.n_above_zero for system in systems)
    grades = sum((system.mean_grade or 0.0) * system.n_above_zero for system in systems)
    return TableSystem(
        systems[0].name,
        sum(system.n_valued for system in systems),
        _sum([system.n_expected for system in systems]),
        grades / n_above_zero if n_above_zero else None,
        n_above_zero,
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None

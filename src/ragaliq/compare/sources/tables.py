"""The values that systems share, as the tables that a comparison starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.sources.clusters import joined
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.standings import ALL
from ragaliq.compare.value_table import TableMetric, TableSystem, ValueTable
from ragaliq.errors import InputError


@dataclass(frozen=True, slots=True)
class SourceTables:
    """Tables of values.

    Attributes:
        families: the tables by language; beside them, if queries have ids, that of all languages together, in which
            the languages of a query are one cluster.
        left_out: the languages in which the systems do not share two queries.
    """

    families: tuple[tuple[ValueTable, ...], ...]
    left_out: tuple[str, ...]


def source_tables(sources: Sources) -> SourceTables:
    """Return the values of the queries for which every system has one, language by language.

    Raises:
        InputError: if there is no language in which all systems share two queries.
    """
    systems = sources.systems
    langs = [lang for lang in systems[0] if all(lang in own for own in systems)]
    clusters = source_clusters(sources)
    found = [value_table([own[lang] for own in systems], sources.metric, clusters) for lang in langs]
    tables = tuple(table for table in found if table is not None)
    if not tables:
        told = "; ".join(f"{next(iter(own.values())).name}: {', '.join(own) or 'none'}" for own in systems)
        raise InputError(
            f"no language in which all of these have {sources.metric.name} for the same two queries "
            f"(languages of {told}); give systems on the same queries"
        )
    # The texts of a question in two languages do not tell that it is the same one.
    together = len(tables) > 1 and all(values.by_id for own in systems for values in own.values())
    left_out = dict.fromkeys(lang for own in systems for lang in own if lang not in {table.lang for table in tables})
    return SourceTables((tables, *([(table_together(tables),)] if together else [])), tuple(left_out))


def source_clusters(sources: Sources) -> dict[str, str]:
    """Return the cluster of each query that shares one, by one name in all systems and languages."""
    return joined(
        (key.query, name) for own in sources.systems for values in own.values() for key, name in values.clusters.items()
    )


def value_table(systems: Sequence[SystemValues], metric: TableMetric, clusters: Mapping[str, str]) -> ValueTable | None:
    """Return the values of systems in one language; None if they share fewer than two queries.

    `clusters` names the cluster of each query that shares one; another is its own.
    """
    import numpy as np

    columns = [{key: value for key, value in own.values.items() if value is not None and key.query} for own in systems]
    shared = sorted(set.intersection(*map(set, columns))) if columns else []
    if len({key.query for key in shared}) < 2:
        return None
    return ValueTable(
        metric,
        systems[0].lang,
        tuple(_table_system(own, len(column), shared) for own, column in zip(systems, columns, strict=True)),
        np.asarray([[column[key] for column in columns] for key in shared], dtype=np.float64),
        tuple(key.query for key in shared),
        len({key for own in systems for key in own.values}),
        tuple(clusters.get(key.query, key.query) for key in shared) if clusters else (),
    )


def _table_system(own: SystemValues, n_valued: int, shared: Sequence[QueryKey]) -> TableSystem:
    grades = [grade for key in shared if (grade := own.grades.get(key))]
    mean_grade = sum(grades) / len(grades) if grades else None
    return TableSystem(own.name, n_valued, own.n_expected, mean_grade, len(grades))


def table_together(tables: Sequence[ValueTable]) -> ValueTable:
    """Return the values of several languages as one table, in which the languages of a query are one cluster."""
    import numpy as np

    systems = tuple(_joined(systems) for systems in zip(*(table.systems for table in tables), strict=True))
    return ValueTable(
        tables[0].metric,
        ALL,
        systems,
        np.concatenate([table.values for table in tables]),
        tuple(chain.from_iterable(table.queries for table in tables)),
        sum(table.n_asked for table in tables),
        tuple(chain.from_iterable(table.groups for table in tables)),
    )


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

"""The values of other tools' files, summed up by file, system, language and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import median

from ragaliq.aggregate.grades.query_grades import judges_of
from ragaliq.compare.coverage import Coverage, system_coverage
from ragaliq.compare.rank_sets import on_other_footing, too_thin
from ragaliq.compare.sources.opened import ToolSource
from ragaliq.compare.sources.settings import ReadSettings
from ragaliq.compare.sources.system_values import MISSING, SystemValues
from ragaliq.compare.sources.tables import value_table
from ragaliq.compare.sources.tool_systems import tool_metric, tool_notes, tool_systems
from ragaliq.compare.value_table import TableMetric, ValueTable
from ragaliq.errors import InputError
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.ranks.rank_sets import JointTable, RankSet, simultaneous_tables


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """One metric of one system in one language of a file.

    Attributes:
        n: items that the file names, with a value or not; of several answers to an item the mean counts.
        n_expected: items that should be there; None if not known.
        coverage: items with a value, and why others have none; its bounds are None where the range is not known.
        median: of the values; None without any.
        interval: 95 % of the mean; None for fewer than two values.
        ranks: that the data leave open among the systems of all files in this language; None where they are not ranked.
    """

    file: str
    metric: TableMetric
    judge: str | None
    n: int
    n_expected: int | None
    coverage: Coverage
    median: float | None
    interval: Interval | None
    ranks: RankSet | None = None


@dataclass(frozen=True, slots=True)
class ValueSummaries:
    """Summaries in the order of files, metrics, systems and languages; `notes` are a line each."""

    rows: tuple[ValueSummary, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Summed:
    """A metric of one system in one language, with its file."""

    source: ToolSource
    metric: TableMetric
    values: SystemValues


def summarise_values(
    sources: Sequence[ToolSource], n_expected: int | None = None, ends: tuple[float, float] | None = None
) -> ValueSummaries:
    """Sum up every metric of every file; `ends` is the range of those whose values all lie in it.

    Systems are ranked by a metric on the queries of a language for which all of them have a value, all languages of a
    metric at one error rate (`simultaneous_tables`). They are not where judges, data or numbers of queries differ.

    Raises:
        InputError: if a value is outside its range, or a system has more items than `n_expected`.
    """
    named = list(dict.fromkeys(name for source in sources for name in source.results.scales))
    metrics = {(source.path, name): _metric(source, name, ends) for source in sources for name in source.results.scales}
    owns = [
        own
        for source in sources
        for name in source.results.scales
        for own in _systems(source, metrics[source.path, name], n_expected)
    ]
    placed: dict[int, RankSet] = {}
    notes = [note for source in sources for note in _notes(source, metrics)]
    for name in named:
        ranks, told = _ranked([own for own in owns if own.metric.name == name])
        placed |= ranks
        notes += told
    rows = [replace(_summary(own), ranks=placed.get(id(own))) for own in owns]
    return ValueSummaries(tuple(rows), tuple(dict.fromkeys(notes)))


def _metric(source: ToolSource, name: str, ends: tuple[float, float] | None) -> TableMetric:
    values = [value for row in source.results.rows if (value := row.values.get(name)) is not None]
    within = ends is not None and all(ends[0] <= value <= ends[1] for value in values)
    alone = len(source.results.scales) == 1
    return tool_metric([source], name, ends if within or alone else None)


def _systems(source: ToolSource, metric: TableMetric, n_expected: int | None) -> list[_Summed]:
    found = []
    for own in (own for system in tool_systems(source, metric.name, ReadSettings()) for own in system.values()):
        if n_expected is not None and len(own.values) > n_expected:
            raise InputError(f"{source.path}: {own.name}: {len(own.values)} items, more than --n-expected {n_expected}")
        found.append(_Summed(source, metric, own if n_expected is None else _expecting(own, n_expected)))
    return found


def _expecting(own: SystemValues, n_expected: int) -> SystemValues:
    """Return a system with this number of expected items; those that are not there are missing."""
    missing = n_expected - len(own.values)
    known = {reason: count for reason, count in own.failures.items() if reason != MISSING}
    return replace(own, n_expected=n_expected, failures=known | ({MISSING: missing} if missing else {}))


def _notes(source: ToolSource, metrics: Mapping[tuple[Path, str], TableMetric]) -> list[str]:
    """Return what was taken for what, of every metric of a file."""
    notes = []
    for name, scale in source.results.scales.items():
        alone = replace(source.results, scales={name: scale})
        notes += tool_notes(replace(source, results=alone), metrics[source.path, name])
    return notes


def _summary(own: _Summed) -> ValueSummary:
    values = [value for value in own.values.values.values() if value is not None]
    metric = own.metric
    (covered,) = system_coverage([{own.values.lang: own.values}], metric)
    interval = metric.interval_of_mean(values)
    if metric.known and covered.bounds is None and covered.mean is not None:
        nothing_lost = Interval(covered.mean, covered.mean)
        covered = replace(covered, bounds=nothing_lost, bounds_interval=interval)
    judges = " + ".join(sorted({judge.name for judge in own.values.judges})) or None
    return ValueSummary(
        str(own.source.path),
        metric,
        judges,
        len(own.values.values),
        own.values.n_expected,
        covered,
        median(values) if values else None,
        interval,
    )


def _ranked(owns: Sequence[_Summed]) -> tuple[dict[int, RankSet], list[str]]:
    """Return the rank sets of one metric's systems, and what they rest on, a line for each language."""
    tables: list[tuple[list[_Summed], ValueTable]] = []
    notes: dict[str, str] = {}
    by_lang: Mapping[str, list[_Summed]] = {
        lang: list(group)
        for lang, group in groupby(sorted(owns, key=lambda own: own.values.lang), key=lambda own: own.values.lang)
    }
    for lang, group in by_lang.items():
        if len(group) < 2:
            continue
        where = f"{group[0].metric.name}, {lang or 'no language'}"
        why = _unranked(group)
        table = None if why else value_table([own.values for own in group], group[0].metric, {})
        if table is None:
            notes[lang] = f"{where}: not ranked: {why or 'too few items have a value in all systems'}"
            continue
        tables.append((group, table))
        notes[lang] = f"{where}: ranks over the {len(table.queries)} of {table.n_asked} items that all have a value for"
    found = simultaneous_tables([JointTable(table.merits, table.groups or table.queries) for _, table in tables])
    placed = {
        id(own): ranks
        for (group, _), pairwise in zip(tables, found, strict=True)
        for own, ranks in zip(group, pairwise.ranks, strict=True)
    }
    return placed, [notes[lang] for lang in by_lang if lang in notes]


def _unranked(group: Sequence[_Summed]) -> str:
    """Return why systems are not ranked, or an empty text."""
    systems = [own.values for own in group]
    if len(judges_of(systems)) > 1:
        return "different judges"
    if (
        len({(own.metric.less_is_better, own.metric.least, own.metric.greatest) for own in group if own.metric.known})
        > 1
    ):
        return "the files have different ranges"
    return on_other_footing(systems) or too_thin(systems)

"""The ranks of a leaderboard: in each language, and over the languages that all systems share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.compare.rank_sets import thin_systems
from ragaliq.compare.sources.footing import check_footing
from ragaliq.compare.sources.system_values import Sources, SystemValues
from ragaliq.compare.sources.tables import source_clusters, table_together, value_table
from ragaliq.compare.value_table import TableMetric, ValueTable
from ragaliq.metrics.statistics.ranks.rank_sets import (
    JointTable,
    RankSet,
    Simultaneous,
    simultaneous,
    simultaneous_tables,
)
from ragaliq.metrics.statistics.ranks.selection import selection_frequency
from ragaliq.metrics.statistics.shrinkage import shrunken_cells


@dataclass(frozen=True, slots=True)
class BoardRanks:
    """Ranks by the names of systems.

    Attributes:
        by_lang: in each language; nothing of a language, or of a system, that is not ranked.
        total: over the shared languages.
        selected: how often each comes first there when the queries are drawn again.
        n_shared: number of values of each system that `total` rests on.
        shrunken: mean of each system in each shared language, less noise; empty for one language or system.
        kept: the share of the differences between languages that is kept in `shrunken`; None without it.
        warnings: why languages or systems are not ranked, a line each.
    """

    by_lang: Mapping[str, Mapping[str, RankSet]]
    total: Mapping[str, RankSet]
    selected: Mapping[str, float]
    n_shared: int
    shrunken: Mapping[str, Mapping[str, float]]
    kept: float | None
    warnings: tuple[str, ...]


def board_ranks(sources: Sources, shared: Sequence[str], mixed: bool, seed: int, level: float = 0.95) -> BoardRanks:
    """Rank the systems in each language on the queries that all of them have, and over `shared` on those of all.

    A system that lacks a value for over a twentieth of the queries that any of them has is not ranked in the language,
    so that the others are ranked on nearly all queries; a language of which judges, data or the number of queries
    differ is not ranked at all. The languages have one error rate together, the total one of its own; it is that of the
    language where only one is shared.

    Raises:
        InputError: if judges or data of a language differ, unless `mixed` allows it.
    """
    warnings: dict[str, None] = {}
    found: dict[str, list[SystemValues]] = {}
    for lang in dict.fromkeys(lang for own in sources.systems for lang in own):
        systems = [own[lang] for own in sources.systems if lang in own]
        doubts = check_footing([{lang: own} for own in systems], mixed)
        thin = thin_systems(systems)
        # Doubts beyond thin systems are about all of them.
        whole = [own for own in systems if own.name not in thin]
        about_all = check_footing([{lang: own} for own in whole], mixed) if whole else doubts
        warnings |= dict.fromkeys(about_all or doubts)
        # One system alone has no rank.
        found[lang] = [] if about_all or len(whole) < 2 else whole
    ranked = set.intersection(*({own.name for own in found[lang]} for lang in shared)) if shared else set()
    together = {lang: [own for own in found[lang] if own.name in ranked] for lang in shared if len(ranked) > 1}
    return _ranks(_Groups(sources, found, together, level), tuple(warnings), seed)


@dataclass(frozen=True, slots=True)
class _Groups:
    """The systems that are ranked in each language, those that are over the shared ones, and how certain sets are."""

    sources: Sources
    found: Mapping[str, Sequence[SystemValues]]
    together: Mapping[str, Sequence[SystemValues]]
    level: float

    @property
    def by_id(self) -> bool:
        return all(values.by_id for own in self.sources.systems for values in own.values())


def _ranks(groups: _Groups, warnings: tuple[str, ...], seed: int) -> BoardRanks:
    metric, clusters = groups.sources.metric, source_clusters(groups.sources)
    tables = _tables(groups.found, metric, clusters)
    names = [_names(table, groups.by_id) for table in tables]
    joint = [JointTable(own.merits, its) for own, its in zip(tables, names, strict=True)]
    pairs = simultaneous_tables(joint, seed, groups.level)
    by_lang = {own.lang: _by_name(own, its) for own, its in zip(tables, pairs, strict=True)}
    shared = _tables(groups.together, metric, clusters)
    if not shared or len(shared) < len(groups.together):
        return BoardRanks(by_lang, {}, {}, 0, {}, None, warnings)
    (table,) = shared if len(shared) == 1 else (table_together(shared),)
    total = by_lang[table.lang] if len(shared) == 1 else _by_name(table, _of_all(table, seed, groups.level))
    shares = selection_frequency(table.merits, seed, table.clusters)
    selected = {system.name: share for system, share in zip(table.systems, shares, strict=True)}
    shrunken, kept = _shrunken(shared)
    return BoardRanks(by_lang, total, selected, len(table.queries), shrunken, kept, warnings)


def _shrunken(tables: Sequence[ValueTable]) -> tuple[dict[str, dict[str, float]], float | None]:
    names = [system.name for system in tables[0].systems]
    if len(tables) < 2 or len(names) < 2:
        return {}, None
    found = shrunken_cells([table.values for table in tables], [table.groups or table.queries for table in tables])
    if found is None:
        return {}, None
    return {
        table.lang: {name: cell.shrunken for name, cell in zip(names, cells, strict=True)}
        for table, cells in zip(tables, found.cells, strict=True)
    }, found.kept


def _tables(
    systems: Mapping[str, Sequence[SystemValues]], metric: TableMetric, clusters: Mapping[str, str]
) -> list[ValueTable]:
    """Return a table for each language whose systems share two queries."""
    found = (value_table(own, metric, clusters) for own in systems.values() if own)
    return [table for table in found if table is not None]


def _names(table: ValueTable, by_id: bool) -> list[str]:
    """Return the clusters of a table's rows: with ids they have the same names in every language."""
    names = table.groups or table.queries
    return list(names) if by_id else [f"{table.lang} {name}" for name in names]


def _of_all(table: ValueTable, seed: int, level: float) -> Simultaneous:
    return simultaneous(table.merits, seed, level, table.clusters)


def _by_name(table: ValueTable, found: Simultaneous) -> dict[str, RankSet]:
    return {system.name: ranks for system, ranks in zip(table.systems, found.ranks, strict=True)}

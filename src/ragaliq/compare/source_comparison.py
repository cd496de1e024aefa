"""Systems of any origin against the first: what differs, what flipped, what is missing, and whether a gate holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragaliq.compare.comparison import compare_tables
from ragaliq.compare.coverage import Coverage, system_coverage
from ragaliq.compare.flips import Flips, flips
from ragaliq.compare.gate import GateReport, GateSettings, check_gate
from ragaliq.compare.sources.read import read_sources
from ragaliq.compare.sources.settings import ReadSettings
from ragaliq.compare.sources.system_values import Sources
from ragaliq.compare.sources.tables import source_tables
from ragaliq.compare.standings import Comparison, ComparisonSettings
from ragaliq.errors import InputError


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """A comparison of systems with what a reader must know beside it.

    Attributes:
        coverage: of each system and language.
        flips: of each system but the first, by language.
        gate: None where none is asked for.
        warnings: what makes the comparison doubtful, a line each.
        notes: what was taken for what when files were read.
    """

    comparison: Comparison
    coverage: tuple[Coverage, ...]
    flips: tuple[Flips, ...]
    gate: GateReport | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def compare_paths(
    paths: Sequence[Path], reading: ReadSettings, settings: ComparisonSettings, asked: GateSettings | None = None
) -> SourceComparison:
    """Read systems and compare them with the first; the metrics of minimums are read beside that which is compared.

    Raises:
        ConfigError, InputError: as `read_sources`, `compare_sources` and `check_gate`.
    """
    sources = read_sources(paths, reading)
    beside = {}
    for minimum in asked.minimums if asked else ():
        other = minimum.metric
        is_compared = other in ("", sources.metric.name)
        beside[other] = sources if is_compared else read_sources(paths, replace(reading, metric=other))
    return compare_sources(sources, settings, asked, beside)


def compare_sources(
    sources: Sources,
    settings: ComparisonSettings,
    asked: GateSettings | None = None,
    beside: dict[str, Sources] | None = None,
) -> SourceComparison:
    """Compare systems with the first one; `beside` has them with the values of other metrics that minimums name.

    Raises:
        InputError: if there is one system alone, or no language in which all share two queries.
        ConfigError: as `check_gate`.
    """
    if len(sources.systems) < 2:
        name = next(iter(sources.systems[0].values())).name
        raise InputError(f"compare: there is one system alone, {name}; give at least two")
    tables = source_tables(sources)
    ranked = replace(settings, ranked=settings.ranked and sources.ranked)
    return SourceComparison(
        compare_tables(tables.families, ranked, tables.left_out),
        system_coverage(sources.systems, sources.metric, settings.seed),
        flips(sources.systems, sources.metric),
        None if asked is None else check_gate({**(beside or {}), "": sources}, tables, settings, asked),
        sources.warnings,
        sources.notes,
    )

"""Whether systems may take the baseline's place: worse by less than a margin everywhere, and above every minimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragaliq.compare.flips import QueryChange, changes
from ragaliq.compare.minimums import Minimum, MinimumResult, check_minimums
from ragaliq.compare.sources.system_values import Sources
from ragaliq.compare.sources.tables import SourceTables
from ragaliq.compare.standings import ComparisonSettings
from ragaliq.compare.value_table import ValueTable
from ragaliq.errors import ConfigError
from ragaliq.metrics.statistics.noninferiority import GateOutcome, GateResult, Noninferiority, PairedCell, gate

# Queries named in a cell that fails.
_NAMED = 10


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What is asked of systems: to be worse by less than the margin, and to reach the minimums."""

    margin: float | None = None
    minimums: tuple[Minimum, ...] = ()


@dataclass(frozen=True, slots=True)
class GateCell:
    """One system in one language against the baseline; `lost` are the queries that lost most, if it fails."""

    system: str
    lang: str
    result: Noninferiority
    lost: tuple[QueryChange, ...]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What the gate says.

    Attributes:
        outcome: fails where a cell or a minimum fails; passes where all pass and nothing is unchecked.
        margin: None where only minimums are asked for.
        alpha: over all cells, the chance of passing a system that is worse by the margin in one of them, and the chance
            of failing where none is worse. Each minimum has it for itself.
        cells: each system in each language.
        together: each system over all languages, which decides nothing; empty for one language.
        unchecked: what could not be compared as it should, a line each; it never passes.
        needed: how many queries would decide: the most that an undecided cell or minimum needs; None if that is not
            known of one.
    """

    outcome: GateOutcome
    margin: float | None
    alpha: float
    cells: tuple[GateCell, ...]
    together: tuple[GateCell, ...]
    minimums: tuple[MinimumResult, ...]
    unchecked: tuple[str, ...]
    needed: int | None


def check_gate(
    by_metric: Mapping[str, Sources], tables: SourceTables, settings: ComparisonSettings, asked: GateSettings
) -> GateReport:
    """Return whether every system but the baseline keeps the margin in every language, and reaches every minimum.

    Args:
        by_metric: the systems with the values of each metric that a minimum is about; "" has those that are compared.
        tables: of the metric that is compared.
        settings: their level, halved, is the error rate of either error.
        asked: margin and minimums.

    Raises:
        ConfigError: if the margin is wider than the metric's range, or less is better for the metric of a minimum.
    """
    sources, alpha = by_metric[""], settings.level / 2
    if asked.margin is not None and asked.margin > sources.metric.width:
        width = sources.metric.width
        raise ConfigError(f"--gate {asked.margin:g}: '{sources.metric.name}' cannot differ by more than {width:g}")
    minimums = [
        result
        for minimum in asked.minimums
        for result in check_minimums(minimum, by_metric[minimum.metric], settings.level, settings.seed)
    ]
    cells, together = (_tested(family, sources, asked.margin, alpha) for family in (*tables.families, ())[:2])
    unchecked = _unchecked(sources, tables) if asked.margin is not None else ()
    outcomes = [cell.result.outcome for cell in cells] + [one.outcome for one in minimums]
    undecided = [cell.result.needed for cell in cells if cell.result.outcome is GateOutcome.INCONCLUSIVE]
    undecided += [one.needed for one in minimums if one.outcome is GateOutcome.INCONCLUSIVE]
    known = [count for count in undecided if count is not None]
    return GateReport(
        _outcome(outcomes, unchecked),
        asked.margin,
        alpha,
        cells,
        together,
        tuple(minimums),
        unchecked,
        max(known) if known and len(known) == len(undecided) else None,
    )


def _unchecked(sources: Sources, tables: SourceTables) -> tuple[str, ...]:
    """Return what keeps a gate from passing, a line each."""
    metric = sources.metric
    # The error rate holds for a range that is true, not for that of the values.
    of_range = () if metric.known else (f"the range of '{metric.name}' is not known; --range LO,HI names it",)
    return (*sources.warnings, *of_range, *(_left_out(lang) for lang in tables.left_out))


def _left_out(lang: str) -> str:
    return f"{lang or 'no language'}: not all systems have a value for the same two queries"


def _outcome(outcomes: Sequence[GateOutcome], unchecked: Sequence[str]) -> GateOutcome:
    if GateOutcome.FAIL in outcomes:
        return GateOutcome.FAIL
    undecided = unchecked or not outcomes or GateOutcome.INCONCLUSIVE in outcomes
    return GateOutcome.INCONCLUSIVE if undecided else GateOutcome.PASS


def _tested(family: Sequence[ValueTable], sources: Sources, margin: float | None, alpha: float) -> tuple[GateCell, ...]:
    if margin is None or not family:
        return ()
    cells = [
        PairedCell(
            system.name,
            table.lang,
            table.values[:, 0],
            table.values[:, place],
            table.clusters,
            table.metric.width,
            table.metric.less_is_better,
        )
        for table in family
        for place, system in enumerate(table.systems[1:], start=1)
    ]
    result: GateResult = gate(cells, margin, alpha)
    return tuple(GateCell(cell.system, cell.lang, found, _lost(cell, found, sources)) for cell, found in result.cells)


def _lost(cell: PairedCell, found: Noninferiority, sources: Sources) -> tuple[QueryChange, ...]:
    first = sources.systems[0]
    system = next(own for own in sources.systems[1:] if next(iter(own.values())).name == cell.system)
    if found.outcome is not GateOutcome.FAIL or cell.lang not in first or cell.lang not in system:
        return ()
    worst = changes(first[cell.lang], system[cell.lang], sources.metric)
    return tuple(one for one in worst[:_NAMED] if one.loss > 0)

"""How many queries a comparison needs, and what a number of queries shows, before any is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING

from ragaliq.compare.standings import ALL
from ragaliq.compare.value_table import ValueTable
from ragaliq.metrics.statistics.power import (
    ENOUGH_UNTIED,
    LEVEL,
    POWER,
    Seen,
    detectable_difference,
    queries_needed,
    seen_difference,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# Shown where neither a number of queries nor a difference is asked about.
_SIZES = (25, 50, 100, 200, 400, 800)
# Without a difference asked about: half of the one that is seen with the power asked for.
_PART = 0.5
# A pilot of fewer queries tells little.
_PILOT = 25


@dataclass(frozen=True, slots=True)
class PowerSettings:
    """What is asked.

    Attributes:
        n: number of queries; None: several are shown, or the number needed.
        difference: a true difference, above 0; None: half of the one that is seen.
        systems: number of systems of which every pair is compared.
        level: chance of any false difference among all of them.
        power: chance to see the difference.
    """

    n: int | None = None
    difference: float | None = None
    systems: int = 2
    level: float = LEVEL
    power: float = POWER


@dataclass(frozen=True, slots=True)
class Spread:
    """How far values of queries spread, in one language or in all together (`all`).

    Attributes:
        sd: standard deviation of the difference between two systems that independent queries would have for the same
            standard error; of a pilot the median over pairs of systems. In `all` a query is all its languages. None
            where a pilot does not tell.
        sd_value: the same of one system's values; None if not known.
        n: number of queries of the pilot; None without one.
        pairs: number of pairs of systems that `sd` is from.
        design_effect: of the rows of a cluster, on the variance of the mean difference: above 1 rows of a cluster are
            alike. 1 without clusters.
        languages: number of languages of a query.
        alike: number of languages of this kind, each of which is tested; 0 for all together.
    """

    lang: str
    sd: float | None
    sd_value: float | None = None
    n: int | None = None
    pairs: int = 0
    design_effect: float = 1.0
    languages: int = 1
    alike: int = 1

    @property
    def correlation(self) -> float | None:
        """That of a query's differences in two languages, which the design effect implies; None for one language."""
        return (self.design_effect - 1) / (self.languages - 1) if self.languages > 1 else None


@dataclass(frozen=True, slots=True)
class Size:
    """What a number of queries shows.

    Attributes:
        detectable: the least true difference that is seen with the power asked for.
        half_width: of a 95 % interval of one system's mean (normal); None if its spread is not known.
        truth: the true difference asked about, else half of `detectable`.
        seen: what comes of that one.
    """

    n: int
    detectable: float
    half_width: float | None
    truth: float
    seen: Seen


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One language, or all: `tests` are made at `level` each; `needed` queries show the difference asked about."""

    spread: Spread
    tests: int
    level: float
    needed: int | None
    sizes: tuple[Size, ...]


@dataclass(frozen=True, slots=True)
class PlannedPower:
    """The answer, a row for each language and one for all; `unit` is what differences are of."""

    settings: PowerSettings
    rows: tuple[PlannedRow, ...]
    unit: str
    notes: tuple[str, ...] = ()


def plan_power(
    spreads: Sequence[Spread], settings: PowerSettings, unit: str, notes: Sequence[str] = ()
) -> PlannedPower:
    """Return what queries show, in each language and in all.

    The level is divided by the number of tests (Bonferroni): by the pairs of systems, and for single languages by these
    times the languages. Holm's correction and the rank sets' step-down test reject all that this does, so the numbers
    of queries are upper bounds.
    """
    langs = sum(spread.alike for spread in spreads)
    pairs = settings.systems * (settings.systems - 1) // 2
    rows = []
    for spread in spreads:
        tests = pairs * langs if spread.alike else pairs
        rows.append(_row(spread, settings, tests))
    return PlannedPower(settings, tuple(rows), unit, tuple(notes))


def planned_spreads(sd: float, languages: int, correlation: float | None, design_effect: float) -> list[Spread]:
    """Return the spreads of planned figures: of one language and, with several, of all together.

    `sd` is that of the differences per query in one language; `design_effect` is that of clusters of queries;
    `correlation` that of a query's differences in two languages. All languages of a query together have the variance
    sd² (1 + (L − 1) ρ) / L.
    """
    alone = sd * design_effect**0.5
    name = "" if languages == 1 else f"each of {languages}"
    spreads = [Spread(name, alone, design_effect=design_effect, alike=languages)]
    if languages > 1:
        rows = 1 + (languages - 1) * (correlation or 0.0)
        together = alone * (rows / languages) ** 0.5
        spreads.append(Spread(ALL, together, design_effect=rows, languages=languages, alike=0))
    return spreads


def pilot_spreads(families: Sequence[Sequence[ValueTable]]) -> list[Spread]:
    """Return the spreads of a pilot's tables.

    Of one system alone the differences are taken to be those to an independent one: √2 times the spread of its values,
    which is more than two systems on the same queries differ by.
    """
    langs = len(families[0])
    return [
        replace(_spread(table), languages=langs, alike=0) if table.lang == ALL else _spread(table)
        for family in families
        for table in family
    ]


def _spread(table: ValueTable) -> Spread:
    n = len(set(table.queries))
    columns = list(table.values.T)
    values = median(_per_query(table, column, n) for column in columns)
    if len(columns) == 1:
        return Spread(table.lang, 2**0.5 * values, values, n, 0, _design_effect(table, columns[0]))
    deltas = [b - a for a, b in combinations(columns, 2)]
    told = [delta for delta in deltas if table.untied(delta) >= ENOUGH_UNTIED]
    if not told:
        return Spread(table.lang, None, values, n)
    effect = median(_design_effect(table, delta) for delta in told)
    sd = median(_per_query(table, delta, n) for delta in told)
    return Spread(table.lang, sd, values, n, len(told), effect)


def _per_query(table: ValueTable, values: Array, n: int) -> float:
    """Return the standard deviation that independent queries would have for the same standard error."""
    return table.spread(values) * float((n / table.n_clusters) ** 0.5)


def _design_effect(table: ValueTable, values: Array) -> float:
    """Return by how much clusters raise the variance of the mean over that of independent rows."""
    variance = float(values.var(ddof=1))
    return table.spread(values) ** 2 / table.n_clusters * len(values) / variance if variance > 0 else 1.0


def _row(spread: Spread, settings: PowerSettings, tests: int) -> PlannedRow:
    level = settings.level / tests
    if spread.sd is None:
        return PlannedRow(spread, tests, level, None, ())
    needed = None
    if settings.difference is not None:
        needed = queries_needed(spread.sd, settings.difference, level, settings.power)
    numbers = [settings.n] if settings.n is not None else [needed] if needed is not None else _SIZES
    sizes = tuple(_size(spread.sd, spread.sd_value, n, level, settings) for n in numbers if n is not None)
    return PlannedRow(spread, tests, level, needed, sizes)


def _size(sd: float, sd_value: float | None, n: int, level: float, settings: PowerSettings) -> Size:
    detectable = detectable_difference(sd, n, level, settings.power) or 0.0
    asked = settings.difference
    truth = asked if asked is not None else _PART * detectable
    half = None if sd_value is None else 1.96 * sd_value / n**0.5
    return Size(n, detectable, half, truth, seen_difference(sd, truth, n, level))


def pilot_notes(spreads: Sequence[Spread], left_out: Sequence[str]) -> list[str]:
    """Return what a reader must know of a pilot, a line each."""
    notes = []
    few = [f"{spread.lang or 'no language'}: {spread.n}" for spread in spreads if spread.n and spread.n < _PILOT]
    if few:
        notes.append(f"a pilot of fewer than {_PILOT} queries tells little of the spread ({', '.join(few)})")
    silent = [spread.lang or "no language" for spread in spreads if spread.sd is None]
    if silent:
        notes.append(f"{', '.join(silent)}: the systems differ on fewer than {ENOUGH_UNTIED} queries; ask for more")
    if any(spread.sd is not None and not spread.pairs for spread in spreads):
        notes.append(
            "one system alone: the difference is taken as that of two independent ones, which asks for more queries "
            "than two systems on the same queries need; a pilot of two systems tells"
        )
    notes += [f"{lang or 'no language'}: left out, the systems share fewer than two queries" for lang in left_out]
    return notes

"""Systems against a baseline on the same queries: one engine, whatever the values are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ragaliq.compare.standings import (
    Comparison,
    ComparisonSettings,
    Outcome,
    PairwiseResult,
    PValues,
    Section,
    Standing,
)
from ragaliq.compare.value_table import ValueTable
from ragaliq.metrics.statistics.differences import difference_interval
from ragaliq.metrics.statistics.equivalence import equivalence
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.power import ENOUGH_UNTIED, detectable_difference, queries_needed
from ragaliq.metrics.statistics.ranks.new_sample import new_sample_interval
from ragaliq.metrics.statistics.ranks.rank_sets import JointTable, Pair, RankSet, Simultaneous, simultaneous_tables
from ragaliq.metrics.statistics.ranks.selection import selection_frequency
from ragaliq.metrics.statistics.sign_flips import ROUNDING
from ragaliq.metrics.statistics.significance import (
    effect,
    paired_bootstrap,
    paired_differences,
    paired_t,
    sign_flip,
    wins,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


class _Test(NamedTuple):
    """The p values of one difference by itself, and its interval."""

    p: PValues
    interval: Interval | None


def compare_tables(
    families: Sequence[Sequence[ValueTable]], settings: ComparisonSettings, left_out: Sequence[str] = ()
) -> Comparison:
    """Compare the systems of each table with its first one, all tables of a family together.

    p values against the baseline are corrected by Holm's method in each family; where all pairs are tested, max-t and
    with it rank sets hold over all pairs of all tables of a family, in which a query's languages change sign together.
    """
    sections = chain.from_iterable(_sections(family, settings) for family in families)
    return Comparison(settings, tuple(sections), tuple(left_out))


def _sections(family: Sequence[ValueTable], settings: ComparisonSettings) -> list[Section]:
    """Return sections whose comparisons are corrected together."""
    among_all: Sequence[Simultaneous | None] = [None] * len(family)
    if settings.all_pairs:
        joint = len(family) > 1
        tables = [
            JointTable(table.merits, (table.groups or table.queries) if joint else table.clusters) for table in family
        ]
        among_all = simultaneous_tables(tables, settings.seed, 1 - settings.level)
    tests = [
        _alone(table, settings.seed) if pairs is None else _in_pairs(table, pairs, settings.seed)
        for table, pairs in zip(family, among_all, strict=True)
    ]
    corrected = iter(_corrected([test.p for own in tests for test in own]))
    return [
        _section(table, pairs, own, corrected, settings)
        for table, pairs, own in zip(family, among_all, tests, strict=True)
    ]


def _alone(table: ValueTable, seed: int) -> list[_Test]:
    """Test each system by itself, with the percentile bootstrap as another check."""
    tests = []
    first = table.values[:, 0]
    for second in table.values.T[1:]:
        flip, student = sign_flip(first, second, seed), paired_t(first, second)
        bootstrap = paired_bootstrap(first, second, seed)
        p = PValues(flip, student, bootstrap.p if bootstrap else None)
        tests.append(_Test(p, _interval(table, paired_differences(first, second), seed)))
    return tests


def _in_pairs(table: ValueTable, among_all: Simultaneous, seed: int) -> list[_Test]:
    """Take the tests from those of all pairs."""
    tests = []
    for pair in among_all.pairs[: len(table.systems) - 1]:
        deltas = paired_differences(table.values[:, 0], table.values[:, pair.b])
        tests.append(_Test(PValues(pair.p_sign_flip, pair.p_t), _interval(table, deltas, seed)))
    return tests


def _interval(table: ValueTable, deltas: Array, seed: int) -> Interval | None:
    # A measure held against a greedy ideal (alpha_nDCG) may be above 1.
    greatest = max(table.metric.width, float(abs(deltas).max(initial=0.0)))
    return difference_interval(deltas, greatest, seed=seed, clusters=table.clusters)


def _vary(table: ValueTable, deltas: Array) -> bool:
    """Return whether differences vary; where all are the same, nothing tells how others would.

    The mean of ties may be off 0 by rounding where the rows of a cluster even out.
    """
    return bool(deltas.any()) and table.spread(deltas) > ROUNDING


def _corrected(p_values: Sequence[PValues]) -> list[PValues]:
    columns = [holm([getattr(p, name) for p in p_values]) for name in ("permutation", "t", "bootstrap")]
    return [PValues(*own) for own in zip(*columns, strict=True)]


def _section(
    table: ValueTable,
    among_all: Simultaneous | None,
    tests: Sequence[_Test],
    corrected: Iterator[PValues],
    settings: ComparisonSettings,
) -> Section:
    means = table.values.mean(axis=0).tolist() if len(table.values) else [None] * len(table.systems)
    firsts: Sequence[_First] = [_First(None, None, None)] * len(table.systems)
    if among_all is not None:
        firsts = _firsts(table, among_all, settings)
    systems = tuple(
        Standing(own.name, own.n_valued, own.n_expected, mean, *first, own.mean_grade, own.n_above_zero)
        for own, mean, first in zip(table.systems, means, firsts, strict=True)
    )
    rows = [_pairwise(table, place, test, next(corrected), settings) for place, test in enumerate(tests, start=1)]
    pairs = among_all.pairs if among_all else ()
    return Section(
        metric=table.metric,
        lang=table.lang,
        n=len(table.queries),
        n_clusters=table.n_clusters,
        n_asked=table.n_asked,
        systems=systems,
        rows=tuple(rows),
        pairs=tuple(map(_turned, pairs)) if table.metric.less_is_better else pairs,
    )


class _First(NamedTuple):
    """How firm a system's place is: its ranks, how often it comes first, and its mean on other queries."""

    rank: RankSet | None
    selection: float | None
    new_sample: Interval | None


def _firsts(table: ValueTable, among_all: Simultaneous, settings: ComparisonSettings) -> list[_First]:
    """Return how firm the place of each system is; the ranks of systems that may not be ranked stay open."""
    within = Interval(table.metric.least, table.metric.greatest)
    shares = selection_frequency(table.merits, settings.seed, table.cluster_names)
    firsts = []
    for column, rank, selection in zip(table.values.T, among_all.ranks, shares, strict=True):
        ends = table.metric.interval_of_mean(column.tolist(), table.cluster_names, settings.seed)
        new = new_sample_interval(float(column.mean()), ends, table.n_clusters, within=within) if ends else None
        firsts.append(_First(rank, selection, new) if settings.ranked else _First(None, None, new))
    return firsts


def _turned(pair: Pair) -> Pair:
    """Return a pair of negative values as one of the values themselves."""
    interval = pair.interval.mirrored if pair.interval else None
    return replace(pair, difference=0.0 - pair.difference, interval=interval)


def _pairwise(
    table: ValueTable, place: int, test: _Test, corrected: PValues, settings: ComparisonSettings
) -> PairwiseResult:
    first, second = table.values[:, 0], table.values[:, place]
    less = table.metric.less_is_better
    difference = effect(first, second)
    result = PairwiseResult(
        name=table.systems[place].name,
        effect=difference,
        interval=test.interval,
        p=test.p,
        holm=corrected,
        wins=wins(second, first) if less else wins(first, second),
        outcome=_outcome(difference.difference, corrected.permutation, less, settings.level),
    )
    return _with_power(result, table, place, settings) if settings.all_pairs else result


def _with_power(result: PairwiseResult, table: ValueTable, place: int, settings: ComparisonSettings) -> PairwiseResult:
    """Return a result with what the queries could show, and whether it is within the margin."""
    first, second = table.values[:, 0], table.values[:, place]
    deltas = paired_differences(first, second)
    spread, untied = table.spread(deltas), table.untied(deltas)
    known = untied >= ENOUGH_UNTIED and _vary(table, deltas)
    return replace(
        result,
        equal=None
        if settings.margin is None
        else equivalence(first, second, settings.margin, clusters=table.clusters, greatest=table.metric.width),
        untied=untied,
        detectable=detectable_difference(spread, table.n_clusters) if known else None,
        needed=queries_needed(spread, result.effect.difference or 0.0) if known else None,
    )


def _outcome(difference: float | None, p: float | None, less_is_better: bool, level: float) -> Outcome:
    if not difference or p is None or p >= level:
        return Outcome.UNDECIDED
    return Outcome.WORSE if (difference < 0) != less_is_better else Outcome.BETTER

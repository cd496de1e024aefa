"""The engine of comparisons: what is corrected together, what decides, and which way a difference points."""

from __future__ import annotations

import numpy as np
import pytest

from ragaliq.compare.comparison import compare_tables
from ragaliq.compare.standings import ComparisonSettings, Outcome, Section
from ragaliq.compare.value_table import TableMetric, TableSystem, ValueTable, measure_table
from ragaliq.metrics.statistics.differences import difference_interval
from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.ranks.rank_sets import JointTable, simultaneous, simultaneous_tables
from ragaliq.metrics.statistics.ranks.selection import selection_frequency
from ragaliq.metrics.statistics.significance import paired_bootstrap, paired_t, sign_flip

GENERATOR = np.random.default_rng(0)
BASE = 0.2 + GENERATOR.random(40) / 2
N = len(BASE)
NOISE = np.tile([0.05, -0.05], N // 2)
IDS = tuple(f"q{place:02}" for place in range(N))


def table(*others: np.ndarray, less: bool = False) -> ValueTable:
    names = ["base", *(f"r{place}" for place in range(len(others)))]
    return measure_table(TableMetric("AP", "meaning", less), IDS, names, [BASE, *others])


def alone(*families: list[ValueTable]) -> tuple[Section, ...]:
    return compare_tables(families, ComparisonSettings(all_pairs=False)).sections


def among_all(own: ValueTable, margin: float | None = None) -> Section:
    (section,) = compare_tables([[own]], ComparisonSettings(margin=margin)).sections
    return section


def test_p_values_are_corrected_within_a_family() -> None:
    others = [BASE + GENERATOR.normal(shift, 0.1, N) for shift in (0.03, 0.05, 0.0)]
    flips = [flip for values in others if (flip := sign_flip(BASE, values))]
    students = [p for values in others if (p := paired_t(BASE, values))]
    bootstraps = [bootstrap for values in others if (bootstrap := paired_bootstrap(BASE, values))]
    sections = alone([table(*others)], [table(*others)])
    assert len(sections) == 2
    for section in sections:
        assert [row.p.permutation for row in section.rows] == flips
        assert [row.holm.permutation for row in section.rows] == holm(flips)
        assert [row.holm.t for row in section.rows] == holm(students)
        assert [row.holm.bootstrap for row in section.rows] == holm([own.p for own in bootstraps])
        assert [row.interval for row in section.rows] == [difference_interval(values - BASE) for values in others]
    both = alone([table(*others), table(*others)])
    together = [row.holm.permutation for section in both for row in section.rows]
    assert together == holm(flips + flips)


def test_the_corrected_permutation_decides_and_less_may_be_better() -> None:
    cases = ((0.1, Outcome.BETTER, Outcome.WORSE), (-0.1, Outcome.WORSE, Outcome.BETTER),
             (0.0001, Outcome.UNDECIDED, Outcome.UNDECIDED))  # fmt: skip
    for shift, more, less in cases:
        for outcome, own in ((more, table(BASE + shift + NOISE)), (less, table(BASE + shift + NOISE, less=True))):
            for section in (*alone([own]), among_all(own)):
                (row,) = section.rows
                assert row.outcome is outcome, (shift, outcome)
                assert row.effect.difference == pytest.approx(shift)
                assert section.worse == (["r0"] if outcome is Outcome.WORSE else [])
    (row,) = among_all(table(BASE - 0.1, less=True)).rows
    assert (row.wins.wins, row.wins.losses) == (N, 0)


def test_pairs_among_all_are_those_of_the_table_and_turned_where_less_is_better() -> None:
    others = [np.clip(BASE + GENERATOR.normal(shift, 0.1, N), 0, 1) for shift in (0.1, -0.2)]
    values = np.column_stack([BASE, *others])
    found, turned = simultaneous(values), simultaneous(-values)
    section, less = among_all(table(*others)), among_all(table(*others, less=True))
    assert section.pairs == found.pairs and [own.rank for own in section.systems] == list(found.ranks)
    assert [own.rank for own in less.systems] == list(turned.ranks) and found.ranks != turned.ranks
    for pair, other in zip(less.pairs, found.pairs, strict=True):
        assert pair.difference == pytest.approx(other.difference)
        # The flips of negative values are other draws.
        assert pair.interval == pytest.approx(tuple(other.interval or ()), abs=0.002)
    assert [row.p.permutation for row in section.rows] == [pair.p_sign_flip for pair in found.pairs[:2]]
    assert [row.p.bootstrap for row in section.rows] == [None, None]
    assert [own.mean for own in section.systems] == pytest.approx(values.mean(axis=0).tolist())


def test_the_tables_of_a_family_share_one_error_rate() -> None:
    tables = [table(*(np.clip(BASE + GENERATOR.normal(0.04, 0.1, N), 0, 1) for _ in range(2))) for _ in range(3)]
    joint = simultaneous_tables([JointTable(own.values, IDS) for own in tables])
    together = compare_tables([tables], ComparisonSettings()).sections
    assert [section.pairs for section in together] == [own.pairs for own in joint]
    by_itself = compare_tables([tables[:2], [tables[2]]], ComparisonSettings()).sections[2]
    assert by_itself.pairs == simultaneous(tables[2].values).pairs != together[2].pairs
    for own, section in zip(tables, together, strict=True):
        shares = selection_frequency(own.values)
        assert [system.selection for system in section.systems] == pytest.approx(shares)
        assert all(system.new_sample is not None for system in section.systems)


def test_swapped_systems_have_mirrored_intervals() -> None:
    other = np.random.default_rng(1).permutation(BASE)
    (row,), (back,) = (
        among_all(measure_table(TableMetric("AP", "meaning"), IDS, ["a", "b"], values)).rows
        for values in ([BASE, other], [other, BASE])
    )
    assert row.interval is not None and back.interval == row.interval.mirrored
    assert (back.effect.difference, back.p) == (-(row.effect.difference or 0), row.p)


def test_what_the_queries_could_show_and_whether_two_are_equal() -> None:
    (row,) = among_all(table(BASE + NOISE), margin=0.05).rows
    assert row.equal is not None and row.equal.margin == 0.05 and row.untied == N
    assert row.detectable is not None and 0 < row.detectable < 0.05
    few = BASE.copy()
    few[:9] += 0.2
    (row,) = among_all(table(few)).rows
    # Nine queries differ: the spread is hardly known.
    assert (row.untied, row.detectable, row.needed, row.equal) == (9, None, None, None)
    (same,) = among_all(table(BASE)).rows
    assert (same.detectable, same.untied, same.p.permutation) == (None, 0, 1.0)
    # Nothing but ties is no proof that nothing else is there: (1 − share)^40 = .025.
    assert same.interval == pytest.approx((0.025 ** (1 / N) - 1, 1 - 0.025 ** (1 / N)))


def test_rows_of_one_query_are_one_cluster() -> None:
    values = np.column_stack([BASE, BASE + 0.1 + NOISE])
    queries = tuple(f"q{place // 2}" for place in range(N))
    own = ValueTable(TableMetric("x", "y"), "all", (TableSystem("a", N), TableSystem("b", N)), values, queries, N)
    section = among_all(own)
    assert (section.n, section.n_clusters, section.rows[0].untied) == (N, N // 2, N // 2)
    flip = sign_flip(values[:, 0], values[:, 1], clusters=list(queries))
    assert flip is not None and section.rows[0].p.permutation == flip


def test_one_query_or_none_leaves_tests_undefined() -> None:
    metric = TableMetric("RR", "meaning")
    one = measure_table(metric, ["q"], ["a", "b"], [np.array([0.5]), np.array([0.75])])
    (row,) = alone([one])[0].rows
    assert (row.p.t, row.p.bootstrap, row.p.permutation) == (None, None, 1 / 2)
    # .025 of the weight is certain to be that of the one query: .025 · .25 ± .975.
    assert row.interval == pytest.approx((0.025 * 0.25 - 0.975, 0.025 * 0.25 + 0.975))
    none = measure_table(metric, [], ["a", "b"], [np.array([])] * 2)
    (section,) = alone([none])
    assert section.rows[0].interval is None
    assert (section.systems[0].mean, section.rows[0].effect.n, section.rows[0].p.permutation) == (None, 0, None)
    assert section.rows[0].outcome is Outcome.UNDECIDED

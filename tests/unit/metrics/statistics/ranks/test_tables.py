"""Several tables at once: shared flips, one error rate, and what no order may change."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ragaliq.metrics.statistics.ranks.rank_sets import JointTable, simultaneous, simultaneous_tables

Array = NDArray[np.float64]
NAMES = [f"q{place:02}" for place in range(40)]


def graded(seed: int, means: list[float], n: int = 40) -> Array:
    generator = np.random.default_rng(seed)
    raw = np.array(means) + generator.normal(0, 0.3, (n, len(means)))
    rounded: Array = np.round(np.clip(raw, 0, 1) * 5) / 5
    return rounded


def test_one_table_is_the_case_of_one() -> None:
    values = graded(0, [0.4, 0.5, 0.7])
    assert simultaneous_tables([JointTable(values)]) == [simultaneous(values)]
    assert simultaneous_tables([]) == []


def test_the_same_table_twice_costs_nothing_and_unrelated_ones_do() -> None:
    values = graded(1, [0.45, 0.55, 0.6])
    once = simultaneous(values, clusters=NAMES)
    twice = simultaneous_tables([JointTable(values, NAMES)] * 2)
    # A copy of a language moves with it in every flip; other questions flip by themselves.
    assert [pair.p_max_t for pair in twice[0].pairs] == [pair.p_max_t for pair in twice[1].pairs]
    for pair, alone in zip(twice[0].pairs, once.pairs, strict=True):
        assert pair.p_max_t == pytest.approx(alone.p_max_t, abs=0.02)
    apart = simultaneous_tables([JointTable(values, NAMES), JointTable(values, [f"other {name}" for name in NAMES])])
    least = min(range(3), key=lambda place: once.pairs[place].p_max_t)
    assert apart[0].pairs[least].p_max_t > 1.5 * once.pairs[least].p_max_t


def test_a_bad_system_takes_no_power_from_the_others() -> None:
    generator = np.random.default_rng(2)
    first = generator.choice([0.4, 0.6, 0.8], 70)
    second = first.copy()
    second[:18] += 0.2
    second[-2:] -= 0.2
    bad = np.where(generator.random(70) < 0.8, 0.0, first)
    found = simultaneous(np.column_stack([first, second, bad]))
    pair = found.pairs[0]
    assert (pair.a, pair.b) == (0, 1) and pair.p_max_t < 0.01
    assert [(own.low, own.high) for own in found.ranks] == [(2, 2), (1, 1), (3, 3)]
    # The interval takes one step against the pairs with the bad system, and holds 0.
    assert pair.interval is not None and pair.interval.low < 0 < pair.interval.high


def test_tables_may_have_other_systems_and_queries_in_any_order() -> None:
    tables = [
        JointTable(graded(3, [0.3, 0.5, 0.7]), NAMES),
        JointTable(graded(4, [0.6, 0.4], 30), NAMES[10:]),
        JointTable(graded(5, [0.5, 0.5, 0.5, 0.9], 25)),
    ]
    found = simultaneous_tables(tables, draws=500)
    turned = simultaneous_tables(
        [JointTable(own.values[::-1], own.clusters and own.clusters[::-1]) for own in tables[::-1]], draws=500
    )[::-1]
    assert [own.ranks for own in found] == [own.ranks for own in turned]
    for own, other in zip(found, turned, strict=True):
        assert [pair.p_max_t for pair in own.pairs] == [pair.p_max_t for pair in other.pairs]
    # A difference of 1 in one table floors all pairs: elsewhere it has not shown up yet.
    calm = np.column_stack([np.full(12, 0.4), np.full(12, 0.4)])
    calm[:8, 1] += 0.2
    wild = np.column_stack([np.tile([0.0, 1.0], 6), np.tile([1.0, 0.0], 6)])
    alone, (joint, _) = simultaneous(calm), simultaneous_tables([JointTable(calm), JointTable(wild)])
    assert alone.pairs[0].p_max_t < 0.05 < joint.pairs[0].p_max_t

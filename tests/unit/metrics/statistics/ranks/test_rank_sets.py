"""All pairs at once: a brute-force count of signs as oracle, worked cases, and what holds for any table."""

from __future__ import annotations

import json
from itertools import combinations, product
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.ranks.max_t import UNSEEN, max_t
from ragaliq.metrics.statistics.ranks.rank_sets import RankSet, Simultaneous, simultaneous
from ragaliq.metrics.statistics.significance import paired_t, sign_flip
from ragaliq.metrics.weights import WEIGHTS

Array = NDArray[np.float64]
WEIGHT = st.sampled_from(sorted(WEIGHTS.values()))


@st.composite
def tables(draw: st.DrawFn) -> Array:
    systems, queries = draw(st.integers(2, 5)), draw(st.integers(2, 30))
    row = st.lists(WEIGHT, min_size=systems, max_size=systems)
    return np.array(draw(st.lists(row, min_size=queries, max_size=queries)))


def graded(n: int, means: list[float], seed: int) -> Array:
    """Systems on the same questions, some of which are hard for all."""
    generator = np.random.default_rng(seed)
    hard = generator.normal(0, 0.25, (n, 1))
    raw = np.array(means) + hard + generator.normal(0, 0.2, (n, len(means)))
    rounded: Array = np.round(np.clip(raw, 0, 1) * 5) / 5
    return rounded


def brute_force(values: Array) -> dict[tuple[int, int], float]:
    """The mid-p value of each pair against the greatest of those not above it, one assignment of signs after another.

    No value is less than that of a pair with a greater statistic.
    """
    pairs = list(combinations(range(values.shape[1]), 2))
    apart = {(a, b): values[:, b] - values[:, a] for a, b in pairs}
    floor = UNSEEN * max(float((d**2).max()) for d in apart.values())
    spread = {pair: sqrt(float(d @ d) + floor) for pair, d in apart.items()}
    observed = {pair: abs(float(apart[pair].sum())) / spread[pair] for pair in pairs}
    flipped = [
        {pair: abs(float(np.dot(signs, apart[pair]))) / spread[pair] for pair in pairs}
        for signs in product((1, -1), repeat=len(values))
    ]
    found: dict[tuple[int, int], float] = {}
    for pair in sorted(pairs, key=lambda own: -observed[own]):
        rest = [other for other in pairs if other not in found]
        greatest = [max(flip[other] for other in rest) for flip in flipped]
        further = sum(other > observed[pair] * (1 + 1e-9) for other in greatest)
        as_far = sum(abs(other - observed[pair]) <= observed[pair] * 1e-9 for other in greatest)
        p = (further + as_far / 2) / len(greatest) if observed[pair] > 1e-9 else 1.0
        found[pair] = max(p, *found.values(), 0.0)
    return found


def ranks(found: Simultaneous) -> list[tuple[int, int]]:
    return [(each.low, each.high) for each in found.ranks]


def test_all_assignments_of_signs_are_counted() -> None:
    values = graded(9, [0.3, 0.5, 0.6, 0.8], 0)
    expected = brute_force(values)
    for pair in simultaneous(values).pairs:
        alone = sign_flip(values[:, pair.a], values[:, pair.b])
        assert alone is not None
        assert pair.p_sign_flip == pytest.approx(alone)
        assert pair.p_max_t == pytest.approx(max(expected[pair.a, pair.b], alone))


def test_drawn_signs_are_near_the_count() -> None:
    values = graded(14, [0.3, 0.5, 0.8], 5)
    # The same rows twice in opposite directions leave 28 rows, whose signs are drawn; the sums' chances are near.
    counted = max_t([values - values.mean(axis=1, keepdims=True)], 0, 20_000)
    assert counted.exact
    noisy = np.concatenate([values, np.full((40, 3), 0.4)])
    assert max_t([noisy], 0, 20_000).exact
    twice = np.concatenate([values, values])
    drawn = max_t([twice], 0, 20_000)
    assert not drawn.exact
    again = max_t([twice], 1, 20_000)
    assert drawn.stepped.tolist() == pytest.approx(again.stepped.tolist(), abs=6 * 0.5 / sqrt(20_000))


def test_two_systems_are_tested_as_a_pair() -> None:
    values = graded(60, [0.5, 0.62], 1)
    (pair,) = simultaneous(values).pairs
    alone = sign_flip(values[:, 0], values[:, 1])
    student = paired_t(values[:, 0], values[:, 1])
    assert alone is not None and student is not None
    assert pair.p_max_t == pytest.approx(alone, abs=4 * sqrt(alone / 20_000) + 1e-4)
    assert (pair.p_sign_flip, pair.p_holm, pair.p_t) == (alone, alone, student)
    assert pair.difference == pytest.approx(float(values[:, 1].mean() - values[:, 0].mean()))


def test_ranks_of_three_levels() -> None:
    # Two bad systems that cannot be told apart, and one that is far better than both.
    values = graded(80, [0.3, 0.31, 0.8], 2)
    assert ranks(simultaneous(values)) == [(2, 3), (2, 3), (1, 1)]
    assert ranks(simultaneous(1 - values)) == [(1, 2), (1, 2), (3, 3)]


def test_a_few_lucky_queries_separate_nothing() -> None:
    # System b is better on eight queries out of 70, and by little, where others differ by much more.
    generator = np.random.default_rng(3)
    a, c = generator.choice([0.0, 0.4, 1.0], 70), generator.choice([0.0, 0.4, 1.0], 70)
    b = a.copy()
    b[np.flatnonzero(a == 0.4)[:8]] += 0.2
    found = simultaneous(np.column_stack([a, b, c]))
    alone = sign_flip(a, b)
    assert alone is not None and alone < 0.01
    assert found.pairs[0].p_max_t > 0.05
    assert found.ranks[0] == RankSet(1, 3)


def test_systems_that_agree_everywhere_are_never_different() -> None:
    column = np.random.default_rng(0).choice([0.0, 1.0], 40)
    found = simultaneous(np.column_stack([column] * 3))
    assert ranks(found) == [(1, 3)] * 3
    assert {(pair.p_max_t, pair.p_holm, pair.p_sign_flip, pair.interval) for pair in found.pairs} == {(1, 1, 1, None)}


def test_systems_that_agree_with_each_other_have_an_interval_of_their_own() -> None:
    column = np.tile([0.0, 0.2, 0.6, 1.0], 20)
    found = simultaneous(np.column_stack([column, column, 1 - column]))
    interval = found.pairs[0].interval
    assert interval is not None
    # They never differed, but other queries might: 0 ± c · √(4 · 1²) / 80. The other two pairs are one and the same, of
    # which the squares are 20 · (1 + .36 + .04 + 1) = 48: c is nearly 1.96 · √(48 / (48 + 4)).
    assert interval.high == -interval.low == pytest.approx(1.96 * sqrt(48 / 52) * 2 / 80, abs=0.002)


def test_tables_without_queries_or_pairs() -> None:
    for shape, expected in (((0, 3), [(1, 3)] * 3), ((5, 1), [(1, 1)]), ((1, 2), [(1, 2)] * 2)):
        found = simultaneous(np.random.default_rng(0).random(shape))
        assert (found.n, ranks(found)) == (shape[0], expected)
    assert ranks(simultaneous(np.zeros((5, 0)))) == []


def test_what_is_no_table_of_numbers_is_refused() -> None:
    for values in (np.zeros(3), np.full((3, 2), np.nan)):
        with pytest.raises(ValueError, match=r"queries × systems|finite"):
            simultaneous(values)


def test_copies_of_queries_are_no_evidence() -> None:
    values = graded(12, [0.4, 0.5, 0.55], 4)
    names = [f"q{place:02}" for place in range(12)]
    once = simultaneous(values)
    copied = simultaneous(np.repeat(values, 6, axis=0), clusters=[name for name in names for _ in range(6)])
    assert (once.n, once.n_clusters, copied.n, copied.n_clusters) == (12, 12, 72, 12)
    for single, several in zip(once.pairs, copied.pairs, strict=True):
        assert several.p_max_t == pytest.approx(single.p_max_t)
        assert several.p_t == pytest.approx(single.p_t)
        assert single.interval is not None and several.interval is not None
        assert list(several.interval) == pytest.approx(list(single.interval))


def test_the_seed_decides() -> None:
    values = graded(40, [0.5, 0.55, 0.6], 3)
    assert simultaneous(values, seed=1) == simultaneous(values, seed=1) != simultaneous(values, seed=2)


@settings(max_examples=20, deadline=None)
@given(tables())
def test_pairs_ranks_and_intervals_agree(values: Array) -> None:
    found = simultaneous(values, draws=200)
    means = values.mean(axis=0)
    assert [(pair.a, pair.b) for pair in found.pairs] == list(combinations(range(values.shape[1]), 2))
    assert [pair.p_holm for pair in found.pairs] == holm([pair.p_sign_flip for pair in found.pairs])
    for pair in found.pairs:
        assert 0 < pair.p_sign_flip <= pair.p_max_t <= 1
        if pair.interval is not None:
            low, high = pair.interval
            assert low - 1e-9 <= pair.difference <= high + 1e-9
            # The intervals take one step: they may hold 0 where the test, which steps down, separates the pair.
            assert pair.p_max_t < 0.05 or low <= 0 <= high
    for place, each in enumerate(found.ranks):
        ahead, level = int((means > means[place] + 1e-9).sum()), int((np.abs(means - means[place]) <= 1e-9).sum())
        assert 1 <= each.low <= 1 + ahead
        assert ahead + level <= each.high <= values.shape[1]


@settings(max_examples=20, deadline=None)
@given(tables(), st.integers(0, 1000))
def test_the_order_of_queries_and_systems_does_not_matter(values: Array, seed: int) -> None:
    generator = np.random.default_rng(seed)
    queries, systems = generator.permutation(len(values)), generator.permutation(values.shape[1])
    found = simultaneous(values, draws=200)
    assert [pair.p_max_t for pair in simultaneous(values[queries], draws=200).pairs] == [p.p_max_t for p in found.pairs]
    moved = simultaneous(values[queries][:, systems], draws=200)
    place = {int(system): column for column, system in enumerate(systems)}
    assert [moved.ranks[place[system]] for system in range(values.shape[1])] == list(found.ranks)
    there = {frozenset((pair.a, pair.b)): pair for pair in moved.pairs}
    for pair in found.pairs:
        other = there[frozenset((place[pair.a], place[pair.b]))]
        assert [other.p_max_t, other.p_sign_flip, other.p_holm] == pytest.approx(
            [pair.p_max_t, pair.p_sign_flip, pair.p_holm]
        )
        assert abs(other.difference) == pytest.approx(abs(pair.difference))


@settings(max_examples=15, deadline=None)
@given(tables())
def test_identical_systems_share_their_ranks(values: Array) -> None:
    found = simultaneous(np.column_stack([values, values[:, 0]]), draws=200)
    assert found.ranks[0] == found.ranks[-1]
    assert next(pair for pair in found.pairs if (pair.a, pair.b) == (0, values.shape[1])).p_max_t == 1


@pytest.mark.slow
def test_equal_systems_are_rarely_separated_and_far_ones_nearly_always() -> None:
    generator = np.random.default_rng(7)
    false = seen = 0
    for run in range(200):
        hard = generator.choice([0.0, 0.4, 0.6, 1.0, 1.0, 1.0], (50, 1))
        own = generator.choice([0.0, 0.4, 0.6, 1.0, 1.0, 1.0], (50, 5))
        values = np.where(generator.random((50, 5)) < 0.7, hard, own)
        flips = max_t([values], run, 199)
        false += max(flips.statistics) > flips.critical(0.05)
        values[:, 0] = np.where(generator.random(50) < 0.7, 0.0, values[:, 0])
        flips = max_t([values], run, 199)
        seen += flips.statistics[0] > flips.critical(0.05)
    # Five percent of 200, four standard errors either way.
    assert 0.05 - 4 * sqrt(0.05 * 0.95 / 200) <= false / 200 <= 0.05 + 4 * sqrt(0.05 * 0.95 / 200)
    assert seen / 200 > 0.95


@pytest.mark.shared
@pytest.mark.parametrize(("lang", "systems", "queries"), [("en", 9, 69), ("zh", 3, 71)])
def test_the_reference_logs_separate_what_single_tests_do_at_most(
    shared_data: Path, lang: str, systems: int, queries: int
) -> None:
    files = sorted((shared_data / "ragaliq" / "logs" / "eval").glob(f"eval_res_questions_{lang}_*.json"))
    logs = [{row["question"]: WEIGHTS[int(row["score"])] for row in json.loads(file.read_bytes())} for file in files]
    values = np.array([[log[each] for log in logs] for each in sorted(set.intersection(*map(set, logs)))])
    found = simultaneous(values)
    assert (found.n, len(found.ranks)) == (queries, systems)
    separated = [pair for pair in found.pairs if pair.p_max_t < 0.05]
    assert all(pair.p_sign_flip < 0.05 for pair in separated)
    # English: the best against the worst; Chinese: none.
    assert [(pair.a, pair.b) for pair in separated] == ([(5, 6)] if lang == "en" else [])
    assert found.pairs and all(each.high - each.low >= systems - 2 for each in found.ranks)

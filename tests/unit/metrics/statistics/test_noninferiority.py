from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from ragaliq.metrics.statistics.multiplicity import holm
from ragaliq.metrics.statistics.noninferiority import ALPHA, GateOutcome, Noninferiority, PairedCell, gate

PASS, FAIL, INCONCLUSIVE = GateOutcome.PASS, GateOutcome.FAIL, GateOutcome.INCONCLUSIVE


def cell(deltas: list[float], **more: object) -> PairedCell:
    return PairedCell("s", "ru", np.zeros(len(deltas)), np.array(deltas), **more)  # type: ignore[arg-type]


def alone(deltas: list[float], margin: float = 0.05, **more: object) -> Noninferiority:
    return gate([cell(deltas, **more)], margin).cells[0][1]


def test_queries_without_a_change_pass_from_73_on() -> None:
    # A loss of 1 on every twentieth query is not seen in 72 queries with a chance of .95^72 = .0249.
    for n, outcome in ((71, INCONCLUSIVE), (72, PASS)):
        found = alone([0.0] * n)
        assert found.p_pass == pytest.approx(0.95**n)
        assert (found.outcome, found.p_fail, found.difference) == (outcome, 1.0, 0.0)
        end = 1 - ALPHA ** (1 / n)
        assert found.interval == pytest.approx((-end, end), abs=1e-6)


def test_losses_of_one_are_tested_by_the_binomial() -> None:
    # 9 of 90 turn from right to wrong: against .05 that is more (p .033), so it does not pass; against 0 it is worse.
    found = alone([-1.0] * 9 + [0.0] * 81)
    exact = stats.binomtest(9, 90, 0.05, alternative="less").pvalue
    assert found.p_pass == pytest.approx(exact) and found.outcome is FAIL and found.worse
    # The unseen query is a gain of 1: 9 losses outweigh it unless its weight exceeds theirs, with a chance of 2^-9.
    assert found.p_fail == pytest.approx(2**-9)
    assert found.needed is None


def test_worse_by_less_than_the_margin_passes() -> None:
    found = alone([-0.2, 0.0, 0.0, 0.0] * 100, margin=0.1)
    assert (found.outcome, found.worse) == (PASS, True)
    assert found.difference == pytest.approx(-0.05)


def test_less_may_be_better_and_the_range_may_be_wide() -> None:
    deltas = [1.0, -0.4, 0.0, 0.2] * 10
    more, less = alone(deltas), alone([-d for d in deltas], less_is_better=True)
    assert more == less
    wide = alone([d * 4 for d in deltas], margin=0.2, greatest=4.0)
    assert wide.p_pass == pytest.approx(more.p_pass) and wide.p_fail == pytest.approx(more.p_fail)
    assert wide.needed == more.needed


def test_a_table_passes_where_all_pass_and_fails_by_holm() -> None:
    good, bad, few = [0.0] * 80, [-1.0] * 8 + [0.0] * 72, [0.0] * 30
    assert gate([cell(good)] * 3, 0.05).outcome is PASS
    assert gate([cell(good), cell(few)], 0.05).outcome is INCONCLUSIVE
    assert gate([cell(good), cell(bad), cell(few)], 0.05).outcome is FAIL
    # 2^-8 is .0039: below .025 by itself and among 6, not among 7.
    for count, outcome in ((6, FAIL), (7, INCONCLUSIVE)):
        found = gate([cell(bad), *[cell(few)] * (count - 1)], 0.05)
        assert found.outcome is outcome
        alones = [2**-8, *[1.0] * (count - 1)]
        assert [own.p_fail for _, own in found.cells] == pytest.approx(holm(alones))


def test_what_is_needed_decides_in_most_samples_of_such_queries() -> None:
    deltas = [0.2, -0.2, *[0.0] * 8] * 3 + [0.6, -0.6]
    found = gate([cell(deltas), cell([0.0] * 40)], 0.05)
    first, second = (own.needed for _, own in found.cells)
    assert first is not None and second is not None and first > second > 40
    assert (found.outcome, found.needed) == (INCONCLUSIVE, first)
    generator = np.random.default_rng(0)
    decided = [gate([cell(generator.choice(deltas, first).tolist())], 0.05).outcome is PASS for _ in range(300)]
    assert np.mean(decided) == pytest.approx(0.8, abs=0.1)


def test_copies_of_queries_are_no_evidence() -> None:
    deltas = np.random.default_rng(1).choice([-0.2, 0.0, 0.2, 1.0, -1.0], 50)
    names = [f"q{place}" for place in range(50) for _ in range(3)]
    once, copied = alone(deltas.tolist()), alone(np.repeat(deltas, 3).tolist(), clusters=names)
    assert copied.n == once.n == 50
    for name in ("p_pass", "p_fail", "needed", "outcome"):
        assert getattr(copied, name) == pytest.approx(getattr(once, name))
    assert copied.interval == pytest.approx(once.interval, abs=1e-6)


def test_without_queries_nothing_is_known() -> None:
    found = alone([])
    assert (found.n, found.difference, found.p_pass, found.interval, found.needed) == (0, None, None, None, None)
    assert found.outcome is INCONCLUSIVE
    assert gate([], 0.05).outcome is INCONCLUSIVE
    # One query has no spread from which a number could be taken.
    assert alone([0.0]).needed is None


def test_margins_and_differences_are_within_the_range() -> None:
    for margin in (0.0, -0.1, 1.1):
        with pytest.raises(ValueError, match="a margin is above 0 and at most 1"):
            alone([0.0], margin)
    # The range itself is a margin.
    assert alone([0.0], 1.0).n == 1
    with pytest.raises(ValueError, match="one differs by 2"):
        alone([2.0])


@pytest.mark.slow
@pytest.mark.parametrize("n", [25, 70, 200])
def test_errors_are_rare(n: int) -> None:
    # Small gains outweigh rare great losses, all but the margin, or exactly.
    generator, most = np.random.default_rng(n), 400 * ALPHA + 4 * (400 * ALPHA * (1 - ALPHA)) ** 0.5
    drawn = {
        lost: [alone(generator.choice([0.0, 0.2, -1.0], n, p=[0.8 - lost, 0.2, lost]).tolist()) for _ in range(400)]
        for lost in (0.09, 0.04)
    }
    assert sum(found.outcome is PASS for found in drawn[0.09]) <= most
    assert sum(found.outcome is FAIL for found in drawn[0.04]) <= most

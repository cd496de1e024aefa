"""The level of each of several looks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from ragaliq.metrics.statistics.multiplicity import _ever_beyond, level_per_look

# Critical values of Pocock 1977, table 1, for a level of .05.
POCOCK = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 6: 2.453, 10: 2.555}


@pytest.mark.parametrize(("looks", "critical"), POCOCK.items())
def test_the_published_table(looks: int, critical: float) -> None:
    assert norm.isf(level_per_look(looks) / 2) == pytest.approx(critical, abs=0.0011)


def test_one_look_tests_at_the_level_and_six_at_0142() -> None:
    assert level_per_look(1) == 0.05 and level_per_look(1, 0.01) == 0.01
    assert round(level_per_look(6), 4) == 0.0142


def test_the_looks_together_hold_the_level() -> None:
    looks, level = 4, 0.01
    critical = norm.isf(level_per_look(looks, level) / 2)
    steps = np.arange(1, looks + 1)
    correlation = np.sqrt(np.minimum.outer(steps, steps) / np.maximum.outer(steps, steps))
    inside = multivariate_normal(cov=correlation, seed=0).cdf([critical] * looks, lower_limit=[-critical] * looks)
    assert 1 - float(inside) == pytest.approx(level, abs=1e-4)


@pytest.mark.parametrize(("looks", "level"), [(0, 0.05), (3, 0.0), (3, 1.0)])
def test_no_look_and_no_level_are_refused(looks: int, level: float) -> None:
    with pytest.raises(ValueError, match="at least one look"):
        level_per_look(looks, level)


def test_many_looks_leave_less_to_each() -> None:
    # By the same integral with three times the nodes.
    assert [level_per_look(looks) for looks in (100, 150)] == pytest.approx([0.0040444250, 0.0035603510], abs=1e-9)
    # The search for the level of 300 looks takes seconds; at its end they spend the whole level.
    assert _ever_beyond(norm.isf(0.0029242583 / 2), 300) == pytest.approx(0.05, abs=1e-8)

"""How often each system comes first when the queries are drawn again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import clustered
from ragaliq.metrics.statistics.ranks.row_order import column_kinds, ordered_rows
from ragaliq.metrics.statistics.sign_flips import ROUNDING

Array = NDArray[np.float64]

RESAMPLES = 4_000
# Resamples are drawn some at a time, so that memory does not grow with the queries.
_CELLS = 1_000_000


def selection_frequency(values: Array, seed: int = 0, clusters: Sequence[str] | None = None) -> tuple[float, ...]:
    """Return for each system (column) the share of resamples of the queries (rows) in which its mean is the greatest.

    4,000 resamples of the queries with replacement, or of whole clusters where `clusters` names one for each row; one
    standard error of a share is at most .008. Systems that come first together share the resample evenly, so the
    shares add up to 1. It says how firm the choice of the best system is (how often other queries would lead to the
    same one, as the selection frequency of a model in Sauerbrei and Schumacher 1992, Statistics in Medicine 11), and
    is not a probability of being best: of two equal systems the one with luck on these queries has most of it. The
    order of rows and columns changes nothing. Without rows every system has the same share; without columns there is
    none.

    Raises:
        ValueError: if a value is no finite number, or there is not one cluster per row.
    """
    systems: int = values.shape[1]
    if not systems:
        return ()
    sums = clustered(values, clusters).sums
    n = len(sums)
    if not n:
        return (1 / systems,) * systems
    # All systems have the same number of values in a resample, and so the greatest mean is the greatest sum. What they
    # share drops out.
    rows = ordered_rows(np.round(sums - sums.mean(axis=1, keepdims=True), 10))
    slack = ROUNDING * max(1.0, float(np.abs(rows).sum()))
    generator, firsts = np.random.default_rng(seed), np.zeros(systems)
    size = max(1, _CELLS // n)
    for start in range(0, RESAMPLES, size):
        times = generator.multinomial(n, np.full(n, 1 / n), size=min(size, RESAMPLES - start))
        totals = times @ rows
        first = totals >= totals.max(axis=1, keepdims=True) - slack
        firsts += (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
    # Which of two columns that nothing tells apart is drawn more often would be a matter of their order.
    kinds = column_kinds(rows)
    shares: list[float] = (np.bincount(kinds, firsts) / np.bincount(kinds) / RESAMPLES)[kinds].tolist()
    return tuple(shares)

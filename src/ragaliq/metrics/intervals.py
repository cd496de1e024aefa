"""Confidence intervals by resampling queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RESAMPLES = 10_000


class Interval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


def mean_interval(values: Sequence[float], level: float = 0.95, seed: int = 0) -> Interval | None:
    """Return the percentile bootstrap interval of a mean over queries.

    Each value is one query's. Judge, reader and other languages are taken as fixed: the interval speaks of the choice
    of queries alone. It is too narrow near the ends of the scale and for few queries (it covers .94–.95 at
    70 mixed grades, .86–.88 where nearly all are the same). None for fewer than two values.
    """
    if len(values) < 2:
        return None
    sample = np.sort(np.asarray(values, dtype=np.float64))
    draws = np.random.default_rng(seed).integers(0, len(sample), size=(RESAMPLES, len(sample)))
    means = sample[draws].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))

"""Two systems on the same queries: difference, interval, tests.

In every function `a[i]` and `b[i]` are the values of one query, `a` is the baseline, and differences are `b − a`.
Queries are taken as a sample, everything else (judgements, reader, judge) as fixed. A difference of less than a
billionth of the greater value is rounding, and counts as a tie: the same gains may have been added up in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import clustered, standard_error
from ragaliq.metrics.statistics.intervals import RESAMPLES, Interval, expanded_percentiles, quantiles
from ragaliq.metrics.statistics.sign_flips import ROUNDING, sign_flip_tail

DRAWS = 20_000
# On either side of a 95 % interval.
_TAIL = (1 - 0.95) / 2
# Draws are made some at a time, which changes none of them, so that memory does not grow with the queries.
_CELLS = 500_000

Values = Sequence[float] | NDArray[np.float64]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Effect:
    """How far two means are apart over `n` queries.

    `percent` is the difference in % of the baseline's mean: None where that is 0. Without queries all are None.
    """

    n: int
    baseline: float | None
    compared: float | None
    difference: float | None
    percent: float | None


@dataclass(frozen=True, slots=True)
class Wins:
    """Number of queries on which the compared system is better, level and worse."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """Interval of the mean difference, and the two-sided p value in (0, 1] that goes with it."""

    interval: Interval
    p: float


def effect(a: Values, b: Values) -> Effect:
    """Return both means and their difference, absolute and in % of the baseline's mean.

    Raises:
        ValueError: as `differences`.
    """
    deltas = paired_differences(a, b)
    if not len(deltas):
        return Effect(0, None, None, None, None)
    baseline, compared = float(np.mean(a)), float(np.mean(b))
    difference = float(deltas.mean())
    return Effect(len(deltas), baseline, compared, difference, 100 * difference / baseline if baseline else None)


def wins(a: Values, b: Values) -> Wins:
    """Count the queries on which `b` is above, level with and below `a`; greater values are better.

    Raises:
        ValueError: as `differences`.
    """
    deltas = paired_differences(a, b)
    above, below = int((deltas > 0).sum()), int((deltas < 0).sum())
    return Wins(above, len(deltas) - above - below, below)


def paired_t(a: Values, b: Values, clusters: Sequence[str] | None = None) -> float | None:
    """Test that the mean difference is 0; return the two-sided p value of Student's t, in (0, 1].

    It has as many degrees of freedom as clusters less one. Each query is its own cluster unless `clusters` names one
    for each; then the standard error is that of a ratio of sums over clusters (Cochran 1977, Sampling Techniques,
    section 9A.2 with equal chances), which for clusters of one query is the usual one. If all queries tie, p is 1.
    None, as undefined, for fewer than two clusters and where all differences are the same and not 0.

    Raises:
        ValueError: as `differences`, or if there is not one cluster per query.
    """
    from scipy.special import stdtr

    deltas = paired_differences(a, b)
    groups = clustered(deltas, clusters)
    n = len(groups.sizes)
    if n < 2:
        return None
    if not deltas.any():
        return 1.0
    mean, error = float(groups.mean[0]), standard_error(groups)
    if error <= ROUNDING * abs(mean):
        return None
    # The p value of a great t is less than the smallest number; it is still above 0.
    return max(2 * float(stdtr(n - 1, -abs(mean / error))), float(np.finfo(np.float64).tiny))


def sign_flip(
    a: Values, b: Values, seed: int = 0, draws: int = DRAWS, clusters: Sequence[str] | None = None
) -> float | None:
    """Test that each difference could as well have the other sign; return the two-sided mid-p value in (0, 1].

    It is the share of assignments of signs whose sum is further from 0 than the one observed, and half of those as far
    ("mid-p": where most queries tie, the usual p value is too careful). Differences of graded answers are multiples of
    one step, and all assignments are counted, as they are with up to 20 untied queries of any kind; else `draws` are
    drawn, and the assignment observed counts as one of them. The queries of a cluster change sign together. Neither the
    order of the queries nor which system comes first changes the value. If all queries (the sums of all clusters) tie,
    it is 1; without queries it is None.

    Raises:
        ValueError: as `differences`, or if there is not one cluster per query.
    """
    deltas = paired_differences(a, b)
    if not len(deltas):
        return None
    sums = clustered(deltas, clusters).sums[:, 0]
    parts = sums[sums != 0]
    if not len(parts):
        return 1.0
    return sign_flip_tail(parts, seed, draws)


def paired_bootstrap(a: Values, b: Values, seed: int = 0, resamples: int = RESAMPLES) -> PairedBootstrap | None:
    """Resample queries for a 95 % interval of the mean difference, and test by it.

    The ends are percentiles of the resampled means, spread for small n (`expanded_percentiles`). Percentiles and not
    bootstrap-t, because most queries of two retrievers tie: at 25 queries bootstrap-t covers .85–.87, this .90–.93. The
    p value is the level at which an end of the interval meets 0; it is somewhat too small for few queries, so that the
    permutation decides. Swapping the systems mirrors the interval exactly. None for fewer than two queries.

    Raises:
        ValueError: as `differences`.
    """
    deltas = paired_differences(a, b)
    n = len(deltas)
    if n < 2:
        return None
    sample, mirrored = np.sort(deltas).tolist(), np.sort(0.0 - deltas).tolist()
    # One of the two mirror images is resampled, whichever system comes first.
    swapped = mirrored > sample
    means = _resampled_means(np.asarray(mirrored if swapped else sample), seed, resamples)
    ends = quantiles(means, expanded_percentiles(_TAIL, n))
    if sample == mirrored:
        ends = ends.symmetric
    below = float((means < 0).sum() + ((means == 0).sum() + 1) / 2) / (resamples + 1)
    return PairedBootstrap(ends.mirrored if swapped else ends, _level_at(min(below, 1 - below), n))


def _resampled_means(sample: Array, seed: int, resamples: int) -> Array:
    generator = np.random.default_rng(seed)
    n = len(sample)
    rows = max(1, _CELLS // n)
    return np.concatenate(
        [
            sample[generator.integers(0, n, size=(min(rows, resamples - start), n))].mean(axis=1)
            for start in range(0, resamples, rows)
        ]
    )


def _level_at(tail: float, n: int) -> float:
    """Return the two-sided p value of a percentile: the inverse of `expanded_percentiles`."""
    from scipy.special import ndtri, stdtr

    return 2 * float(stdtr(n - 1, ((n - 1) / n) ** 0.5 * ndtri(tail)))


def paired_differences(a: Values, b: Values) -> Array:
    """Return `b − a` for each query, with 0 for what is rounding.

    Raises:
        ValueError: if the two are not of the same length, or a value is no finite number.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"paired values must be of the same queries: {first.shape} against {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("paired values must be finite numbers")
    deltas = second - first
    deltas[np.abs(deltas) <= ROUNDING * np.maximum(np.abs(first), np.abs(second))] = 0.0
    return deltas

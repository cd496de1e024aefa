"""Confidence intervals of means over queries.

Judge, reader and other languages are taken as fixed: the intervals speak of the choice of queries alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.clusters import Clustered, clustered, design_effect
from ragaliq.metrics.weights import WEIGHTS

Array = NDArray[np.float64]

RESAMPLES = 10_000
# With fewer clusters that differ from the commonest, resamples with hardly any spread decide the ends of bootstrap-t.
THIN = 15
# The prior's queries at each end of the range (Jeffreys' prior, where these are the only values).
PRIOR_AT_AN_END = 0.5
# Sums are rounded to this many digits, so that the order of adding up does not show.
_DIGITS = 12
# Up to so many different values a resample is drawn as counts; with more, value by value.
_FEW_VALUES = 64
# Resamples are drawn some at a time, so that memory does not grow with the queries.
_CELLS = 500_000


class Interval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float

    @property
    def mirrored(self) -> Interval:
        """The interval of the same quantity with the other sign."""
        return Interval(0.0 - self.high, 0.0 - self.low)

    @property
    def symmetric(self) -> Interval:
        """An interval of the same width about 0: that of a sample which is its own mirror image, whatever the draws."""
        return Interval(0.0 - self.half_width, self.half_width)

    @property
    def half_width(self) -> float:
        """Half of its width."""
        return (self.high - self.low) / 2


def quantiles(values: Array, shares: Sequence[float]) -> Interval:
    """Return what lies between two quantiles of values."""
    low, high = np.quantile(values, shares)
    return Interval(float(low), float(high))


def share_interval(successes: float, n: float) -> Interval:
    """Return Wilson's score interval of a share, without continuity correction (Wilson 1927, eq. 5).

    With p = successes / n and z the normal quantile at .975:
    (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n). It lies in 0..1, holds p, and is not empty at p = 0 or 1; the
    ends there are exactly 0 and 1.
    """
    p, z = successes / n, NormalDist().inv_cdf(0.975)
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends of the scale rounding leaves the last digits off 0 and 1.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return Interval(low, high)


def mean_interval(
    values: Sequence[float],
    level: float = 0.95,
    seed: int = 0,
    clusters: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
) -> Interval | None:
    """Return the interval of a mean over queries by bootstrap-t, resampling clusters.

    Each value is one query's; each query is its own cluster unless `clusters` names one for each. Every resample's mean
    is taken in units of its own standard error (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section
    12.5). Where fewer than 15 clusters differ from the commonest value, too many resamples lack spread, and percentiles
    spread for small n are taken instead (see `expanded_percentiles`). The interval is cut off at the least and the
    greatest value. Values with the other sign have the mirrored interval. Equal values leave no doubt here, however
    few: where their range is known use `value_interval`. None for fewer than two clusters.

    Raises:
        ValueError: if there is not one cluster per value, or a value is no finite number.
    """
    groups = clustered(np.asarray(values, dtype=np.float64), clusters)
    if len(groups.sizes) < 2:
        return None
    sides = [_counted(Clustered(sign * groups.sums, groups.sizes)) for sign in (1.0, -1.0)]
    # Of the two mirror images that with the greater sum is resampled, whatever the signs of the values.
    turned = sides[1].order > sides[0].order
    sample = sides[turned]
    drawn = _resampled(sample, seed, resamples)
    if sample.thin:
        ends = quantiles(drawn[:, 0] / drawn[:, 1], expanded_percentiles((1 - level) / 2, len(groups.sizes)))
    else:
        ends = _bootstrap_t(sample, drawn, level)
    low, high = ends.mirrored if turned else ends.symmetric if sides[0].order == sides[1].order else ends
    return Interval(max(low, float(min(values))), min(high, float(max(values))))


def value_interval(
    values: Sequence[float] | Array,
    low: float,
    high: float,
    level: float = 0.95,
    seed: int = 0,
    clusters: Sequence[str] | None = None,
) -> Interval | None:
    """Return the interval of a mean over queries, whose values can be anything from `low` to `high`.

    The shares of the values observed and of the two ends have a Dirichlet posterior: a query weighs one, and the prior
    half a query at each end. The interval is equal-tailed and always holds the mean observed. Where all values are the
    same, an end is where the chance of seeing no other value is half of 1 − `level`, if the others were at the end of
    the range (Clopper and Pearson 1934, Biometrika 26): nothing but ties leaves doubt, too. Each query is its own
    cluster unless `clusters` names one for each; then clusters are weighed, and what the prior adds counts for one more
    query than the design effect, and no more than a cluster of average size.
    The interval lies within the range; its ends are exactly mirrored where values and range are. None without values.

    Raises:
        ValueError: if a value is out of the range or no finite number, or there is not one cluster per value.
    """
    sample = np.asarray(values, dtype=np.float64)
    if not len(sample):
        return None
    groups = clustered(sample, clusters)
    slack = 1e-9 * (high - low)
    if float(sample.min()) < low - slack or float(sample.max()) > high + slack:
        raise ValueError(f"values must be within {low:g} and {high:g}")
    mean = float(groups.mean[0])
    if float(np.ptp(sample)) <= slack:
        other = 1 - ((1 - level) / 2) ** (1 / len(groups.sizes))
        return Interval(mean - other * (mean - low), mean + other * (high - mean))
    centre = (low + high) / 2
    sums = np.round(groups.sums[:, 0] - centre * groups.sizes, _DIGITS)
    size = min(float(groups.sizes.mean()), 1 + design_effect(sample, groups))
    tail = _tail_of_unlike(groups.sizes, (1 - level) / 2)
    ends = _posterior(np.column_stack([sums, groups.sizes]), (high - centre, size), tail, seed)
    # The prior draws both ends to the middle: an interval that leaves out its own estimate would be misread.
    return Interval(min(centre + ends.low, mean), max(centre + ends.high, mean))


def weight_interval(
    grades: Sequence[int], level: float = 0.95, seed: int = 0, clusters: Sequence[str] | None = None
) -> Interval | None:
    """Return the interval of the mean weight w̄ of grades 0..5: `value_interval` of weights in 0..1.

    None for fewer than two clusters.

    Raises:
        ValueError: if there is not one cluster per grade, or a grade is off the scale 0..5.
    """
    if any(grade not in WEIGHTS for grade in grades):
        raise ValueError(f"a grade is one of 0..5, not {next(grade for grade in grades if grade not in WEIGHTS)}")
    if len(set(range(len(grades)) if clusters is None else clusters)) < 2:
        return None
    return value_interval([WEIGHTS[grade] for grade in grades], 0.0, 1.0, level, seed, clusters)


@dataclass(frozen=True, slots=True)
class _Sample:
    """Clusters counted by their sum and size: one row of `features` for each kind of cluster.

    The features are sum, size, sum², sum · size, size²: what mean and standard error of a resample are made of.
    """

    features: Array
    counts: NDArray[np.int64]

    @property
    def order(self) -> tuple[float, list[list[float]], list[int]]:
        """What orders samples: the sum first, exactly; equal for samples of the same clusters."""
        return fsum(self.counts * self.features[:, 0]), self.features[:, :2].tolist(), self.counts.tolist()

    @property
    def thin(self) -> bool:
        """Whether fewer than 15 clusters differ from the commonest mean."""
        _, same = np.unique(np.round(self.features[:, 0] / self.features[:, 1], 9), return_inverse=True)
        return int(self.counts.sum() - np.bincount(same, weights=self.counts).max()) < THIN


def _counted(groups: Clustered) -> _Sample:
    kinds, counts = np.unique(np.column_stack([groups.sums[:, 0], groups.sizes]), axis=0, return_counts=True)
    sums, sizes = kinds.T
    return _Sample(np.column_stack([sums, sizes, sums**2, sums * sizes, sizes**2]), counts)


def _bootstrap_t(sample: _Sample, drawn: Array, level: float) -> Interval:
    clusters = int(sample.counts.sum())
    (mean,), (error,) = _means_and_errors(sample.counts[None] @ sample.features, clusters)
    means, errors = _means_and_errors(drawn, clusters)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(means == mean, 0.0, (means - mean) / errors)
    low, high = quantiles(t, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(mean - high * error), float(mean - low * error))


def _means_and_errors(totals: Array, clusters: int) -> tuple[Array, Array]:
    sums, sizes, squares, products, square_sizes = totals.T
    means = sums / sizes
    rest = np.maximum(squares - 2 * means * products + means**2 * square_sizes, 0.0)
    return means, np.sqrt(clusters / (clusters - 1) * rest) / sizes


def _resampled(sample: _Sample, seed: int, resamples: int) -> Array:
    """Return the summed features of each resample."""
    generator = np.random.default_rng(seed)
    clusters, kinds = int(sample.counts.sum()), len(sample.counts)
    # Six grades make a resample a multinomial over counts, which does not grow with the queries.
    if kinds <= _FEW_VALUES:
        drawn = generator.multinomial(clusters, sample.counts / clusters, size=resamples)
        few: Array = drawn @ sample.features
        return few
    kind = np.repeat(np.arange(kinds), sample.counts)
    rows = max(1, _CELLS // clusters)
    totals = []
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        picked = kind[generator.integers(0, clusters, size=(count, clusters))] + kinds * np.arange(count)[:, None]
        drawn = np.bincount(picked.ravel(), minlength=count * kinds).reshape(count, kinds)
        totals.append(drawn @ sample.features)
    return np.concatenate(totals)


def _tail_of_unlike(sizes: Array, tail: float) -> float:
    """Return a lesser tail where clusters have unlike sizes.

    They tell as much as (Σ sizes)² / Σ sizes² equal ones, and the spread that these lack is `expanded_percentiles`'.
    """
    from scipy.special import ndtr, ndtri

    equal = float(sizes.sum()) ** 2 / float((sizes**2).sum())
    if equal > len(sizes) - 1e-9 or equal < 1 + 1e-9:
        return tail
    wide, narrow = (float(ndtri(expanded_percentiles(tail, n)[0])) for n in (max(2.0, equal), len(sizes)))
    return float(ndtr(ndtri(tail) * wide / narrow))


def _posterior(clusters: Array, end: tuple[float, float], tail: float, seed: int) -> Interval:
    """Return the interval for rows of (sum, size), mirrored where the sums are; `end` is ± a value, and its size."""
    sides = [_kinds(clusters * [sign, 1.0]) for sign in (1.0, -1.0)]
    # Of the two mirror images that with the greater sum is drawn from, whichever system comes first.
    orders = [(fsum(counts * kinds[:, 0]), kinds.tolist(), counts.tolist()) for kinds, counts in sides]
    turned = orders[1] > orders[0]
    kinds, counts = sides[turned]
    generator, rows = np.random.default_rng(seed), max(1, _CELLS // (len(counts) + 2))
    shapes = np.concatenate([counts, [PRIOR_AT_AN_END, PRIOR_AT_AN_END]])
    reach, size = end
    all_kinds = np.vstack([kinds, [[-reach * size, size], [reach * size, size]]])
    drawn = np.concatenate(
        [
            generator.standard_gamma(shapes, size=(min(rows, RESAMPLES - start), len(shapes))) @ all_kinds
            for start in range(0, RESAMPLES, rows)
        ]
    )
    ends = quantiles(drawn[:, 0] / drawn[:, 1], [tail, 1 - tail])
    return ends.mirrored if turned else ends.symmetric if orders[0] == orders[1] else ends


def _kinds(clusters: Array) -> tuple[Array, Array]:
    """Return each kind of row once, and how often it is there."""
    kinds, counts = np.unique(clusters + 0.0, axis=0, return_counts=True)
    return kinds, counts.astype(np.float64)


def expanded_percentiles(tail: float, n: float) -> list[float]:
    """Return the two percentiles to take for `tail` on each side: a bootstrap's spread lacks √(n / (n − 1)).

    Hesterberg 2015, The American Statistician 69(4), section 5, "expanded percentiles".
    """
    from scipy.special import ndtr, stdtrit

    low = float(ndtr((n / (n - 1)) ** 0.5 * stdtrit(n - 1, tail)))
    return [low, 1 - low]

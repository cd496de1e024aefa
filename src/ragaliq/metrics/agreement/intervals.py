"""Confidence intervals of measures of agreement, by resampling queries."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ragaliq.metrics.agreement.coefficients import N_GRADES, Array, confusion, measures
from ragaliq.metrics.statistics.intervals import Interval, quantiles

RESAMPLES = 3_000
_LEVEL = 0.95
# An interval over fewer queries says more about the method than about the judge.
LEAST_CLUSTERS = 10
# Resamples in which a measure is undefined are left out; where that happens more often, there is no interval.
_MOST_UNDEFINED = 0.05
_ROWS = 500


def agreement_intervals(
    verdicts: Sequence[int], labels: Sequence[int], clusters: Sequence[Hashable], seed: int = 0
) -> dict[str, Interval | None]:
    """Return a 95 % interval for each measure of `ragaliq.metrics.agreement.coefficients.measures`, by name.

    Whole clusters are drawn again, as a query's answers in several languages or from several systems are not
    independent. The interval is BCa (Efron 1987): percentiles corrected for bias and skew, the skew from leaving out
    one cluster at a time. Simulated with a judge of QWK .89 it covers .90–.96 at 60 and .92–.96 at 120 items; at 30
    items κ and AC2 cover .83–.89 only. It is None for fewer than 10 clusters, where a measure is undefined, where all
    resamples give the same value (as for two graders that never differ), and where it is undefined in more than 5 % of
    them. The order of the items and the names of the clusters do not change it.

    Raises:
        ValueError: as `ragaliq.metrics.agreement.coefficients.agreement`, or if there is not one cluster for each item.
    """
    if len(clusters) != len(verdicts):
        raise ValueError(f"{len(clusters)} clusters are not those of {len(verdicts)} items")
    total = confusion(verdicts, labels).astype(np.float64)
    tables = _tables(verdicts, labels, clusters)
    estimates = measures(total)
    if len(tables) < LEAST_CLUSTERS:
        return dict.fromkeys(estimates)
    resampled = _resampled(tables, seed)
    left_out = measures(total - tables)
    return {name: _bca(float(value), resampled[name], left_out[name]) for name, value in estimates.items()}


def _tables(verdicts: Sequence[int], labels: Sequence[int], clusters: Sequence[Hashable]) -> Array:
    """Return the table of each cluster, in an order that does not depend on the items' order."""
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    tables = np.zeros((len(places), N_GRADES, N_GRADES))
    np.add.at(tables, tuple(np.array([[places[cluster] for cluster in clusters], verdicts, labels], dtype=np.intp)), 1)
    return tables[np.lexsort(tables.reshape(-1, N_GRADES**2).T)]


def _resampled(tables: Array, seed: int) -> dict[str, Array]:
    generator = np.random.default_rng(seed)
    n = len(tables)
    flat = tables.reshape(n, -1)
    blocks = []
    for start in range(0, RESAMPLES, _ROWS):
        rows = min(_ROWS, RESAMPLES - start)
        drawn = generator.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)
        blocks.append(measures((counts @ flat).reshape(rows, N_GRADES, N_GRADES)))
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def _bca(estimate: float, resampled: Array, left_out: Array) -> Interval | None:
    from scipy.special import ndtr, ndtri

    values = resampled[~np.isnan(resampled)]
    if np.isnan(estimate) or len(values) < (1 - _MOST_UNDEFINED) * len(resampled):
        return None
    rounding = 1e-12
    if np.ptp(values) <= rounding:
        return None
    # Values level with the estimate count half: measures of few items take few values.
    below = np.mean(values < estimate - rounding) + np.mean(np.abs(values - estimate) <= rounding) / 2
    bias = float(ndtri(np.clip(below, 1 / len(values), 1 - 1 / len(values))))
    pulls = np.nanmean(left_out) - left_out[~np.isnan(left_out)]
    spread = float((pulls**2).sum()) ** 1.5
    skew = float((pulls**3).sum()) / (6 * spread) if spread > 0 else 0.0
    ends = []
    for tail in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2):
        z = bias + float(ndtri(tail))
        ends.append(float(ndtr(bias + z / max(1 - skew * z, rounding))))
    return quantiles(values, ends)

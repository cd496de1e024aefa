"""The mean that people would give, from few labels and many verdicts of a judge."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.intervals import Interval

Array = NDArray[np.float64]
# Fewer labelled queries are refused, fewer than the second number are warned of.
LEAST_LABELLED = 10
ENOUGH_LABELLED = 60
_FOLDS = 10


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean over `n` values with its interval; the interval is None where the values do not differ."""

    n: int
    mean: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Values:
    """Values of one kind of rows, with the cluster (the query) of each.

    `judged` are the judge's values. `labelled` are those of people for the same rows; empty for unlabelled rows.
    `weights` are what each row counts for in the mean, above 0; empty: all the same.
    """

    judged: Sequence[float] | Array
    clusters: Sequence[Hashable]
    labelled: Sequence[float] | Array = ()
    weights: Sequence[float] | Array = ()


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """Three estimates of the same mean.

    Attributes:
        n_labelled: rows with a label.
        n_unlabelled: rows that only the judge graded.
        n_clusters: queries with a label; the degrees of freedom are one less.
        classical: from the labels alone.
        judge_only: from the judge's values of all rows. Its interval leaves the judge's bias out.
        prediction_powered: from both.
        power: λ, the mean over the folds, in 0..1; 0 takes no notice of the judge.
        shift: t value of the judge's values on labelled less unlabelled rows; far from 0 the labels were not drawn
            from the same answers. None where they do not differ.
    """

    n_labelled: int
    n_unlabelled: int
    n_clusters: int
    classical: MeanEstimate
    judge_only: MeanEstimate
    prediction_powered: MeanEstimate
    power: float
    shift: float | None


def prediction_powered(
    labelled: Values, unlabelled: Values, possible: Sequence[float] = (), seed: int = 0
) -> PredictionPowered | None:
    """Estimate a mean by prediction-powered inference, PPI++ (Angelopoulos, Duchi, Zrnic 2023, arXiv 2311.01453).

    The estimate is the mean over folds of λ·mean(f of unlabelled) + mean(y − λ·f of the fold's labelled rows), for the
    labels y and the judge's values f. Labelled rows are not in the first term. λ is cov(y, f) / ((1 + n/N)·var(f)),
    cut to 0..1, and cross-fitted: each fold's comes from the other folds, so that no label helps to choose its own
    λ. The variance is that of the sums over clusters, of both terms together, as a query may be labelled in one
    language and not in another. Intervals: 95 %, Student's t with (labelled clusters − 1) degrees of freedom.

    `possible` are the values that a label can take. Where they are given, the two intervals that rest on labels are
    those with one more label, spread evenly over them and unknown to the judge, as a Dirichlet prior of 1/6 for each
    grade adds one; the estimates stay as they are. Without it few labels, and labels that are nearly all the same, make
    the intervals too narrow: at 95 % fives they cover .80 with 60 labels, and .49 with 15.

    The values may be weights of grades in 0..1, or differences of weights between two systems on the same query, with
    labels for both. The labelled rows must be a random draw from the same queries, languages and systems; where systems
    have unlike shares of the labels, `weights` of the two terms give each its share back (post-stratification), and
    every mean above is a weighted one; "judge only" is the plain mean of all rows.

    Returns None for fewer than 10 labelled clusters, or without unlabelled rows in two clusters.

    Raises:
        ValueError: if the lengths do not fit, a value is no finite number, or a weight is not above 0.
    """
    rows = _rows(labelled, unlabelled)
    n_clusters = len(np.unique(rows.labelled))
    if n_clusters < LEAST_LABELLED or len(np.unique(rows.unlabelled)) < 2:
        return None
    y, f, g, n = rows.y, rows.f, rows.g, rows.n_clusters
    w, v = rows.weights
    powers = _powers(rows, seed)
    power, rest = float(powers.mean()), y - powers * f
    pulls = _pulls(rest, rows.labelled, n, w) + power * _pulls(g, rows.unlabelled, n, v)
    judged, everyone = np.concatenate([f, g]), np.concatenate([rows.labelled, rows.unlabelled])
    apart = _error(_pulls(f, rows.labelled, n, w) - _pulls(g, rows.unlabelled, n, v))
    one_more = _OneMore.of(possible, (w * y).mean(), n_clusters)
    estimate, same = power * (v * g).mean() + (w * rest).mean(), np.ones(len(judged))
    return PredictionPowered(
        n_labelled=len(y),
        n_unlabelled=len(g),
        n_clusters=n_clusters,
        classical=_estimate(len(y), (w * y).mean(), _pulls(y, rows.labelled, n, w), n_clusters, one_more),
        judge_only=_estimate(len(judged), judged.mean(), _pulls(judged, everyone, n, same), n),
        prediction_powered=_estimate(len(judged), estimate, pulls, n_clusters, one_more),
        power=power,
        shift=float((w * f).mean() - (v * g).mean()) / apart if apart > 0 else None,
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """Labels `y` and judged values `f` of the labelled rows, judged values `g` of the others, clusters as numbers.

    `weights` of the labelled rows and of the others, with a mean of 1 each.
    """

    y: Array
    f: Array
    g: Array
    labelled: NDArray[np.int64]
    unlabelled: NDArray[np.int64]
    n_clusters: int
    weights: tuple[Array, Array]


def _rows(labelled: Values, unlabelled: Values) -> _Rows:
    y, f, g = (np.asarray(v, dtype=np.float64) for v in (labelled.labelled, labelled.judged, unlabelled.judged))
    if not (len(f) == len(y) == len(labelled.clusters) and len(g) == len(unlabelled.clusters)):
        raise ValueError(
            "a labelled row needs a judged value, a label and a cluster; an unlabelled one all but a label"
        )
    if not all(np.isfinite(values).all() for values in (y, f, g)):
        raise ValueError("values must be finite numbers")
    # Sorted, so that folds do not depend on the order of the rows; unlabelled ones are in no fold.
    clusters = dict.fromkeys((*sorted(set(labelled.clusters), key=repr), *unlabelled.clusters))
    index = {cluster: place for place, cluster in enumerate(clusters)}
    labelled_numbers, unlabelled_numbers = (
        np.array([index[cluster] for cluster in rows.clusters], dtype=np.int64) for rows in (labelled, unlabelled)
    )
    weights = _weights(labelled), _weights(unlabelled)
    return _Rows(y, f, g, labelled_numbers, unlabelled_numbers, len(index), weights)


def _weights(values: Values) -> Array:
    weights = np.asarray(values.weights, dtype=np.float64) if len(values.weights) else np.ones(len(values.judged))
    if len(weights) != len(values.judged) or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise ValueError("weights are finite numbers above 0, one for each row")
    scaled: Array = weights / weights.mean() if len(weights) else weights
    return scaled


@dataclass(frozen=True, slots=True)
class _OneMore:
    """What a label spread over all possible values does to a mean: how far it moves it, and the variance it adds."""

    shift: float = 0.0
    variance: float = 0.0

    @classmethod
    def of(cls, possible: Sequence[float], mean: np.floating[Any], n_clusters: int) -> _OneMore:
        if not len(possible):
            return cls()
        apart = np.asarray(possible, dtype=np.float64) - float(mean)
        return cls(float(apart.mean()) / (n_clusters + 1), float((apart**2).mean()) / (n_clusters + 1) ** 2)


def _powers(rows: _Rows, seed: int) -> Array:
    """Return λ for each labelled row, from the rows of the other folds; a cluster is in one fold."""
    names = np.unique(rows.labelled)
    folds = np.random.default_rng(seed).permutation(len(names)) % _FOLDS
    fold_of_row = folds[np.searchsorted(names, rows.labelled)]
    powers = np.zeros(len(rows.y))
    for fold in range(_FOLDS):
        inside = fold_of_row == fold
        powers[inside] = _power(rows.y[~inside], rows.f[~inside], rows.g)
    return powers


def _power(y: Array, f: Array, g: Array) -> float:
    spread = float(np.var(np.concatenate([f, g])))
    if spread == 0:
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).sum()) / (len(y) - 1)
    return float(np.clip(together / ((1 + len(y) / len(g)) * spread), 0.0, 1.0))


def _pulls(values: Array, clusters: NDArray[np.int64], n: int, weights: Array) -> Array:
    """Return what each of `n` clusters adds to the error of the weighted mean, widened as few clusters need it."""
    count = len(np.unique(clusters))
    centred = weights * (values - (weights * values).mean())
    sums = np.bincount(clusters, weights=centred, minlength=n).astype(np.float64)
    widened: Array = sums / len(values) * (count / (count - 1)) ** 0.5
    return widened


def _error(pulls: Array) -> float:
    return float(np.sqrt((pulls**2).sum()))


def _estimate(
    n: int, mean: np.floating[Any], pulls: Array, n_clusters: int, one_more: _OneMore = _OneMore()
) -> MeanEstimate:
    from scipy.special import stdtrit

    centre = float(mean) + one_more.shift
    error = (_error(pulls) ** 2 + one_more.variance) ** 0.5
    if error <= 1e-12:
        return MeanEstimate(n, float(mean), None)
    half = float(stdtrit(n_clusters - 1, 0.975)) * error
    return MeanEstimate(n, float(mean), Interval(centre - half, centre + half))

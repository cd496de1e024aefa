"""Aggregates of answer grades: the weighted score, means, counts, coverage and bounds.

The square comes from the RAGaliq sources (README, "Scoring").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median

from ragaliq.metrics.statistics.intervals import Interval, weight_interval
from ragaliq.metrics.statistics.lost_values import lost_bounds, lost_interval
from ragaliq.metrics.statistics.ranks.new_sample import new_sample_interval
from ragaliq.metrics.weights import WEIGHTS as WEIGHTS

GRADES = (5, 4, 3, 2, 1, 0)
_LEAST, _GREATEST = min(WEIGHTS.values()), max(WEIGHTS.values())


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Aggregates of one run in one language, over its answerable queries.

    A value that is not defined (nothing scored, no grade above 0) is None, never 0 and never NaN.

    Attributes:
        n: number of rows, with or without a grade.
        n_expected: number of queries that should have a row; None if unknown.
        n_scored: number of rows with a grade.
        coverage: `n_scored / n_expected`, in 0..1.
        weighted_score: `mean_weight ** 2`, in 0..1.
        mean_with_zeros: mean grade, in 0..5.
        mean_nonzero: mean of the grades above 0, in 1..5.
        median_nonzero: median of the grades above 0; the mean of the middle two if their number is even.
        percentage: `mean_nonzero / 5 * 100`.
        percentage_with_zero: `mean_with_zeros / 5 * 100`.
        counts: how often each grade was given.
        mean_weight: mean of the grades' weights, in 0..1; differences and tests are made on this one, because squares
            do not add.
        weighted_score_ci: 95 % interval of `mean_weight` (see `weight_interval`), its ends squared.
        weighted_score_bounds: `weighted_score` if every missing grade took the least weight, then the greatest.
        weighted_score_bounds_ci: 95 % interval of `weighted_score` over all rows, whatever weight the missing grades
            take (see `lost_interval`), its ends squared; without a missing grade it is `weighted_score_ci`.
    """

    n: int
    n_expected: int | None
    n_scored: int
    coverage: float | None
    weighted_score: float | None
    mean_with_zeros: float | None
    mean_nonzero: float | None
    median_nonzero: float | None
    percentage: float | None
    percentage_with_zero: float | None
    counts: dict[int, int]
    mean_weight: float | None
    weighted_score_ci: Interval | None
    weighted_score_bounds: Interval | None
    weighted_score_bounds_ci: Interval | None

    @property
    def mean_weight_ci(self) -> Interval | None:
        """The 95 % interval of `mean_weight`."""
        squared = self.weighted_score_ci
        return None if squared is None else Interval(sqrt(squared.low), sqrt(squared.high))

    @property
    def new_sample_ci(self) -> Interval | None:
        """The 95 % interval of `weighted_score` on as many other queries: that of `mean_weight`, its ends squared."""
        interval = self.mean_weight_ci
        if self.mean_weight is None or interval is None:
            return None
        return _squared(new_sample_interval(self.mean_weight, interval, self.n_scored))


def aggregate(grades: Sequence[int | None], n_expected: int | None = None, seed: int = 0) -> Aggregates:
    """Aggregate the grades of one run in one language; None stands for a row without a grade.

    The grades are taken in sorted order, so the result does not depend on the order of the rows.

    Raises:
        ValueError: if a grade is off the scale 0..5, or there are more rows than expected.
    """
    scored = sorted(grade for grade in grades if grade is not None)
    if any(grade not in WEIGHTS for grade in scored):
        raise ValueError(f"a grade is one of 0..5, not {next(g for g in scored if g not in WEIGHTS)}")
    if n_expected is not None and len(grades) > n_expected:
        raise ValueError(f"{len(grades)} rows are more than the {n_expected} expected")
    weights = [WEIGHTS[grade] for grade in scored]
    nonzero = [grade for grade in scored if grade > 0]
    mean_weight = fmean(weights) if weights else None
    mean = fmean(scored) if scored else None
    mean_nonzero = fmean(nonzero) if nonzero else None
    everything = [*weights, *[None] * (max(n_expected or 0, len(grades)) - len(weights))]
    interval = weight_interval(scored, seed=seed)
    lost = lost_interval(everything, _LEAST, _GREATEST, seed=seed) if None in everything else interval
    return Aggregates(
        n=len(grades),
        n_expected=n_expected,
        n_scored=len(scored),
        coverage=len(scored) / n_expected if n_expected else None,
        weighted_score=None if mean_weight is None else mean_weight**2,
        mean_with_zeros=mean,
        mean_nonzero=mean_nonzero,
        median_nonzero=float(median(nonzero)) if nonzero else None,
        percentage=None if mean_nonzero is None else mean_nonzero / 5 * 100,
        percentage_with_zero=None if mean is None else mean / 5 * 100,
        counts={grade: scored.count(grade) for grade in GRADES},
        mean_weight=mean_weight,
        weighted_score_ci=_squared(interval),
        weighted_score_bounds=_squared(lost_bounds(everything, _LEAST, _GREATEST)),
        weighted_score_bounds_ci=_squared(lost),
    )


def _squared(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(interval.low**2, interval.high**2)

"""Intervals, differences and rank sets of numbers that are in memory: what the commands compute, as functions.

Values are those of one metric, one for each item; greater is better. A list, a tuple, a numpy array or a pandas Series
holds those of one system; a table of them is systems × items, a numpy array, a list of lists or a pandas DataFrame with
a row for each system. Truth values count as 0 and 1; `None`, NaN and pandas' NA are missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
from ragaliq.metrics.numbers_in_memory import as_numbers, cluster_names, in_order_of, table_of
from ragaliq.metrics.statistics.differences import difference_interval
from ragaliq.metrics.statistics.intervals import Interval, value_interval
from ragaliq.metrics.statistics.ranks.rank_sets import simultaneous
from ragaliq.metrics.statistics.significance import paired_differences

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    Values = Sequence[float | None] | NDArray[Any] | Series[Any]
    Table = Sequence[Values] | NDArray[Any] | DataFrame
    Names = Sequence[object] | NDArray[Any] | Series[Any]

Array = NDArray[np.float64]
Range = tuple[float, float]


class Difference(NamedTuple):
    """What two systems differ by on the same items.

    Attributes:
        estimate: mean of the second system less mean of the first, the baseline.
        low: the lower end of its interval.
        high: the upper end.
        p: two-sided mid-p value of the sign-flip permutation, in (0, 1].
    """

    estimate: float
    low: float
    high: float
    p: float


class Ranks(NamedTuple):
    """The ranks that the data leave to a system; rank 1 is the best of all."""

    best: int
    worst: int


def interval(
    scores: Values, clusters: Names | None = None, level: float = 0.95, *, bounds: Range | None = None, seed: int = 0
) -> Interval:
    """Return the interval `(low, high)` of a mean over items, which are taken as a sample of many more.

    It is `value_interval` (docs/statistics.md), as in the commands. Missing values are left out, with a warning.

    Args:
        scores: a value for each item.
        clusters: what each item belongs to, such as its question where items are its translations; None: each is alone.
        level: the share of samples whose interval holds the mean.
        bounds: the least and the greatest value possible. None: 0 and 1 where all values are within, else the least
            and the greatest of them, which have to differ.
        seed: of the draws.

    Raises:
        RagaliqError: if the values or clusters are of a wrong type or shape, or of fewer than two clusters.
    """
    _check_drawing(level, seed, "interval")
    column = as_numbers(scores, "interval: scores")
    groups = cluster_names(clusters, scores, len(column), "interval")
    kept = _present(~np.isnan(column), "interval", "have no value")
    values, groups = column[kept], _taken(groups, kept)
    _check_count(groups, len(values), "interval")
    low, high = _bounded(values, bounds, "interval")
    return _known(value_interval(values, low, high, level, seed, groups))


def difference(
    a: Values,
    b: Values,
    clusters: Names | None = None,
    level: float = 0.95,
    *,
    bounds: Range | None = None,
    seed: int = 0,
) -> Difference:
    """Return `(estimate, low, high, p)` of the mean of `b` less that of `a`, on the same items.

    They are the figures of `ragaliq compare` of these two. Two Series are joined by their index, anything else by
    place. Items that one of them lacks are left out, with a warning.

    Args:
        a: the baseline's value for each item.
        b: the other system's.
        clusters: as in `interval`.
        level: the share of samples whose interval holds the difference.
        bounds: the least and the greatest value possible, as in `interval`.
        seed: of the draws.

    Raises:
        RagaliqError: if the values or clusters are of a wrong type or shape, or of fewer than two clusters.
    """
    _check_drawing(level, seed, "difference")
    first, second = as_numbers(a, "difference: a"), as_numbers(in_order_of(b, a, "difference: b"), "difference: b")
    if len(first) != len(second):
        raise InputError(f"difference: a has {len(first)} items and b has {len(second)}; give the same items in both")
    groups = cluster_names(clusters, a, len(first), "difference")
    kept = _present(~(np.isnan(first) | np.isnan(second)), "difference", "lack a value of a or b")
    table, groups = np.column_stack([first, second])[kept], _taken(groups, kept)
    _check_count(groups, len(table), "difference")
    low, high = _bounded(table, bounds, "difference")
    pair = simultaneous(table, seed, level, groups).pairs[0]
    deltas = paired_differences(table[:, 0], table[:, 1])
    ends = _known(difference_interval(deltas, high - low, level, seed, groups))
    return Difference(pair.difference, ends.low, ends.high, pair.p_sign_flip)


def rank_sets(scores: Table, clusters: Names | None = None, level: float = 0.95, seed: int = 0) -> list[Ranks]:
    """Return for each system the ranks `(best, worst)` that the data leave to it, in the order of the rows.

    With a chance of `level` or more the sets hold the true ranks of all systems at once (`simultaneous`,
    docs/statistics.md). Values that differ by less than 1e-10 are ties. Only the items that all systems have a value
    for count; others are left out, with a warning.

    Args:
        scores: systems × items; the columns of a DataFrame are the items, its rows the systems.
        clusters: what each item belongs to, as in `interval`.
        level: the chance that all sets hold.
        seed: of the draws.

    Raises:
        RagaliqError: if the table or the clusters are of a wrong type or shape, or all systems share fewer than two
            items.
    """
    _check_drawing(level, seed, "rank_sets")
    table = table_of(scores)
    groups = cluster_names(clusters, getattr(scores, "T", None), table.shape[1], "rank_sets")
    kept = _present(np.array(~np.isnan(table).any(axis=0)), "rank_sets", "lack a value of some system")
    _check_count(_taken(groups, kept), int(kept.sum()), "rank_sets")
    ranks = simultaneous(table[:, kept].T, seed, level, _taken(groups, kept)).ranks
    return [Ranks(own.low, own.high) for own in ranks]


def _present(kept: NDArray[np.bool_], what: str, why: str) -> NDArray[np.bool_]:
    """Return which items count, and warn of those that do not."""
    left_out = len(kept) - int(kept.sum())
    if left_out:
        warnings.warn(f"{what}: {left_out} of {len(kept)} items {why} and are left out", stacklevel=3)
    return kept


def _taken(groups: list[str] | None, kept: NDArray[np.bool_]) -> list[str] | None:
    return None if groups is None else [name for name, there in zip(groups, kept, strict=True) if there]


def _check_count(groups: list[str] | None, count: int, what: str) -> None:
    different = count if groups is None else len(set(groups))
    if different < 2:
        unit = "items" if groups is None else "clusters"
        raise InputError(f"{what}: at least two {unit} with values are wanted, not {different}")


def _check_drawing(level: Any, seed: Any, what: str) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"{what}: seed is a whole number of at least 0, not {seed!r}")
    if isinstance(level, bool) or not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
        raise InputError(f"{what}: level is a number above 0 and below 1, such as .95, not {level!r}")


def _bounded(values: Array, bounds: Any, what: str) -> Range:
    """Return the least and the greatest value possible.

    Raises:
        InputError: if `bounds` are not two numbers in their order, or a value is outside.
    """
    low, high = float(values.min()), float(values.max())
    if bounds is None:
        if low >= 0.0 and high <= 1.0:
            return 0.0, 1.0
        if low == high:
            raise InputError(f"{what}: all values are {low:g}; give bounds=(least, greatest), as others were possible")
        return low, high
    ends = as_numbers(bounds, f"{what}: bounds").tolist()
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InputError(f"{what}: bounds are the least and the greatest value possible, not {bounds!r}")
    if low < ends[0] or high > ends[1]:
        raise InputError(f"{what}: values from {low:g} to {high:g} are outside the bounds {ends[0]:g}, {ends[1]:g}")
    return ends[0], ends[1]


def _known(ends: Interval | None) -> Interval:
    """Return an interval, which two clusters or more always have."""
    if ends is None:
        raise AssertionError("two clusters without an interval")
    return ends

"""Intervals, differences and rank sets of numbers that are in memory: what the commands compute, as functions.

Values are those of one metric, one for each item; greater is better. A list, a tuple, a numpy array or a pandas Series
holds those of one system; a table of them is systems × items, a numpy array, a list of lists or a pandas DataFrame with
a row for each system. Truth values count as 0 and 1; `None`, NaN and pandas' NA are missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError
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

_ONE = "a list, a tuple, a numpy array or a pandas Series of numbers"
_MANY = "a table of systems × items (a numpy array, a list of lists or a pandas DataFrame)"


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

    The method is that of the commands for other tools' values (`value_interval`, docs/statistics.md); of grades 0 to 5
    the commands know more (`weight_interval`). Missing values are left out, with a
    warning.

    Args:
        scores: a value for each item.
        clusters: what each item belongs to, such as its question where items are its translations; None: each is alone.
        level: the share of samples whose interval holds the mean.
        bounds: the least and the greatest value possible. None: 0 and 1 where all values are within, else the least
            and the greatest of them.
        seed: of the draws.

    Raises:
        RagaliqError: if the values or clusters are of a wrong type or shape, or of fewer than two clusters.
    """
    _check_level(level, "interval")
    column = as_numbers(scores, "interval: scores")
    groups = _clusters(clusters, scores, len(column), "interval")
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
    _check_level(level, "difference")
    first, second = as_numbers(a, "difference: a"), as_numbers(_joined(b, a, "difference: b"), "difference: b")
    if len(first) != len(second):
        raise InputError(f"difference: a has {len(first)} items and b has {len(second)}; give the same items in both")
    groups = _clusters(clusters, a, len(first), "difference")
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
    docs/statistics.md). Only the items that all systems have a value for count; others are left out, with a warning.

    Args:
        scores: systems × items; the columns of a DataFrame are the items, its rows the systems.
        clusters: what each item belongs to, as in `interval`.
        level: the chance that all sets hold.
        seed: of the draws.

    Raises:
        RagaliqError: if the table or the clusters are of a wrong type or shape, or all systems share fewer than two
            items.
    """
    _check_level(level, "rank_sets")
    table = _table(scores)
    groups = _clusters(clusters, getattr(scores, "T", None), table.shape[1], "rank_sets")
    kept = _present(np.array(~np.isnan(table).any(axis=0)), "rank_sets", "lack a value of some system")
    _check_count(_taken(groups, kept), int(kept.sum()), "rank_sets")
    ranks = simultaneous(table[:, kept].T, seed, level, _taken(groups, kept)).ranks
    return [Ranks(own.low, own.high) for own in ranks]


def _table(scores: Any) -> Array:
    if hasattr(scores, "columns") and hasattr(scores, "to_numpy"):
        rows: Any = scores.to_numpy()
    elif isinstance(scores, np.ndarray | list | tuple):
        rows = scores
    else:
        raise InputError(f"rank_sets: {_MANY} is wanted, not {_kind(scores)}")
    if not len(rows) or any(isinstance(row, str | bytes | Mapping) or not hasattr(row, "__len__") for row in rows):
        raise InputError(f"rank_sets: {_MANY} is wanted, not {_kind(scores)} of single values")
    columns = [as_numbers(row, f"rank_sets: system {place}") for place, row in enumerate(rows, 1)]
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(str(len(column)) for column in columns)
        raise InputError(f"rank_sets: systems have unlike numbers of items ({lengths}); write NaN for what is missing")
    return np.array(columns)


def as_numbers(values: Any, what: str) -> Array:
    """Return one value for each item, NaN where it is missing.

    Raises:
        InputError: if `values` is no row of numbers; `what` names it.
    """
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__") or hasattr(values, "columns"):
        raise InputError(f"{what}: {_ONE} is wanted, not {_kind(values)}")
    array = np.asarray(values) if _is_plain(values) else _listed(values)
    if array.ndim != 1:
        raise InputError(f"{what}: {_ONE} is wanted, not {array.ndim} dimensions")
    if array.dtype.kind not in "biuf":
        cells = [_cell(cell, f"{what}, item {place}") for place, cell in enumerate(array.tolist(), 1)]
        array = np.array(cells)
    found: Array = array.astype(np.float64)
    if np.isinf(found).any():
        raise InputError(f"{what}, item {int(np.isinf(found).argmax()) + 1}: infinite; write NaN for a missing value")
    return found


def _is_plain(values: Any) -> bool:
    """Return whether the values are numbers by their numpy type; a list may mix texts with numbers."""
    kind = getattr(values, "dtype", None)
    return isinstance(kind, np.dtype) and kind.kind in "biuf"


def _listed(values: Any) -> NDArray[Any]:
    """Return values of any type as they are; numpy would take lists in a list for a second dimension."""
    cells = list(values)
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def _cell(cell: Any, where: str) -> float:
    if cell is None or type(cell).__name__ == "NAType":
        return float("nan")
    if not isinstance(cell, Real | np.bool_):
        raise InputError(f"{where}: a number is wanted, not {str(cell)!r}")
    return float(cell)


def index_labels(values: Any) -> list[Any] | None:
    """Return the index of a pandas Series or DataFrame; a list's `index` is a method."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) else list(index)


def _joined(values: Any, others: Any, what: str) -> Any:
    """Return `values` in the order of `others`, where both have labels.

    Raises:
        InputError: if they have not the same labels, each once.
    """
    own, wanted = index_labels(values), index_labels(others)
    if own is None or wanted is None or own == wanted:
        return values
    places = {label: place for place, label in enumerate(own)}
    if len(places) < len(own) or len(own) != len(wanted) or places.keys() != set(wanted):
        raise InputError(
            f"{what}: its index is not that of the other values; give Series with the same labels, each once"
        )
    return values.iloc[[places[label] for label in wanted]]


def _clusters(clusters: Any, values: Any, count: int, what: str) -> list[str] | None:
    if clusters is None:
        return None
    if isinstance(clusters, str | bytes | Mapping) or not hasattr(clusters, "__len__"):
        raise InputError(f"{what}: clusters are a list of names, one for each item, not {_kind(clusters)}")
    names = list(_joined(clusters, values, f"{what}: clusters"))
    if len(names) != count:
        raise InputError(f"{what}: {len(names)} clusters for {count} items; name one for each item")
    for place, name in enumerate(names, 1):
        if name is None or name != name or type(name).__name__ == "NAType":
            raise InputError(f"{what}: item {place} has no cluster; name one for each item")
    return [str(name) for name in names]


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


def _check_level(level: Any, what: str) -> None:
    if isinstance(level, bool) or not isinstance(level, Real) or not 0.0 < float(level) < 1.0:
        raise InputError(f"{what}: level is a number above 0 and below 1, such as .95, not {level!r}")


def _bounded(values: Array, bounds: Any, what: str) -> Range:
    """Return the least and the greatest value possible.

    Raises:
        InputError: if `bounds` are not two numbers in their order, or a value is outside.
    """
    low, high = float(values.min()), float(values.max())
    if bounds is None:
        return (0.0, 1.0) if low >= 0.0 and high <= 1.0 else (low, high)
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


def _kind(value: Any) -> str:
    return type(value).__name__

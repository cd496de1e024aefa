"""Numbers that a user holds in memory, as arrays: lists, numpy arrays, Series, DataFrames, and what may be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Set
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError

Array = NDArray[np.float64]

# The squares of greater numbers would be infinite.
_GREATEST = 1e100
_ONE = "a list, a tuple, a numpy array or a pandas Series of numbers"
_MANY = "a table of systems × items (a numpy array, a list of lists or a pandas DataFrame)"


def as_numbers(values: Any, what: str) -> Array:
    """Return one value for each item, NaN where it is missing.

    Raises:
        InputError: if `values` is no row of numbers; `what` names it.
    """
    if not _in_order(values) or hasattr(values, "columns"):
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
    if (np.abs(found) > _GREATEST).any():
        place = int((np.abs(found) > _GREATEST).argmax()) + 1
        raise InputError(f"{what}, item {place}: beyond {_GREATEST:g}, where sums lose their digits; use another unit")
    return found


def _in_order(values: Any) -> bool:
    """Return whether values have a length and an order: no text, no mapping, no set, no single number."""
    unordered = isinstance(values, str | bytes | Mapping | Set) or getattr(values, "ndim", 1) == 0
    return hasattr(values, "__len__") and not unordered


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
    try:
        return float(cell)
    except OverflowError:
        raise InputError(f"{where}: too great a number; use another unit") from None


def index_labels(values: Any) -> list[Any] | None:
    """Return the index of a pandas Series or DataFrame; a list's `index` is a method."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) else list(index)


def in_order_of(values: Any, others: Any, what: str) -> Any:
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


def cluster_names(clusters: Any, values: Any, count: int, what: str) -> list[str] | None:
    """Return the cluster of each of `count` items, in the order of `values` where both have labels; None for None.

    Raises:
        InputError: if they are no names, or not one for each item; `what` names the function.
    """
    if clusters is None:
        return None
    if not _in_order(clusters):
        raise InputError(f"{what}: clusters are a list of names, one for each item, not {_kind(clusters)}")
    names = list(in_order_of(clusters, values, f"{what}: clusters"))
    if len(names) != count:
        raise InputError(f"{what}: {len(names)} clusters for {count} items; name one for each item")
    for place, name in enumerate(names, 1):
        if name is None or name != name or type(name).__name__ == "NAType":
            raise InputError(f"{what}: item {place} has no cluster; name one for each item")
    return [str(name) for name in names]


def table_of(scores: Any) -> Array:
    """Return a table of systems × items, NaN where a value is missing.

    Raises:
        InputError: if `scores` is no table of numbers.
    """
    if hasattr(scores, "columns") and hasattr(scores, "to_numpy"):
        rows: Any = scores.to_numpy()
    elif isinstance(scores, np.ndarray | list | tuple):
        rows = scores
    else:
        raise InputError(f"rank_sets: {_MANY} is wanted, not {_kind(scores)}")
    if not _in_order(rows) or not len(rows):
        raise InputError(f"rank_sets: {_MANY} is wanted, not an empty or single value")
    if not all(_in_order(row) for row in rows):
        raise InputError(f"rank_sets: {_MANY} is wanted, not {_kind(scores)} of single values")
    columns = [as_numbers(row, f"rank_sets: system {place}") for place, row in enumerate(rows, 1)]
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(str(len(column)) for column in columns)
        raise InputError(f"rank_sets: systems have unlike numbers of items ({lengths}); write NaN for what is missing")
    return np.array(columns)


def _kind(value: Any) -> str:
    return type(value).__name__

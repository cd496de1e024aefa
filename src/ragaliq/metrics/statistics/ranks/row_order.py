"""An order of rows that depends on their values alone, so that draws do not depend on how a table was written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_REFINEMENTS = 3


def ordered_rows(table: Array) -> Array:
    """Return the rows in an order that depends on neither the order of the rows nor that of the columns.

    Rows and columns are told apart by the values in them, then by the kinds of columns and rows that these are in,
    and so on (colour refinement). Rows that stay alike are alike, but for rare symmetries.
    """
    return table[np.lexsort(table[:, np.argsort(column_kinds(table), kind="stable")].T[::-1])] if table.size else table


def column_kinds(table: Array) -> NDArray[np.intp]:
    """Return a number for each column: columns that nothing but their order tells apart have the same."""
    if not table.size:
        return np.zeros(table.shape[1], dtype=np.intp)
    _, codes = np.unique(table, return_inverse=True)
    codes = codes.reshape(table.shape)
    span = codes.max(initial=0) + 1
    columns = np.zeros(table.shape[1], dtype=np.intp)
    for _ in range(_REFINEMENTS):
        _, rows = np.unique(np.sort(codes + span * columns, axis=1), axis=0, return_inverse=True)
        _, columns = np.unique(np.sort(codes.T + span * rows.ravel(), axis=1), axis=0, return_inverse=True)
        columns = columns.ravel()
    return columns

"""Vectors in one byte a number: a first look at what may be near a query, for a query that comes alone.

One query against many vectors takes as long as reading them takes. A quarter of the bytes say where each product must
lie; only what may be among the best is then read in full.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.retrieve.ranking import DIGITS

Vectors = NDArray[np.float32]
Codes = NDArray[np.int8]
# Writes the products of codes and a query, times the steps, into the last array.
Dots = Callable[[Codes, Vectors, Vectors, Vectors], None]
# Half of a score's last digit: as much as rounding moves it.
HALF = 0.5 * 10.0**-DIGITS
UNIT = 2.0**-24
_GREATEST = 127
_ROWS = 4096


@lru_cache(maxsize=1)
def compiled_dots() -> Dots:
    """Return the compiled products, which hold no lock; the first call takes a second.

    Raises:
        ImportError: if numba is not installed, or does not get on with numpy.
    """
    import numba

    # The sum of a row may be taken in any order, so that it is taken many numbers at a time.
    compiled: Dots = numba.njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})(dots)
    return compiled


def dots(codes: Codes, steps: Vectors, query: Vectors, out: Vectors) -> None:
    """Write the products; see `Dots`."""
    for row in range(codes.shape[0]):
        total = np.float32(0)
        for place in range(codes.shape[1]):
            total += np.float32(codes[row, place]) * query[place]
        out[row] = total * steps[row]


def code_rows(rows: Vectors) -> dict[str, NDArray[Any]]:
    """Return the `codes` of vectors, each number in 1/127 of its row's greatest, the `steps`, and each row's error."""
    steps = np.abs(rows).max(axis=1, initial=0) / np.float32(_GREATEST)
    codes = np.rint(rows / np.where(steps > 0, steps, 1)[:, None])
    exact = rows.astype(np.float64)
    # By Cauchy and Schwarz for the coding; for the sums as in `ExactIndex`, with a few roundings more.
    coding = np.linalg.norm(exact - codes * steps.astype(np.float64)[:, None], axis=1)
    rounding = 2 * (rows.shape[1] + 8) * UNIT * np.linalg.norm(exact, axis=1)
    return {"codes": codes.astype(np.int8), "steps": steps.astype(np.float32), "off": coding + rounding}


def coded_matrix(matrix: Vectors) -> dict[str, NDArray[Any]]:
    """Return what `code_rows` returns of a matrix, worked out some rows at a time."""
    coded: dict[str, NDArray[Any]] = {
        "codes": np.empty(matrix.shape, dtype=np.int8),
        "steps": np.empty(len(matrix), dtype=np.float32),
        "off": np.empty(len(matrix), dtype=np.float64),
    }
    for start in range(0, len(matrix), _ROWS):
        for name, part in code_rows(matrix[start : start + _ROWS]).items():
            coded[name][start : start + _ROWS] = part
    return coded


class CodedVectors:
    """The vectors of documents, each number in 1/127 of its row's greatest, and how far each row is off."""

    def __init__(self, coded: Mapping[str, NDArray[Any]], dots: Dots) -> None:
        """Take what `code_rows` returns of all rows; the arrays may be mapped files."""
        self._dots = dots
        self._codes, self._steps, self._off = coded["codes"], coded["steps"], coded["off"]

    def near(self, query: Vectors, k: int) -> NDArray[np.intp]:
        """Return all documents whose score may be among the `k` greatest and above 0, and some whose score is not."""
        products: NDArray[Any] = np.empty(len(self._steps), dtype=np.float32)
        self._dots(self._codes, self._steps, np.ascontiguousarray(query, dtype=np.float32), products)
        off = self._off * float(np.linalg.norm(query.astype(np.float64)))
        least = HALF / 2
        if k < len(products):
            least = max(least, float(np.partition(products - off, -k)[-k]) - 2 * HALF)
        return np.flatnonzero(products + off >= least)

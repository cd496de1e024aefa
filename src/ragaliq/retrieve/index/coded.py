"""Vectors in one byte a number: a first look at what may be near a query, for a query that comes alone.

One query against many vectors takes as long as reading them takes. A quarter of the bytes say where each product must
lie; only what may be among the best is then read in full.
"""

from __future__ import annotations

from collections.abc import Callable
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


class CodedVectors:
    """The vectors of documents, each number in 1/127 of its row's greatest, and how far each row is off."""

    def __init__(self, matrix: Vectors, dots: Dots) -> None:
        self._dots = dots
        self._codes = np.empty(matrix.shape, dtype=np.int8)
        self._steps = np.empty(len(matrix), dtype=np.float32)
        self._off = np.empty(len(matrix), dtype=np.float64)
        for start in range(0, len(matrix), _ROWS):
            rows = matrix[start : start + _ROWS]
            steps = np.abs(rows).max(axis=1, initial=0) / np.float32(_GREATEST)
            codes = np.rint(rows / np.where(steps > 0, steps, 1)[:, None])
            exact = rows.astype(np.float64)
            # By Cauchy and Schwarz for the coding; for the sums as in `ExactIndex`, with a few roundings more.
            coding = np.linalg.norm(exact - codes * steps.astype(np.float64)[:, None], axis=1)
            rounding = 2 * (matrix.shape[1] + 8) * UNIT * np.linalg.norm(exact, axis=1)
            self._codes[start : start + _ROWS] = codes
            self._steps[start : start + _ROWS] = steps
            self._off[start : start + _ROWS] = coding + rounding

    def near(self, query: Vectors, k: int) -> NDArray[np.intp]:
        """Return all documents whose score may be among the `k` greatest and above 0, and some whose score is not."""
        products: NDArray[Any] = np.empty(len(self._steps), dtype=np.float32)
        self._dots(self._codes, self._steps, np.ascontiguousarray(query, dtype=np.float32), products)
        off = self._off * float(np.linalg.norm(query.astype(np.float64)))
        least = HALF / 2
        if k < len(products):
            least = max(least, float(np.partition(products - off, -k)[-k]) - 2 * HALF)
        return np.flatnonzero(products + off >= least)

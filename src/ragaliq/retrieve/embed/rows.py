"""What an embedder returns: numbers, one row for each text, of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragaliq.errors import InputError


def check_rows(vectors: object, n: int, name: str = "embedder", dtype: type[np.floating[Any]] = np.float32) -> Any:
    """Return vectors as an array of `dtype` if they are numbers, one row for each of `n` texts.

    Raises:
        InputError: if not; a vector that is no number would silently find nothing.
    """
    try:
        rows = np.asarray(vectors, dtype=dtype)
    except (TypeError, ValueError):
        raise InputError(f"{name}: its vectors differ in length or hold no numbers") from None
    if rows.ndim != 2 or len(rows) != n:
        raise InputError(f"{name}: gave vectors of shape {rows.shape} for {n} texts; one row for each is needed")
    if not np.isfinite(rows).all():
        raise InputError(f"{name}: a vector holds a number that is not finite; fix the embedder or its endpoint")
    return rows


def unit_rows(rows: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Return each row divided by its length; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)

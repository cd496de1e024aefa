"""The interval of a mean difference between two systems.

Most queries of two systems tie, and what is rare may not have been seen: a bootstrap knows only the differences
observed and is too sure of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragaliq.metrics.statistics.intervals import Interval, value_interval


def difference_interval(
    deltas: Sequence[float] | NDArray[np.float64],
    greatest: float = 1.0,
    level: float = 0.95,
    seed: int = 0,
    clusters: Sequence[str] | None = None,
) -> Interval | None:
    """Return the interval of a mean difference over queries, each of which lies within ± `greatest`.

    The equal-tailed posterior interval of the mean (see `value_interval`) with a range of −`greatest` to `greatest`.
    Systems that change places have exactly the mirrored interval. None without queries.

    Raises:
        ValueError: as `value_interval`.
    """
    return value_interval(deltas, -greatest, greatest, level, seed, clusters)

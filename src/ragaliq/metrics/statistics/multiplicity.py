"""Many tests at once, and several looks at queries that become more: levels that hold for all together."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# What `level_per_look` spends at each look, by the name that a run's manifest records.
SPENDING = "pocock"
# Nodes of the integration over a look, for the root of their number: the range grows with it. With more nodes the level
# stays the same in nine digits.
_LEAST_NODES, _NODES = 96, 14


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p values corrected for their number, in the same order.

    Rejecting where a corrected value is below α keeps the chance of any false rejection below α, however the tests
    depend on each other (Holm 1979, Scandinavian Journal of Statistics 6): the smallest of m values is multiplied by
    m, the next by m − 1, and so on; none falls below the one before it, and none exceeds 1. A test without a value
    stays without one, and does not count among the m.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    greatest = 0.0
    for done, (p, place) in enumerate(order):
        greatest = max(greatest, min(1.0, (len(order) - done) * p))
        corrected[place] = greatest
    return corrected


def level_per_look(looks: int, level: float = 0.05) -> float:
    """Return the two-sided p value below which each of `looks` equally spaced looks may call a difference real.

    With the same level at each look, the chance that any of them does so by mistake is `level` (Pocock 1977, Biometrika
    64, 191–199; the sums of a look and those after it are integrated one after the other as in Armitage, McPherson and
    Rowe 1969, Journal of the Royal Statistical Society A 132). One look tests at `level`; six at .0142 for .05. Fewer
    looks than planned, as after an early end, are on the safe side.

    Raises:
        ValueError: if there is no look, or the level is not between 0 and 1.
    """
    if looks < 1 or not 0 < level < 1:
        raise ValueError(f"at least one look and a level between 0 and 1 are needed, not {looks} and {level:g}")
    if looks == 1:
        return level
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    # No level per look is less than Bonferroni's, and none is above that of a single look.
    ends = (-ndtri(level / 2), -ndtri(level / looks / 2))
    critical = brentq(lambda z: _ever_beyond(z, looks) - level, *ends, xtol=1e-12)
    return float(2 * ndtr(-critical))


def _ever_beyond(critical: float, looks: int) -> float:
    """Return the chance that |S_k| / √k is above `critical` at one of the looks, S_k being k standard normal steps."""
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(max(_LEAST_NODES, ceil(_NODES * sqrt(looks))))
    bound = critical
    places, density = bound * nodes, _normal(bound * nodes) * bound * weights
    for look in range(2, looks):
        bound = critical * sqrt(look)
        density = _normal(bound * nodes[:, None] - places) @ density * bound * weights
        places = bound * nodes
    last = critical * sqrt(looks)
    return 1 - float((ndtr(last - places) - ndtr(-last - places)) @ density)


def _normal(values: Array) -> Array:
    density: Array = np.exp(-(values**2) / 2) / sqrt(2 * np.pi)
    return density

"""Many tests at once."""

from __future__ import annotations

from collections.abc import Sequence


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

"""Whether two systems are equal for practical purposes: shown, not just not refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.metrics.statistics.clusters import clustered, design_effect
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.significance import Values, paired_differences
from ragaliq.metrics.statistics.unseen import chance_at_most, lower_end

_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Result of two one-sided tests.

    Attributes:
        margin: the greatest difference that counts as none.
        p: the greater of the two one-sided p values, in (0, 1].
        interval: 90 % interval of the mean difference `b − a`; it lies within ± margin where equivalent.
        equivalent: whether `p` is below .05.
    """

    margin: float
    p: float
    interval: Interval
    equivalent: bool


def equivalence(
    a: Values, b: Values, margin: float, clusters: Sequence[str] | None = None, greatest: float = 1.0
) -> Equivalence | None:
    """Test that the mean difference between two systems is less than `margin`, either way (two one-sided tests).

    Each side is tested by `unseen`: one more query has the `greatest` difference that a query can have (1 for weights),
    because agreeing on a few queries says little about the rest. Queries belong together as `clusters` says. The unseen
    one then counts for as many as the design effect says, once a cluster that differs by the most would have been seen,
    at 95 %, if such ones made the difference; until then for a cluster of average size. None for fewer than two
    clusters.

    Raises:
        ValueError: if the margin is not above 0, or as `paired_t`.
    """
    if not margin > 0:
        raise ValueError(f"a margin is greater than 0: {margin}")
    deltas = paired_differences(a, b)
    groups = clustered(deltas, clusters)
    if len(groups.sizes) < 2:
        return None
    worst = max(greatest, margin, float(abs(deltas).max()))
    seen = (1 - margin / worst) ** len(groups.sizes) <= _LEVEL
    sides, size = (groups, groups.mirrored), design_effect(deltas, groups) if seen else float(groups.sizes.mean())
    p = max(chance_at_most(side, -margin, -worst, size) for side in sides)
    low, high = (lower_end(side, -worst, size, _LEVEL) for side in sides)
    return Equivalence(margin, max(p, 5e-324), Interval(low, 0.0 - high), p < _LEVEL)

"""Whether two systems are equal for practical purposes: shown, not just not refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.metrics.statistics.clusters import clustered, standard_error
from ragaliq.metrics.statistics.intervals import Interval
from ragaliq.metrics.statistics.significance import Values, paired_differences

_LEVEL = 0.05
# Queries with the greatest difference that the spread allows for.
UNSEEN = 2


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
    """Test that the mean difference between two systems is less than `margin`, either way (TOST).

    Two one-sided paired t tests (Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15), queries in
    clusters as in `paired_t`. To the sum of squares come those of two more queries with the `greatest` difference that
    a query can have (1 for weights): agreeing on a few queries says little about the rest. None for fewer than two
    clusters.

    Raises:
        ValueError: if the margin is not above 0, or as `paired_t`.
    """
    from scipy.special import stdtr, stdtrit

    if not margin > 0:
        raise ValueError(f"a margin is greater than 0: {margin}")
    groups = clustered(paired_differences(a, b), clusters)
    n = len(groups.sizes)
    if n < 2:
        return None
    mean = float(groups.mean[0])
    # A cluster of average size, all of whose queries differ by the most, divided by the number of queries: 1 / n.
    unseen = UNSEEN * (greatest / n) ** 2 * n / (n - 1)
    error = (standard_error(groups) ** 2 + unseen) ** 0.5
    p = float(stdtr(n - 1, (abs(mean) - margin) / error))
    half = float(stdtrit(n - 1, 1 - _LEVEL)) * error
    return Equivalence(margin, max(p, 5e-324), Interval(mean - half, mean + half), p < _LEVEL)

"""LGTM@10: the share of queries whose first ten retrieved chunks look good to a person who does not know the system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from ragaliq.metrics.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class LgtmShare:
    """How many of `n` judged queries look good, their share, and its interval; None where none is judged."""

    n: int
    good: int
    share: float | None
    interval: Interval | None


def lgtm_share(labels: Sequence[bool]) -> LgtmShare:
    """Return the share of labels that say "looks good", in 0..1, with its 95 % Wilson interval.

    One label per query, from one rater. No label gives None for both share and interval.
    """
    n, good = len(labels), sum(labels)
    return LgtmShare(n, good, good / n, _wilson(good, n)) if n else LgtmShare(0, 0, None, None)


def _wilson(successes: int, n: int) -> Interval:
    """Return Wilson's score interval of a share, without continuity correction (Wilson 1927, eq. 5).

    With p = successes / n and z the normal quantile at .975:
    (p + z²/2n ± z √(p (1 − p)/n + z²/4n²)) / (1 + z²/n). It lies in 0..1, holds p, and is not empty at p = 0 or 1; the
    ends there are exactly 0 and 1.
    """
    p, z = successes / n, NormalDist().inv_cdf(0.975)
    centre, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At the ends of the scale rounding leaves the last digits off 0 and 1.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return Interval(low, high)

"""LGTM@10: the share of queries whose first ten retrieved chunks look good to a person who does not know the system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.metrics.statistics.intervals import Interval, share_interval


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
    return LgtmShare(n, good, good / n, share_interval(good, n)) if n else LgtmShare(0, 0, None, None)

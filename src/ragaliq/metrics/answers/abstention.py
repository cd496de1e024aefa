"""Abstaining as its own result: should the system have answered, and did it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ragaliq.metrics.statistics.clustered_share import ClusteredShare, share_of_marks
from ragaliq.metrics.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class AbstentionTable:
    """Counts of queries by whether they can be answered and whether the system abstained.

    Abstaining from an unanswerable query is right. A value whose denominator is 0 is None.

    Attributes:
        precision: share of unanswerable queries among the `precision_n` abstained from.
        recall: share of the `recall_n` unanswerable queries that were abstained from.
        precision_ci: 95 % interval (`share_of_marks`).
        recall_ci: likewise.
        f1: harmonic mean of the two; 0 if both are 0.
        n_failed: queries on which the reader failed; they are in no other count.
    """

    abstained_unanswerable: int
    answered_unanswerable: int
    abstained_answerable: int
    answered_answerable: int
    n_failed: int
    precision: float | None
    precision_n: int
    precision_ci: Interval | None
    recall: float | None
    recall_n: int
    recall_ci: Interval | None
    f1: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the table as an object for JSON."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def abstention_table(
    rows: Sequence[tuple[bool, bool | None]], queries: Sequence[str] | None = None
) -> AbstentionTable | None:
    """Count `(answerable, abstained)` pairs; `abstained` is None where the reader failed.

    `queries` names the query of each pair, where those of several languages belong together; the counts do not depend
    on it. Returns None if there is no unanswerable query, because then abstaining cannot be right.

    Raises:
        ValueError: if there is not one query per pair.
    """
    counts = Counter(rows)
    failed_unanswerable = counts[False, None]
    right, missed, wrong = counts[False, True], counts[False, False], counts[True, True]
    if right + missed + failed_unanswerable == 0:
        return None
    names = [str(place) for place in range(len(rows))] if queries is None else queries
    asked = list(zip(rows, names, strict=True))
    precision = _share([(not answerable, name) for (answerable, abstained), name in asked if abstained])
    recall = _share(
        [(abstained, name) for (answerable, abstained), name in asked if not answerable and abstained is not None]
    )
    undefined = precision.value is None or recall.value is None
    return AbstentionTable(
        right,
        missed,
        wrong,
        counts[True, False],
        counts[True, None] + failed_unanswerable,
        precision.value,
        precision.n,
        precision.interval,
        recall.value,
        recall.n,
        recall.interval,
        None if undefined else 2 * right / (2 * right + wrong + missed),
    )


def _share(marks: Sequence[tuple[bool, str]]) -> ClusteredShare:
    return share_of_marks([mark for mark, _ in marks], [name for _, name in marks])

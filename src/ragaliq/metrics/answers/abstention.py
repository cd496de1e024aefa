"""Abstaining as its own result: should the system have answered, and did it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AbstentionTable:
    """Counts of queries by whether they can be answered and whether the system abstained.

    Abstaining from an unanswerable query is right. A value whose denominator is 0 is None.

    Attributes:
        precision: share of unanswerable queries among those abstained from.
        recall: share of unanswerable queries that were abstained from.
        f1: harmonic mean of the two; 0 if both are 0.
        n_failed: queries on which the reader failed; they are in no other count.
    """

    abstained_unanswerable: int
    answered_unanswerable: int
    abstained_answerable: int
    answered_answerable: int
    n_failed: int
    precision: float | None
    recall: float | None
    f1: float | None


def abstention_table(rows: Iterable[tuple[bool, bool | None]]) -> AbstentionTable | None:
    """Count `(answerable, abstained)` pairs; `abstained` is None where the reader failed.

    Returns None if there is no unanswerable query, because then abstaining cannot be right.
    """
    counts = Counter(rows)
    failed_unanswerable = counts[False, None]
    right, missed = counts[False, True], counts[False, False]
    if right + missed + failed_unanswerable == 0:
        return None
    failed = counts[True, None] + failed_unanswerable
    return _table(right, missed, counts[True, True], counts[True, False], failed)


def total_abstention(tables: Iterable[AbstentionTable | None]) -> AbstentionTable | None:
    """Return the table of the counts of several tables together; None for none."""
    known = [table for table in tables if table is not None]
    if not known:
        return None
    return _table(
        sum(table.abstained_unanswerable for table in known),
        sum(table.answered_unanswerable for table in known),
        sum(table.abstained_answerable for table in known),
        sum(table.answered_answerable for table in known),
        sum(table.n_failed for table in known),
    )


def _table(right: int, missed: int, wrong: int, answered: int, failed: int) -> AbstentionTable:
    precision = right / (right + wrong) if right + wrong else None
    recall = right / (right + missed) if right + missed else None
    f1 = None if precision is None or recall is None else 2 * right / (2 * right + wrong + missed)
    return AbstentionTable(right, missed, wrong, answered, failed, precision, recall, f1)

"""Scores of an answer from the nuggets that it supports (Pradeep et al. 2025, arXiv 2504.15068)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragaliq.types import AssignmentLabel, Importance

_PARTIAL = 0.5
Assigned = tuple[Importance, AssignmentLabel]


@dataclass(frozen=True, slots=True)
class NuggetScores:
    """What share of a query's nuggets an answer supports, in 0..1; None where there are none of the kind.

    Attributes:
        vital_strict: of the vital nuggets, those that it supports in full.
        vital: likewise, where partial support counts half.
        all_strict: of all nuggets, vital and okay alike, those that it supports in full.
        all: likewise, where partial support counts half.
    """

    vital_strict: float | None
    vital: float | None
    all_strict: float | None
    all: float | None


def nugget_scores(assigned: Sequence[Assigned]) -> NuggetScores:
    """Return the scores of one answer from the importance and the label of each nugget of its query."""
    labels = [label for _, label in assigned]
    vital = [label for importance, label in assigned if importance is Importance.VITAL]
    return NuggetScores(_share(vital, 0.0), _share(vital, _PARTIAL), _share(labels, 0.0), _share(labels, _PARTIAL))


def _share(labels: Sequence[AssignmentLabel], partial: float) -> float | None:
    worth = {AssignmentLabel.SUPPORT: 1.0, AssignmentLabel.PARTIAL_SUPPORT: partial}
    return sum(worth.get(label, 0.0) for label in labels) / len(labels) if labels else None

from __future__ import annotations

from ragaliq.metrics.answers.nuggets import NuggetScores, nugget_scores
from ragaliq.types import AssignmentLabel, Importance

VITAL, OKAY = Importance.VITAL, Importance.OKAY
FULL, PART, NONE = AssignmentLabel.SUPPORT, AssignmentLabel.PARTIAL_SUPPORT, AssignmentLabel.NOT_SUPPORT


def test_scores_by_hand() -> None:
    assigned = [(VITAL, FULL), (VITAL, PART), (VITAL, NONE), (OKAY, FULL), (OKAY, PART)]
    assert nugget_scores(assigned) == NuggetScores(
        vital_strict=1 / 3,
        vital=(1 + 0.5) / 3,
        all_strict=2 / 5,
        all=(1 + 0.5 + 1 + 0.5) / 5,
    )


def test_a_score_of_no_nuggets_is_undefined() -> None:
    assert nugget_scores([(OKAY, PART)]) == NuggetScores(None, None, 0.0, 0.5)
    assert nugget_scores([]) == NuggetScores(None, None, None, None)

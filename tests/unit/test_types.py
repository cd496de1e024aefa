"""Records refuse what would be a failure dressed as a grade."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from fakes import answered, hits, item, verdict
from ragaliq.types import Assignment, AssignmentLabel, Candidate, Origin, Verdict, VerdictOutcome

REASONS = [outcome for outcome in VerdictOutcome if outcome is not VerdictOutcome.SCORED]


def make(grade: int | None, outcome: VerdictOutcome) -> Verdict:
    return Verdict("q1", "en", grade, outcome, "", "offline", "hash")


@pytest.mark.parametrize("outcome", REASONS)
def test_a_reason_that_there_is_no_grade_has_no_grade(outcome: VerdictOutcome) -> None:
    assert make(None, outcome).grade is None
    for grade in (0, 5):
        with pytest.raises(ValueError, match="q1"):
            make(grade, outcome)


def test_zero_is_a_grade_and_scored_needs_one() -> None:
    assert make(0, VerdictOutcome.SCORED).grade == 0
    with pytest.raises(ValueError, match="grade None with outcome scored"):
        make(None, VerdictOutcome.SCORED)


def test_keys_sort_by_language_then_query_id() -> None:
    records = [item("?", "!", "ru", "q1"), item("?", "!", "de", "q2"), item("?", "!", "de", "q1")]
    assert sorted(record.key for record in records) == [("de", "q1"), ("de", "q2"), ("ru", "q1")]
    assert answered("q7", "text", "fr").answer.key == verdict("q7", 3, "fr").key == ("fr", "q7")


def test_an_assignment_has_one_target_and_a_label_of_three() -> None:
    support = AssignmentLabel.SUPPORT
    assert Assignment("n1", "de", support, doc_id="d1").key == ("de", "n1", "d1", "")
    assert Assignment("n1", "de", support, run="r").key == ("de", "n1", "", "r")
    for target in ({}, {"doc_id": "d1", "run": "r"}):
        with pytest.raises(ValueError, match="n1: name a doc_id or a run"):
            Assignment("n1", "de", support, **target)
    with pytest.raises(ValueError, match="n1: unknown label 'yes'"):
        Assignment("n1", "de", "yes", doc_id="d1")  # type: ignore[arg-type]
    assert [str(label) for label in AssignmentLabel] == ["support", "partial_support", "not_support"]


def test_a_candidate_that_can_be_answered_says_from_what() -> None:
    whole = Candidate("c1", "ru", "Когда?", "В 7.", (("d1", "d2"), ("d3",)))
    assert whole.key == ("ru", "c1") and whole.answerable
    assert not Candidate("c2", "ru", "Когда?", "", (), answerable=False).gold
    for change, message in (
        ({"text": " "}, "blank"), ({"reference": ""}, "without reference"), ({"gold": ()}, "without gold"),
        ({"gold": (("d1",), ())}, "names no chunk"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=rf"c1 \(ru\): .*{message}"):
            replace(whole, **change)


def test_what_people_answered_needs_a_reference_and_no_gold() -> None:
    asked = Candidate("c1", "ru", "Когда?", "В 7.", (), origin=Origin.PEOPLE)
    assert asked.answerable and not asked.gold
    with pytest.raises(ValueError, match="without gold"):
        replace(asked, origin=Origin.LOG)
    with pytest.raises(ValueError, match="without reference"):
        replace(asked, reference=" ")


def test_records_are_frozen() -> None:
    (hit,) = hits("text")
    with pytest.raises(FrozenInstanceError):
        hit.score = 2.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        verdict("q1", 5).grade = 4  # type: ignore[misc]


def test_outcomes_are_written_as_the_interface_names_them() -> None:
    assert [str(outcome) for outcome in VerdictOutcome] == [
        "scored", "refused", "unparseable", "truncated", "filtered", "api_error", "no_answer",
        # Of a check alone.
        "no_contexts",
    ]  # fmt: skip

from __future__ import annotations

import json
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.judge.checks.context import CONTEXTS, ContextMarks, PassageMark, StatementMark
from ragaliq.types import Usage, VerdictOutcome

PASSAGES = (PassageMark("d1", False), PassageMark("d2", True))
STATEMENTS = (StatementMark("At 7.", True), StatementMark("On Mondays.", False))
MARKS = ContextMarks("q1", "de", PASSAGES, STATEMENTS, VerdictOutcome.SCORED, "m", "p", 2, Usage(7, 3), answer_hash="h")


def test_a_line_holds_marks_and_scores_and_gives_the_record_back() -> None:
    row = json.loads(json.dumps(CONTEXTS.dump(MARKS)))
    assert row["passages"] == [{"doc_id": "d1", "useful": False}, {"doc_id": "d2", "useful": True}]
    assert row["scores"] == {"precision": 1 / 2, "recall": 1 / 2}
    assert CONTEXTS.parse(row) == MARKS
    lost = ContextMarks("q1", "de", (), (), VerdictOutcome.UNPARSEABLE, "m", "p", error="no idea")
    assert CONTEXTS.parse(json.loads(json.dumps(CONTEXTS.dump(lost)))) == lost


def test_no_reference_is_not_a_failure() -> None:
    none = ContextMarks("q1", "de", (), (), VerdictOutcome.SCORED, "m", "p")
    lost = ContextMarks("q1", "de", (), (), VerdictOutcome.API_ERROR, "m", "p")
    assert CONTEXTS.header(none).nothing_to_find and not CONTEXTS.header(lost).nothing_to_find


@pytest.mark.parametrize(
    ("passages", "statements", "outcome"),
    [
        (PASSAGES, STATEMENTS, VerdictOutcome.UNPARSEABLE),
        (PASSAGES, (), VerdictOutcome.SCORED),
        ((), STATEMENTS, VerdictOutcome.NO_ANSWER),
    ],
)
def test_marks_that_cannot_be(passages: Any, statements: Any, outcome: VerdictOutcome) -> None:
    with pytest.raises(ValueError, match="context of q1"):
        ContextMarks("q1", "de", passages, statements, outcome, "m", "p")


@pytest.mark.parametrize("change", [{"lang": 1}, {"passages": [{"doc_id": "d1", "useful": "yes"}]}])
def test_a_broken_line_is_no_record(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not a row of this file"):
        CONTEXTS.read({**CONTEXTS.dump(MARKS), **change}, "context_scores.jsonl:1")

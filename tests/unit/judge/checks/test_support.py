from __future__ import annotations

import json

import pytest

from ragaliq.errors import InputError
from ragaliq.judge.checks.rates import CHECKS
from ragaliq.judge.checks.support import Check, SentenceCheck, Support
from ragaliq.types import Usage, VerdictOutcome


def test_support_and_contradiction_have_a_passage_and_nothing_else_has() -> None:
    cases: list[tuple[Support | None, str | None]] = [
        (None, "d"),
        (Support.NOT, "d"),
        (Support.SUPPORTED, None),
        (Support.CONTRADICTED, None),
    ]
    for support, doc_id in cases:
        with pytest.raises(ValueError, match="support"):
            SentenceCheck("x", support, doc_id)


def check(outcome: VerdictOutcome = VerdictOutcome.SCORED, abstains: bool | None = False, error: str = "") -> Check:
    sentences = (
        (SentenceCheck("Ja.", Support.PARTLY, "d1"), SentenceCheck("好。", None)) if abstains is not None else ()
    )
    return Check("q1", "de", abstains, None, sentences, outcome, "openai:m", "hash", 2, Usage(7, 3), error)


def test_findings_need_an_outcome_and_the_other_way_round() -> None:
    for outcome, abstains in ((VerdictOutcome.SCORED, None), (VerdictOutcome.API_ERROR, True)):
        with pytest.raises(ValueError, match="check of q1"):
            check(outcome, abstains)


def test_a_check_survives_its_line() -> None:
    cases: list[Check] = [check(), check(VerdictOutcome.TRUNCATED, None, "cut off")]
    for record in cases:
        row = json.loads(json.dumps(CHECKS.dump(record)))
        assert CHECKS.parse(row) == record, record
        assert list(row)[:10] == ["query_id", "lang", "abstains", "in_language", "sentences", "outcome", "judge",
                                  "prompt_hash", "attempts", "usage"], record  # fmt: skip
        assert ("error" in row) == bool(record.error), record


def test_another_line_is_refused() -> None:
    cases: list[tuple[str, object]] = [
        ("abstains", "no"),
        ("lang", 1),
        ("outcome", "fine"),
        ("sentences", [{"text": "x"}]),
        ("sentences", None),
        ("citations", [{"sentence": 1, "doc_id": "d", "support": "supported"}]),
        ("usage", {"prompt_tokens": 10**400, "completion_tokens": 1}),
    ]
    for key, value in cases:
        with pytest.raises(InputError, match="not a row of this file"):
            CHECKS.read({**CHECKS.dump(check()), key: value}, "checks.jsonl:1")

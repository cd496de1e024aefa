from __future__ import annotations

from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.judge.nuggets.matches import MATCHES, NuggetMatch, NuggetMatches
from ragaliq.metrics.answers.nuggets import NuggetScores
from ragaliq.types import AssignmentLabel, Importance, Usage, VerdictOutcome

MATCHED = NuggetMatches(
    "q1",
    "de",
    (
        NuggetMatch("q1-1", Importance.VITAL, AssignmentLabel.SUPPORT),
        NuggetMatch("q1-2", Importance.OKAY, AssignmentLabel.PARTIAL_SUPPORT),
    ),
    VerdictOutcome.SCORED,
    "openai:m",
    "abc",
    2,
    Usage(5, 3),
    "0f",
)


def test_matches_survive_their_row_which_holds_the_scores() -> None:
    row = MATCHES.dump(MATCHED)
    assert row["scores"] == {"vital_strict": 1.0, "vital": 1.0, "all_strict": 0.5, "all": 0.75}
    assert row["assignments"][0] == {"nugget_id": "q1-1", "importance": "vital", "label": "support"}
    assert MATCHES.parse(row) == MATCHED


def test_no_labels_have_a_reason_and_no_scores() -> None:
    failed = NuggetMatches("q1", "de", (), VerdictOutcome.API_ERROR, "m", "abc", error="gone")
    assert MATCHES.parse(MATCHES.dump(failed)) == failed
    assert failed.scores == NuggetScores(None, None, None, None)


@pytest.mark.parametrize(
    "change",
    [
        {"assignments": []},
        {"outcome": "api_error"},
        {"lang": 1},
        {"assignments": [{"nugget_id": "n", "importance": "vital", "label": "perhaps"}]},
        {"assignments": [{"nugget_id": ["n"], "importance": "vital", "label": "support"}]},
    ],
)
def test_a_row_of_another_shape(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not a row of this file"):
        MATCHES.read({**MATCHES.dump(MATCHED), **change}, "nugget_scores.jsonl:1")

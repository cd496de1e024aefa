from __future__ import annotations

from typing import Any

import pytest

from ragaliq.build.stage_row import StageRow, content_hash, row_from_json, row_to_json

KEPT = {"id": "q1", "lang": "zh", "decision": "kept", "text": "几点？", "traces": ["t"], "inputs": "h"}
REMOVED = {"id": "q1", "lang": "zh", "decision": "removed", "reason": "short", "detail": "9 of 10", "inputs": "h"}


def test_a_row_says_whether_it_was_kept_and_why_not() -> None:
    kept, removed = row_from_json(KEPT), row_from_json(REMOVED)
    assert kept == StageRow("q1", "zh", {"text": "几点？"}, inputs="h", traces=("t",))
    assert kept.kept and not removed.kept
    assert (row_to_json(kept), row_to_json(removed)) == (KEPT, REMOVED)


def test_what_is_no_row_is_refused() -> None:
    spoilt: list[dict[str, Any]] = [
        {key: value for key, value in KEPT.items() if key != "inputs"},
        KEPT | {"decision": "removed"},
        KEPT | {"decision": "maybe"},
        KEPT | {"reason": "short"},
        REMOVED | {"reason": ""},
        REMOVED | {"reason": None},
        KEPT | {"id": None},
        KEPT | {"lang": 5},
        KEPT | {"traces": "t"},
        KEPT | {"traces": [None]},
    ]
    for row in spoilt:
        with pytest.raises((KeyError, TypeError, ValueError)):
            row_from_json(row)


def test_a_value_cannot_take_the_place_of_the_decision() -> None:
    with pytest.raises(AssertionError, match="decision"):
        StageRow("q1", "de", {"decision": "kept"}, "short")


def test_the_hash_of_inputs_does_not_depend_on_the_order_of_keys() -> None:
    assert content_hash({"a": 1, "b": [1, 2]}) == content_hash({"b": [1, 2], "a": 1})
    assert len({content_hash(value) for value in ({"a": 1}, {"a": "1"}, {"a": True}, ["a", 1])}) == 4

"""Candidates between the stages: rows in, records out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.benchmark.checks.answer_leaks import leaked
from ragaliq.build.stage_row import StageRow
from ragaliq.types import Candidate, Item, Origin, Query

GENERATED, PEOPLE, LOG = Origin.GENERATED, Origin.PEOPLE, Origin.LOG
# The type of people's questions: their kind is unknown.
ASKED = "asked"
LEAK = "answer in the question"
# The keys of a candidate that later stages need. `near` names chunks that may answer a person's question.
_CARRIED = ("type", "origin", "gold", "evidence", "near")
_KEYS = ("text", "reference", *_CARRIED)


def candidate_of(row: StageRow) -> Candidate:
    """Return the candidate in a row of `generate`, `critique` or `dedupe`.

    Raises:
        ValueError: if the row is not a candidate: its origin is not people, and it has no gold.
    """
    value = row.value
    gold = tuple(tuple(group) for group in value["gold"])
    return Candidate(row.item_id, row.lang, value["text"], value["reference"], gold, type=value["type"],
                     origin=Origin(value["origin"]))  # fmt: skip


def candidate_value(row: StageRow, **changes: Any) -> Mapping[str, Any]:
    """Return the keys of a row that the next stage needs, with changes."""
    return {key: row.value[key] for key in _KEYS if key in row.value} | changes


def carried_value(row: StageRow) -> Mapping[str, Any]:
    """Return the keys of a row that later stages need and no model is shown."""
    return {key: row.value[key] for key in _CARRIED if key in row.value}


def leak_of(candidate: Candidate) -> str:
    """Return how the question of a candidate contains its answer; empty if it does not."""
    query = Query(candidate.candidate_id, candidate.lang, candidate.text)
    return leaked(Item(query, candidate.reference, type=candidate.type))

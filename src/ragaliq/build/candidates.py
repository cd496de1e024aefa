"""Candidates between the stages: rows in, records out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragaliq.benchmark.checks.answer_leaks import leaked
from ragaliq.build.stage_row import StageRow
from ragaliq.types import Candidate, Item, Origin, Query

GENERATED, PEOPLE, LOG = Origin.GENERATED, Origin.PEOPLE, Origin.LOG
# The type of what people asked: nobody has said which kind of question it is.
ASKED = "asked"
LEAK = "answer in the question"
# What later stages need of a candidate. `near` names chunks that may answer a question of people.
_KEYS = ("text", "reference", "type", "origin", "gold", "evidence", "near")


def candidate_of(row: StageRow) -> Candidate:
    """Return the candidate in a row of `generate`, `critique` or `dedupe`.

    Raises:
        ValueError: if it is none: of other origin than people, and without gold.
    """
    value = row.value
    gold = tuple(tuple(group) for group in value["gold"])
    return Candidate(row.item_id, row.lang, value["text"], value["reference"], gold, type=value["type"],
                     origin=Origin(value["origin"]))  # fmt: skip


def candidate_value(row: StageRow, **changes: Any) -> Mapping[str, Any]:
    """Return what of a row the next stage needs of a candidate, with changes."""
    return {key: row.value[key] for key in _KEYS if key in row.value} | changes


def leak_of(candidate: Candidate) -> str:
    """Return how the question of a candidate holds its answer; empty if it does not."""
    query = Query(candidate.candidate_id, candidate.lang, candidate.text)
    return leaked(Item(query, candidate.reference, type=candidate.type))

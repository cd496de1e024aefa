"""Rows of candidates that are retired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragaliq.build.stage_row import StageRow

RETIRED = "retired"


def retired_row(row: StageRow, why: str, documents: Sequence[str] = ()) -> StageRow:
    """Return the removed row of a candidate that is retired."""
    value = {name: row.value[name] for name in ("type", "origin", "gold")}
    value |= {"why": why, "documents": list(documents)}
    return replace(row, value=value, reason=RETIRED, detail=why, traces=())

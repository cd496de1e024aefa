"""What is left of a query when chunks leave the corpus."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ragaliq.types import Importance


@dataclass(frozen=True, slots=True)
class Lost:
    """Why a query cannot stay."""

    detail: str


def surviving_value(value: Mapping[str, Any], shipped: Collection[str]) -> Mapping[str, Any] | Lost:
    """Return the value of a query's row of `filter` with documents that are shipped alone.

    It is lost if a nugget that documents supported has none of them left, or if the chunk that misleads is gone.
    """
    if value["near_miss"] and value["near_miss"] not in shipped:
        return Lost(f"{value['near_miss']}, which misleads, is not in the corpus")
    nuggets = []
    for one in value["nuggets"]:
        doc_ids = [doc_id for doc_id in one["doc_ids"] if doc_id in shipped]
        if one["doc_ids"] and not doc_ids:
            return Lost(f"no document of {one['nugget_id']} is in the corpus")
        nuggets.append({**one, "doc_ids": doc_ids})
    vital = [one["doc_ids"] for one in nuggets if one["importance"] == Importance.VITAL and one["doc_ids"]]
    return {
        **value,
        "gold": [list(group) for group in dict.fromkeys(map(tuple, vital))],
        "nuggets": nuggets,
        "judged": {doc_id: n for doc_id, n in value["judged"].items() if doc_id in shipped},
        "missing": [cell for cell in value["missing"] if cell[1] in shipped],
    }

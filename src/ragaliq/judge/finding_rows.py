"""What the rows of all findings about answers have in common: the query, who was asked, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Protocol, TypeVar

from ragaliq.storage.files import Row
from ragaliq.storage.own_json import ModelText, Shape
from ragaliq.storage.record_store import Key, RowCodec
from ragaliq.types import Usage, VerdictOutcome

USAGE: Shape = ({"prompt_tokens": int, "completion_tokens": int}, None)
_COMMON: Shape = {
    **dict.fromkeys(("query_id", "lang", "outcome", "judge", "prompt_hash"), str),
    "attempts?": int,
    "usage?": USAGE,
    "answer_hash?": str,
    "error?": ModelText,
}


class _OnAnswer(Protocol):
    @property
    def key(self) -> Key: ...
    @property
    def outcome(self) -> VerdictOutcome: ...


Finding = TypeVar("Finding", bound=_OnAnswer)


def finding_codec(
    from_row: Callable[[Row], Finding],
    to_row: Callable[[Finding], Row],
    header: Callable[[Finding], Any],
    shape: Shape,
) -> RowCodec[Finding]:
    """Return the codec of one kind of finding, `shape` being its own part.

    One that is not `scored` failed, unless there were no contexts to ask about.
    """
    return RowCodec(
        from_row,
        to_row,
        lambda finding: finding.key,
        header,
        lambda finding: finding.outcome not in (VerdictOutcome.SCORED, VerdictOutcome.NO_CONTEXTS),
        {**_COMMON, **shape},
    )


def finding_to_row(finding: Any, *optional: str) -> Row:
    """Return the fields of a finding in their order, without `error` and the `optional` ones where they are empty."""
    return {name: value for name, value in asdict(finding).items() if value or name not in ("error", *optional)}


def common_fields(row: Row) -> dict[str, Any]:
    """Return the fields that every finding has, by name, from its row."""
    return {
        "query_id": row["query_id"],
        "lang": row["lang"],
        "outcome": VerdictOutcome(row["outcome"]),
        "judge": row["judge"],
        "prompt_hash": row["prompt_hash"],
        "attempts": row.get("attempts", 1),
        "usage": usage_from_row(row.get("usage")),
        "answer_hash": row.get("answer_hash", ""),
        "error": row.get("error", ""),
    }


def usage_from_row(row: Row | None) -> Usage | None:
    """Return the tokens that a row states, if it does."""
    return None if row is None else Usage(row["prompt_tokens"], row["completion_tokens"])

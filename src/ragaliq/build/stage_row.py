"""What a stage made of an item: the one form of all rows below `DIR/build/`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ragaliq.storage.files import Row
from ragaliq.storage.record_store import RowCodec

# The reason of an item without a readable reply; the same command tries it again.
FAILED = "failed"
_KEYS = {"id", "lang", "decision", "reason", "detail", "traces", "inputs"}


@dataclass(frozen=True, slots=True)
class StageRow:
    """An item that a stage kept, or removed with its reason: nothing leaves the builder without such a row.

    Attributes:
        item_id: the item, unique in its stage.
        lang: its language.
        value: the stage's result.
        reason: why it was removed, one word or a few; empty if it was kept. `failed` is not a judgement.
        detail: the reason in full.
        inputs: hash of everything that the row follows from; another hash is another item.
        traces: `request_hash` of its calls, in their order.
    """

    item_id: str
    lang: str
    value: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    detail: str = ""
    inputs: str = ""
    traces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep the value's keys separate from the row's other keys, which share one JSON object with it."""
        assert not _KEYS & self.value.keys(), f"a value has the key of a row: {_KEYS & self.value.keys()}"

    @property
    def kept(self) -> bool:
        """Whether the item goes on to the next stage."""
        return not self.reason


def content_hash(value: Any) -> str:
    """Return the first 16 hex digits of the SHA-256 of a JSON value; the order of keys does not count."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def row_to_json(row: StageRow) -> Row:
    """Return the JSON object of a row."""
    decision: Row = {"decision": "kept"} if row.kept else {"decision": "removed", "reason": row.reason}
    detail = {"detail": row.detail} if row.detail else {}
    traces = {"traces": list(row.traces)} if row.traces else {}
    return {"id": row.item_id, "lang": row.lang, **decision, **detail, **row.value, **traces, "inputs": row.inputs}


def row_from_json(row: Row) -> StageRow:
    """Return the row in a JSON object; raises KeyError, TypeError or ValueError if it is not one."""
    value = {key: inner for key, inner in row.items() if key not in _KEYS}
    item_id, lang, inputs = (_text(row[key], key) for key in ("id", "lang", "inputs"))
    reason, detail = (_text(row.get(key, ""), key) for key in ("reason", "detail"))
    if row["decision"] != ("removed" if reason else "kept"):
        raise ValueError(f"decision {row['decision']!r} with reason {reason!r}")
    traces = row.get("traces", [])
    if not isinstance(traces, list):
        raise TypeError("'traces' must be a list")
    return StageRow(item_id, lang, value, reason, detail, inputs, tuple(_text(one, "traces") for one in traces))


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"'{key}' must be a text, not {value!r}")
    return value


STAGE_ROWS: RowCodec[StageRow] = RowCodec(
    row_from_json,
    row_to_json,
    lambda row: (row.lang, row.item_id),
    lambda row: (row.inputs, row.reason),
    lambda row: row.reason == FAILED,
)

"""Chunks, queries, nuggets and judgements as a benchmark on disk has them."""

from __future__ import annotations

from typing import Any

from ragaliq.build.stage_row import StageRow
from ragaliq.storage.files import Row
from ragaliq.text.refusals import knows_abstentions, not_found
from ragaliq.types import Chunk

_UNANSWERABLE = "unanswerable"


def chunk_row(chunk: Chunk) -> Row:
    """Return a chunk of the corpus."""
    row: Row = {key: getattr(chunk, key) for key in ("doc_id", "source_id", "start", "end", "text", "lang")}
    # A path from the benchmark's folder.
    row["source_id"] = f"sources/{chunk.lang}/{chunk.source_id}"
    return {**row, "title": chunk.title} if chunk.title else row


def query_row(row: StageRow) -> Row:
    """Return a query as a benchmark has it.

    The reference of an unanswerable one says that the documents do not have the answer. Where no vital nugget is
    supported, as in the unfiltered set, there is no gold.
    """
    value = row.value
    head = {"query_id": row.item_id, "lang": row.lang, "text": value["text"]}
    if not value["answerable"]:
        reference = not_found(row.lang) if knows_abstentions(row.lang) else ""
        return {**head, "reference": reference, "answerable": False, "type": _UNANSWERABLE, "gold": [],
                "near_miss": value["near_miss"]}  # fmt: skip
    gold = {"gold": value["gold"]} if value["gold"] else {}
    return {**head, "reference": value["reference"], "answerable": True, "type": value["type"], **gold}


def nugget_rows(row: StageRow) -> list[dict[str, Any]]:
    """Return the nuggets of a query."""
    keys = ("nugget_id", "text", "importance", "doc_ids")
    return [{"query_id": row.item_id, **{key: one[key] for key in keys}} for one in row.value["nuggets"]]


def nugget_qrels_of(row: StageRow) -> dict[str, dict[str, int]]:
    """Return nugget → judged document → 1 or 0; cells that are missing have no row, a nugget always has one."""
    missing = {(nugget_id, doc_id) for nugget_id, doc_id in row.value["missing"]}
    return {
        one["nugget_id"]: {
            doc_id: int(doc_id in one["doc_ids"])
            for doc_id in row.value["judged"]
            if (one["nugget_id"], doc_id) not in missing
        }
        or {"none": 0}
        for one in row.value["nuggets"]
    }

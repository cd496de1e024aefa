"""What an update would change, before it is begun: nothing is called, nothing is written."""

from __future__ import annotations

from ragaliq.build.context import BuildContext
from ragaliq.build.stages import chunk, export, ingest, pool
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.update.changelog import document_lines
from ragaliq.build.update.changes import document_changes


def preview_update(context: BuildContext) -> list[str]:
    """Return the documents that have changed since the last build, and how many queries that can concern at most."""
    workspace = context.workspace
    before = {row.item_id: row.value["sha256"] for row in workspace.kept(ingest.NAME)}
    documents = document_changes(before, ingest.document_hashes(context))
    gone = {*documents["changed"], *documents["removed"]}
    concerned = {(row.lang, row.item_id) for row in workspace.kept(chunk.NAME) if row.value["source_id"] in gone}
    shipped = {(row.lang, row.item_id) for row in workspace.kept(export.NAME)}
    queries = [row for row in workspace.kept(filter_stage.NAME) if (row.lang, row.item_id) in shipped]
    written = sum(any((row.lang, one) in concerned for one in row.value["written_from"]) for row in queries)
    pooled = {
        (row.lang, row.item_id)
        for row in workspace.kept(pool.NAME)
        if any((row.lang, one["doc_id"]) in concerned for one in row.value["documents"])
    }
    return [
        *document_lines(documents),
        f"queries: {len(queries)}; written from changed or removed documents: {written}, with such documents among "
        f"those judged: {len(pooled & shipped)}. Only passages that have changed count, so fewer are made anew",
    ]

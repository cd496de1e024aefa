"""What an update would change, before it is begun: nothing is called, nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ragaliq.build.context import BuildContext
from ragaliq.build.stages import chunk, export, ingest, pool
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.update.changelog import document_lines
from ragaliq.build.update.changes import changed_settings, document_changes
from ragaliq.build.update.requests import refuse_to_empty, requested_ids, retired_queries, version_before


def preview_update(context: BuildContext, retire: Sequence[str] | None = ()) -> list[str]:
    """Return what has changed since the last version, and how many queries that can concern at most.

    Args:
        context: the build.
        retire: as of `begin_update`.

    Raises:
        InputError: if an id is unknown, or all queries of a language would be retired.
    """
    workspace, update = context.workspace, context.workspace.update
    files = version_before(workspace)
    requested = requested_ids(workspace, retire or ())
    refuse_to_empty(workspace, requested)
    decided = update.settings if not update.done else {
        key: value for stage in workspace.finished().values() for key, value in stage.settings.items()
    }  # fmt: skip
    settings = sorted(changed_settings(context, decided) - (set() if update.done else {"version"}))
    before = {row.item_id: row.value["sha256"] for row in files.kept(ingest.NAME)}
    documents = document_changes(before, ingest.document_hashes(context))
    gone = {*documents["changed"], *documents["removed"]}
    concerned = {(row.lang, row.item_id) for row in files.kept(chunk.NAME) if row.value["source_id"] in gone}
    shipped = {(row.lang, row.item_id) for row in files.kept(export.NAME)}
    queries = [row for row in files.kept(filter_stage.NAME) if (row.lang, row.item_id) in shipped]
    written = sum(any((row.lang, one) in concerned for one in row.value["written_from"]) for row in queries)
    pooled = {
        (row.lang, row.item_id)
        for row in files.kept(pool.NAME)
        if any((row.lang, one["doc_id"]) in concerned for one in row.value["documents"])
    }
    kept = () if retire is None else update.requested
    out = Counter(row.lang for row in retired_queries(files, requested or kept))
    listed = ", ".join(f"{lang} {out[lang]}" for lang in sorted(out))
    return [
        *open_update_lines(context),
        *document_lines(documents),
        *([f"settings changed: {', '.join(settings)}"] if settings else []),
        *([f"queries to retire on request: {out.total()}{f' ({listed})' if listed else ''}"] if requested or kept else
          []),
        f"queries: {len(queries)}; written from changed or removed documents: {written}, with such documents among "
        f"those judged: {len(pooled & shipped)}. Only passages that have changed count, so fewer are made anew",
    ]  # fmt: skip


def open_update_lines(context: BuildContext) -> list[str]:
    """Return a line that says of an update that it was begun and not finished, and what it retires; else none."""
    update = context.workspace.update
    if update.done:
        return []
    retiring = ""
    if update.requested:
        retiring = f" and retires {_several(update.requested)}; --retire with other ids, or none, replaces these"
    version = update.version_for(update.named)
    return [f"open update: `ragaliq build update` goes on from {update.earlier_version} to {version}{retiring}"]


def _several(ids: Sequence[str], most: int = 5) -> str:
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return f"{', '.join(ids[:most])}{more}"

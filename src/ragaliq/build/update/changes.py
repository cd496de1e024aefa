"""What an update has changed: documents, chunks, queries, and what had to be made anew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.pipeline import wanted_stages
from ragaliq.build.settings import settings_to_json
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import chunk, export, generate, ingest
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.update.retired_rows import RETIRED
from ragaliq.build.workspace import StageFiles, Workspace
from ragaliq.storage.files import read_jsonl, write_jsonl

# A row of `DIR/build/changes.jsonl`. Its keys: `serial`, `version`, `earlier_version`, `settings` (keys of `build.yaml`
# that differ), `documents` (see `document_changes`; `unasked`: added ones that no candidate was written from), `chunks`
# (how many were `kept`, of these `moved`, `added`, `retired`), `added` (queries, ids), `kept` (how many), `retired`
# (rows of `retired.jsonl`), `stages` (name → `rows`, of these `changed`, and `calls`: different requests that the
# earlier rows do not come from).
Changes = dict[str, Any]
_NAME = "changes.jsonl"
# A question that is no longer in `questions` has no row.
_NOT_ASKED = "no longer asked"


def read_changes(workspace: Workspace) -> list[Changes]:
    """Return the changes of all updates, the oldest first."""
    path = workspace.build / _NAME
    return [row for _, row in read_jsonl(path)] if path.is_file() else []


def note_changes(context: BuildContext) -> list[Changes]:
    """Write the changes of the last update beside those of earlier ones, and return all."""
    workspace = context.workspace
    latest = _changes(context)
    listed = [one for one in read_changes(workspace) if one["serial"] != latest["serial"]]
    write_jsonl(workspace.build / _NAME, [*listed, latest])
    return [*listed, latest]


def _changes(context: BuildContext) -> Changes:
    workspace, earlier, update = context.workspace, context.earlier, context.workspace.update
    before, now = _keys(earlier), _keys(workspace)
    leaving = _Leaving(context)
    documents = document_changes(_documents(earlier), _documents(workspace))
    # As JSON has them: the earlier ones were read from a file.
    settings = json.loads(json.dumps(settings_to_json(context.settings)))
    return {
        "serial": update.serial,
        "version": context.settings.version,
        "earlier_version": update.earlier_version,
        "settings": sorted(
            key for key, value in update.settings.items() if key != "version" and settings[key] != value
        ),
        "documents": {**documents, "unasked": _unasked(context, documents["added"])},
        "chunks": _chunks(context),
        "added": sorted(item_id for _, item_id in now - before),
        "kept": len(now & before),
        "retired": [leaving.row(*key) for key in sorted(before - now)],
        "stages": dict(_stages(context)),
    }


def _documents(files: StageFiles) -> dict[str, Any]:
    return {row.item_id: (row.lang, row.value["sha256"]) for row in files.kept(ingest.NAME)}


def _unasked(context: BuildContext, added: Sequence[str]) -> list[str]:
    sources = {row.item_id: row.value["source_id"] for row in context.workspace.kept(chunk.NAME)} if added else {}
    rows = context.workspace.rows(generate.NAME) if added else ()
    asked = {sources.get(doc_id) for row in rows for group in row.value["gold"] for doc_id in group}
    return [name for name in added if name not in asked]


def _keys(files: StageFiles) -> set[tuple[str, str]]:
    return {(row.lang, row.item_id) for row in files.kept(export.NAME)}


def document_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ids of `added`, `changed` and `removed` documents, and how many are `unchanged`; id → content."""
    both = before.keys() & now.keys()
    changed = sorted(name for name in both if before[name] != now[name])
    return {
        "added": sorted(now.keys() - before.keys()),
        "changed": changed,
        "removed": sorted(before.keys() - now.keys()),
        "unchanged": len(both) - len(changed),
    }


def _chunks(context: BuildContext) -> dict[str, int]:
    before, now = (
        {(row.lang, row.item_id): row.value["start"] for row in files.kept(chunk.NAME)}
        for files in (context.earlier, context.workspace)
    )
    both = before.keys() & now.keys()
    return {
        "kept": len(both),
        "moved": sum(before[key] != now[key] for key in both),
        "added": len(now.keys() - both),
        "retired": len(before.keys() - both),
    }


class _Leaving:
    """Says of queries that the earlier version had and this one has not what they were and why they left."""

    def __init__(self, context: BuildContext) -> None:
        earlier, workspace = context.earlier, context.workspace
        self._version = context.settings.version
        # Translations of a query have its id; their documents are those of the original.
        self._queries = {row.item_id: row for row in earlier.kept(filter_stage.NAME)}
        self._sources = {(row.lang, row.item_id): row.value["source_id"] for row in earlier.kept(chunk.NAME)}
        self._left = {(row.lang, row.item_id) for row in workspace.kept(chunk.NAME)}
        names = [stage.name for stage in wanted_stages(context.settings)]
        self._stores = {name: workspace.store(name) for name in names if name not in (ingest.NAME, chunk.NAME)}

    def row(self, lang: str, query_id: str) -> dict[str, Any]:
        """Return the row of `retired.jsonl` of a query."""
        query = self._queries[query_id]
        reason, documents = self._why(lang, query)
        told = {"query_id": query_id, "lang": lang, "text": query.value["text"], "reason": reason}
        return {**told, "documents": documents, "version": self._version}

    def _why(self, lang: str, query: StageRow) -> tuple[str, list[str]]:
        for name, store in self._stores.items():
            row = store.get((lang, query.item_id))
            if row is not None and not row.kept:
                if name == generate.NAME and row.reason == RETIRED:
                    return str(row.value["why"]), list(row.value["documents"]) or self._documents(query)
                return f"{name}: {row.reason}", self._documents(query)
        return _NOT_ASKED, self._documents(query)

    def _documents(self, query: StageRow) -> list[str]:
        """Return the documents of a query that have changed, else those that it was written from."""
        support = {doc_id for one in query.value["nuggets"] for doc_id in one["doc_ids"]}
        doc_ids = {*query.value["written_from"], *query.value["withheld"], *support}
        sources = {one: self._sources[query.lang, one] for one in doc_ids if (query.lang, one) in self._sources}
        changed = {source for one, source in sources.items() if (query.lang, one) not in self._left}
        return sorted(changed or {sources[one] for one in query.value["written_from"] if one in sources})


def _stages(context: BuildContext) -> Iterator[tuple[str, dict[str, int]]]:
    for stage in wanted_stages(context.settings):
        before = {(row.lang, row.item_id): row for row in context.earlier.rows(stage.name)}
        rows = context.workspace.rows(stage.name)
        known = {trace for row in before.values() for trace in row.traces}
        changed = sum(_content(row) != _content(before.get((row.lang, row.item_id))) for row in rows)
        calls = len({trace for row in rows for trace in row.traces} - known)
        yield stage.name, {"rows": len(rows), "changed": changed, "calls": calls}


def _content(row: StageRow | None) -> Any:
    return None if row is None else (dict(row.value), row.reason, row.detail)

"""What an update has changed: documents, chunks, queries, and what had to be made anew."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.pipeline import wanted_stages
from ragaliq.build.settings import settings_to_json
from ragaliq.build.stage_row import StageRow, content_hash
from ragaliq.build.stages import check_translation, chunk, export, generate, ingest
from ragaliq.build.stages import filter as filter_stage
from ragaliq.build.update.changes_file import CHANGES_FILE, Changes, read_changes
from ragaliq.build.update.retired_rows import RETIRED
from ragaliq.build.workspace import StageFiles
from ragaliq.storage.files import write_jsonl

# A question that is no longer in `questions` has no row.
_NOT_ASKED = "no longer asked"
# The query itself is still there.
DROPPED = "language dropped"
# Keys of `build.yaml` that the benchmark or its card states.
_SHIPPED = ("name", "sources")


def note_changes(context: BuildContext) -> list[Changes]:
    """Write the changes of the last update beside those of earlier ones, and return all.

    Where they are already noted for the present rows and settings, nothing is read or written.
    """
    build, inputs = context.workspace.build, _inputs(context)
    noted = read_changes(build)
    if noted and noted[-1].get("inputs") == inputs:
        return noted
    latest = {**_changes(context), "inputs": inputs}
    listed = [*(one for one in noted if one["serial"] != latest["serial"]), latest]
    write_jsonl(build / CHANGES_FILE, listed)
    return listed


def has_changes(context: BuildContext) -> bool:
    """Return whether the last update differs from the version before: in a row, in its version, or in its sources."""
    workspace = context.workspace
    earlier, update = context.earlier, workspace.update
    if not update.number or context.settings.version != update.version_for(update.named):
        return True
    if not changed_settings(context, update.settings).isdisjoint(_SHIPPED):
        return True
    return any(
        _contents(earlier.rows(stage.name)) != _contents(workspace.rows(stage.name))
        for stage in wanted_stages(context.settings)
    )


def changed_settings(context: BuildContext, before: Mapping[str, Any]) -> set[str]:
    """Return the keys of `build.yaml` that have other values than these, which decided a version."""
    # As JSON has them: the earlier ones were read from a file.
    settings = json.loads(json.dumps(settings_to_json(context.settings)))
    keys = {key for stage in wanted_stages(context.settings) for key in stage.keys}
    return {key for key in {*keys, *before} if settings.get(key) != before.get(key)}


def _inputs(context: BuildContext) -> str:
    """Return the hash of all that the changes follow from; the earlier rows never change."""
    workspace = context.workspace
    rows = {stage.name: workspace.rows_hash(stage.name) for stage in wanted_stages(context.settings)}
    return content_hash([workspace.update.hash, settings_to_json(context.settings), rows])


def _changes(context: BuildContext) -> Changes:
    workspace, earlier, update = context.workspace, context.earlier, context.workspace.update
    before, now = _keys(earlier), _keys(workspace)
    leaving = _Leaving(context, now)
    # Translations of a query have its id.
    ids_before, ids_now = ({item_id for _, item_id in keys} for keys in (before, now))
    documents = document_changes(_documents(earlier), _documents(workspace))
    return {
        "serial": update.serial,
        "version": context.settings.version,
        "earlier_version": update.earlier_version,
        "settings": sorted(changed_settings(context, update.settings) - {"version"}),
        "documents": {**documents, "unasked": _unasked(context, documents["added"])},
        "chunks": _chunks(context),
        "added": sorted(ids_now - ids_before),
        "kept": len(ids_now & ids_before),
        "retired": [leaving.row(*key) for key in sorted(before - now)],
        "languages": {**_languages(before, now), "each": 1 + len(context.settings.translate.languages)},
        "unanswerable": _unanswerable(context),
        "stages": dict(_stages(context)),
    }


def _unanswerable(context: BuildContext) -> dict[str, Any]:
    shipped = {item_id for _, item_id in _keys(context.workspace)}
    answerable = [row.value["answerable"] for row in context.workspace.kept(filter_stage.NAME)
                  if row.item_id in shipped]  # fmt: skip
    return {"many": answerable.count(False), "queries": len(answerable), "share": context.settings.unanswerable}


def _documents(files: StageFiles) -> dict[str, Any]:
    return {row.item_id: (row.lang, row.value["sha256"]) for row in files.kept(ingest.NAME)}


def _unasked(context: BuildContext, added: Sequence[str]) -> list[str]:
    sources = {row.item_id: row.value["source_id"] for row in context.workspace.kept(chunk.NAME)} if added else {}
    rows = context.workspace.rows(generate.NAME) if added else ()
    asked = {sources.get(doc_id) for row in rows for group in row.value["gold"] for doc_id in group}
    return [name for name in added if name not in asked]


def _keys(files: StageFiles) -> set[tuple[str, str]]:
    return {(row.lang, row.item_id) for row in files.kept(export.NAME)}


def _languages(before: set[tuple[str, str]], now: set[tuple[str, str]]) -> dict[str, Any]:
    earlier, present = ({lang for lang, _ in keys} for keys in (before, now))
    return {"added": sorted(present - earlier), "dropped": sorted(earlier - present)}


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

    def __init__(self, context: BuildContext, now: Collection[tuple[str, str]]) -> None:
        earlier, workspace = context.earlier, context.workspace
        self._version, self._now = context.settings.version, now
        # Translations of a query have its id; their documents are those of the original.
        self._queries = {row.item_id: row for row in earlier.kept(filter_stage.NAME)}
        self._translations = {(row.lang, row.item_id): row for row in earlier.kept(check_translation.NAME)}
        self._sources = {(row.lang, row.item_id): row.value["source_id"] for row in earlier.kept(chunk.NAME)}
        self._left = {(row.lang, row.item_id) for row in workspace.kept(chunk.NAME)}
        names = [stage.name for stage in wanted_stages(context.settings)]
        self._stores = {name: workspace.store(name) for name in names if name not in (ingest.NAME, chunk.NAME)}

    def row(self, lang: str, query_id: str) -> dict[str, Any]:
        """Return the row of `retired.jsonl` of a query."""
        query = self._queries[query_id]
        reason, documents = self._why(lang, query)
        text = (query if lang == query.lang else self._translations[lang, query_id]).value["text"]
        told = {"query_id": query_id, "lang": lang, "text": text, "reason": reason}
        return {**told, "documents": documents, "version": self._version}

    def _why(self, lang: str, query: StageRow) -> tuple[str, list[str]]:
        for name, store in self._stores.items():
            # Only the last stages know of translations.
            rows = (store.get((one, query.item_id)) for one in (lang, query.lang))
            row = next((row for row in rows if row is not None and not row.kept), None)
            if row is not None:
                if name == generate.NAME and row.reason == RETIRED:
                    return str(row.value["why"]), list(row.value["documents"]) or self._documents(query)
                return f"{name}: {row.reason}", self._documents(query)
        reason = DROPPED if (query.lang, query.item_id) in self._now else _NOT_ASKED
        return reason, self._documents(query)

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


def _contents(rows: Iterable[StageRow]) -> dict[tuple[str, str], Any]:
    return {(row.lang, row.item_id): _content(row) for row in rows}


def _content(row: StageRow | None) -> Any:
    return None if row is None else (dict(row.value), row.reason, row.detail)

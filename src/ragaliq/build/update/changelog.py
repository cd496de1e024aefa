"""What an update leaves for readers: `CHANGELOG.md` and `retired.jsonl` in the benchmark's folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragaliq.build.context import BuildContext
from ragaliq.build.stages.check_translation import ELSEWHERE
from ragaliq.build.update.changes import DROPPED, note_changes
from ragaliq.build.update.changes_file import Changes
from ragaliq.storage.files import write_atomic, write_jsonl
from ragaliq.storage.foreign import is_rows_of, refuse_foreign

CHANGELOG, RETIRED_FILE = "CHANGELOG.md", "retired.jsonl"
_HEADING = "# Changes of "
_ROW = {"query_id": str, "lang": str, "text": str, "reason": str, "documents": [str], "version": str}
_KINDS = ("added", "changed", "removed")
_LISTED = 20


def refuse_foreign_changelog(folder: Path) -> None:
    """Refuse a folder in which another hand wrote `CHANGELOG.md` or `retired.jsonl`; raises InputError."""
    refuse_foreign(folder / CHANGELOG, lambda text: text.startswith(_HEADING), "move it away")
    refuse_foreign(folder / RETIRED_FILE, is_rows_of(_ROW), "move it away")


def finish_update(context: BuildContext) -> list[str]:
    """Write the changes of the last update, and return them as lines; there are none if there was no update."""
    workspace = context.workspace
    if not workspace.update.serial:
        return []
    listed = note_changes(context)
    write_jsonl(workspace.path / RETIRED_FILE, [row for changes in listed for row in changes["retired"]])
    sections = ["\n".join(_section(changes)) for changes in reversed(listed)]
    text = "\n\n".join([f"{_HEADING}{_plain(context.settings.name)}", *sections])
    write_atomic(workspace.path / CHANGELOG, f"{text}\n".encode())
    if not workspace.update.done:
        workspace.set_update(replace(workspace.update, done=True))
    base = workspace.build / workspace.update.base
    for older in base.parent.glob("*"):
        if older != base:
            shutil.rmtree(older)
    return _summary(listed[-1])


def _summary(changes: Changes) -> list[str]:
    """Return the counts of an update in lines."""
    documents, chunks, stages = changes["documents"], changes["chunks"], changes["stages"]
    moved = f"{chunks['kept']} kept ({chunks['moved']} moved)"
    languages, retired = changes["languages"], _reasons(changes)
    each = f", each in {languages['each']} languages" if languages["each"] > 1 else ""
    lines = [
        f"version {changes['earlier_version']} → {changes['version']}",
        _document_counts(documents),
        f"chunks: {chunks['added']} added, {chunks['retired']} retired, {moved}",
        f"queries: {len(changes['added'])} added, {len(retired)} retired, {changes['kept']} kept{each}",
    ]
    differing = [f"{lang} {kind}" for kind in ("added", "dropped") for lang in languages[kind]]
    if differing:
        lines.append(f"languages: {', '.join(differing)}")
    if documents["unasked"]:
        lines.append(
            f"added documents without a candidate: {len(documents['unasked'])}; raise generate.queries for more"
        )
    empty = changes.get("unanswerable")
    if empty:
        asked = f"{empty['share']:g} of {empty['queries']} is {empty['share'] * empty['queries']:.0f}"
        lines.append(f"unanswerable queries: {empty['many']}; unanswerable: {asked}")
    calls = {name: one["calls"] for name, one in stages.items() if one["calls"]}
    told = ", ".join(f"{name} {n}" for name, n in calls.items())
    return [*lines, f"calls of models: {sum(calls.values())}{f' ({told})' if told else ''}"]


def _reasons(changes: Changes) -> dict[str, str]:
    """Return why each query left: of a translation that has failed, the reason in its own language."""
    rows = [row for row in changes["retired"] if row["reason"] != DROPPED]
    ordered = sorted(rows, key=lambda row: row["reason"].endswith(ELSEWHERE), reverse=True)
    return {row["query_id"]: row["reason"] for row in ordered}


def document_lines(documents: Mapping[str, Any]) -> list[str]:
    """Return the counts of the documents that `changes.document_changes` tells apart, and their names."""
    return [_document_counts(documents), *_named(documents)]


def _document_counts(documents: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{len(documents[kind])} {kind}" for kind in _KINDS)
    return f"documents: {counts}, {documents['unchanged']} unchanged"


def _named(documents: Mapping[str, Any]) -> Iterator[str]:
    for kind in _KINDS:
        yield from _listed(f"Documents {kind}", documents[kind])


def _section(changes: Changes) -> Iterator[str]:
    yield f"## {_plain(changes['version'])}"
    yield ""
    yield from (f"- {_capital(line)}" for line in _summary(changes)[1:])
    if changes["settings"]:
        yield f"- Settings changed: {', '.join(changes['settings'])}"
    yield from _named(changes["documents"])
    yield from _listed("Queries added", changes["added"])
    retired = _reasons(changes)
    for reason in sorted({*retired.values()}):
        yield from _listed(f"Queries retired, {reason}", sorted(one for one in retired if retired[one] == reason))
    yield ""
    yield "| stage | rows | new or changed | calls |"
    yield "|---|---:|---:|---:|"
    for name, one in changes["stages"].items():
        yield f"| {name} | {one['rows']} | {one['changed']} | {one['calls']} |"


def _listed(title: str, names: Sequence[str]) -> Iterator[str]:
    """Yield a line with names, at most twenty; `build/changes.jsonl` has all."""
    if names:
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        yield f"- {title}: {', '.join(_code(name) for name in names[:_LISTED])}{more}"


def _code(name: str) -> str:
    return f"`{name.replace('`', chr(39))}`"


def _plain(text: Any) -> str:
    return " ".join(str(text).split())


def _capital(line: str) -> str:
    return line[:1].upper() + line[1:]

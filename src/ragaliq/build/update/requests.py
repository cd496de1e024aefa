"""What somebody asked to retire: the ids that were named, and the queries that they retire."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from ragaliq.build.stage_row import StageRow
from ragaliq.build.workspace import StageFiles, Workspace
from ragaliq.errors import InputError
from ragaliq.storage.files import read_text

# Modules of stages import this one.
_INGEST, _CHUNK, _FILTER, _EXPORT = "ingest", "chunk", "filter", "export"


def requested_ids(workspace: Workspace, names: Sequence[str]) -> list[str]:
    """Return the ids of queries, documents and chunks that are named, one by one or in files; each once, sorted.

    Raises:
        InputError: if there is nothing of a name.
    """
    return sorted(set(_ids(workspace, names))) if names else []


def version_before(workspace: Workspace) -> StageFiles:
    """Return the rows of the last finished version: while an update is open, those that were set aside."""
    return workspace if workspace.update.done else workspace.earlier


def retired_queries(files: StageFiles, ids: Collection[str]) -> list[StageRow]:
    """Return the shipped queries, as rows of `filter`, that are among some ids or were written from them."""
    if not ids:
        return []
    sources = {row.item_id: str(row.value["source_id"]) for row in files.kept(_CHUNK)}
    shipped = {row.item_id for row in files.kept(_EXPORT)}
    return [
        row
        for row in files.kept(_FILTER)
        if row.item_id in shipped
        and not {row.item_id, *row.value["written_from"], *(sources.get(one, "") for one in row.value["written_from"])}
        .isdisjoint(ids)
    ]  # fmt: skip


def refuse_to_empty(workspace: Workspace, ids: Collection[str]) -> None:
    """Refuse to retire all queries of a language: the benchmark would lose the language with its documents.

    Raises:
        InputError: if so.
    """
    files = version_before(workspace)
    retired = retired_queries(files, ids)
    shipped = {row.item_id for row in files.kept(_EXPORT)} if retired else ()
    before = Counter(row.lang for row in files.kept(_FILTER) if row.item_id in shipped) if retired else Counter[str]()
    out = Counter(row.lang for row in retired)
    emptied = sorted(lang for lang in before if before[lang] == out[lang])
    if emptied:
        raise InputError(
            f"--retire: would retire all {before[emptied[0]]} queries in '{emptied[0]}', and the language would leave "
            "the benchmark; retire fewer, or make others first (generate.queries)"
        )


def _ids(workspace: Workspace, names: Sequence[str]) -> Iterator[str]:
    files = (workspace,) if workspace.update.done else (workspace, workspace.earlier)
    sources = [(row.value["source"], row.item_id) for one in files for row in one.kept(_INGEST)]
    known = {row.item_id for one in files for stage in (_EXPORT, _CHUNK) for row in one.kept(stage)}
    # The same command goes on after a kill, and names what may be gone by now.
    known |= {item_id for _, item_id in sources} | {*workspace.update.retire, *workspace.update.retired}
    for name in names:
        is_file = name not in known and Path(name).is_file()
        for number, line in enumerate(read_text(Path(name)).split("\n") if is_file else [name], start=1):
            one = line.strip()
            of_source = [item_id for source, item_id in sources if source == one]
            if one and one not in known and not of_source:
                where = f"{name}:{number}: '{one}' is" if is_file else f"--retire {one}:"
                no_file = "" if is_file else ", and no such file"
                raise InputError(
                    f"{where} no query, document, source or chunk of {workspace.path}{no_file}; its ids are in "
                    "queries/ and corpus/"
                )
            if one:
                yield from of_source or [one]

"""Where an update begins: what has changed is found, and the rows of the version so far are set aside."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ragaliq.build.context import BuildContext
from ragaliq.build.pipeline import StageStatus, statuses
from ragaliq.build.settings_file import load_settings
from ragaliq.build.stages import chunk, export, ingest
from ragaliq.build.update.changes import read_changes
from ragaliq.build.update.version import Update
from ragaliq.build.workspace import Workspace
from ragaliq.errors import InputError
from ragaliq.storage.files import read_text, write_atomic


def begin_update(context: BuildContext, retire: Sequence[str] = ()) -> bool:
    """Set aside the present version, unless nothing has changed since; return whether there is anything to build.

    An update that was interrupted goes on, and items that failed are tried again; neither is another version.

    Args:
        context: the build.
        retire: ids of queries, documents, sources or chunks, or files of such ids, a line each: these queries, and all
            that were written from these documents, are retired, and no new ones are written from them.

    Raises:
        InputError: if there is no finished benchmark, a plain rebuild was interrupted, or an id is unknown.
    """
    workspace = context.workspace
    with workspace.locked():
        update = workspace.update
        if update.done:
            _check_whole(workspace)
        requested = sorted({*update.retire, *_ids(workspace, retire)})
        if not update.done:
            if requested != list(update.retire):
                workspace.set_update(replace(update, retire=tuple(requested)))
            return True
        known = statuses(context)
        if all(status.usable for status in known.values()) and requested == list(update.retire):
            return StageStatus.FAILED in known.values()
        _set_aside(workspace, _next(workspace, requested))
    return True


def sources_changed(context: BuildContext) -> bool:
    """Return whether a finished benchmark has documents that are no longer those of its sources."""
    finished = context.workspace.finished().get(export.NAME)
    if finished is None or not context.workspace.update.done:
        return False
    return statuses(context)[ingest.NAME] is StageStatus.STALE


def _check_whole(workspace: Workspace) -> None:
    """Refuse rows that are not all of one version."""
    finished = workspace.finished()
    if export.NAME not in finished or not (workspace.path / "bench.json").is_file():
        raise InputError(f"{workspace.path}: no finished benchmark to update; run `ragaliq build all` first")
    if not finished[export.NAME].settings:
        raise InputError(
            f"{workspace.state_file}: written before there were updates; run `ragaliq build all` once, with the "
            "documents as they were"
        )
    for name, stage in finished.items():
        for need, rows in {**stage.needs, name: stage.rows}.items():
            if workspace.rows_hash(need) != rows:
                raise InputError(
                    f"{workspace.rows_file(need)}: newer than the benchmark, so its version cannot be set aside; "
                    "finish the rebuild with `ragaliq build all`"
                )


def _ids(workspace: Workspace, names: Sequence[str]) -> Iterator[str]:
    """Yield the ids of queries, documents and chunks that are named, one by one or in files."""
    if not names:
        return
    documents = workspace.kept(ingest.NAME)
    known = {row.item_id for stage in (export.NAME, chunk.NAME) for row in workspace.kept(stage)}
    # The same command goes on after a kill, and names what may be gone by now.
    known |= {row.item_id for row in documents} | {*workspace.update.retire, *workspace.update.retired}
    for name in names:
        listed = [name] if name in known or not Path(name).is_file() else read_text(Path(name)).split("\n")
        for one in filter(None, map(str.strip, listed)):
            of_source = [row.item_id for row in documents if row.value["source"] == one]
            if one not in known and not of_source:
                raise InputError(
                    f"--retire {one}: no query, document, source or chunk of {workspace.path}; its ids are in queries/ "
                    "and corpus/"
                )
            yield from of_source or [one]


def _next(workspace: Workspace, retire: Sequence[str]) -> Update:
    earlier, finished = workspace.update, workspace.finished()
    named = load_settings(workspace.settings_file).version
    settings = {key: value for stage in finished.values() for key, value in stage.settings.items()}
    released = str(settings["version"])
    # Another version in `build.yaml` is the next one itself.
    number = earlier.number + 1 if released == earlier.version_for(named) else 0
    retired = {one["query_id"] for changes in read_changes(workspace) for one in changes["retired"]}
    return Update(
        serial=earlier.serial + 1,
        named=named,
        number=number,
        earlier_version=released,
        settings=settings,
        retired=tuple(sorted(retired)),
        retire=tuple(retire),
        done=False,
    )


def _set_aside(workspace: Workspace, update: Update) -> None:
    """Copy the rows of all stages, then switch to the update; a kill in between leaves the version as it is."""
    folder = workspace.build / update.base
    shutil.rmtree(folder, ignore_errors=True)
    for name in workspace.finished():
        write_atomic(folder / workspace.rows_file(name).name, workspace.rows_file(name).read_bytes())
    workspace.set_update(update)
    for older in folder.parent.iterdir():
        if older != folder:
            shutil.rmtree(older)

"""Where an update begins: what has changed is found, and the rows of the version so far are set aside."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace

from ragaliq.build.context import BuildContext
from ragaliq.build.pipeline import STAGES, StageStatus, adopt_rows, statuses, wanted_stages
from ragaliq.build.settings_file import load_settings
from ragaliq.build.stages import export, ingest
from ragaliq.build.update.changes import has_changes
from ragaliq.build.update.changes_file import read_changes
from ragaliq.build.update.requests import refuse_to_empty, requested_ids
from ragaliq.build.update.staying import FOR_GOOD
from ragaliq.build.update.version import UPDATE_FILE, Update, read_update, write_update
from ragaliq.build.workspace import Workspace
from ragaliq.errors import InputError
from ragaliq.storage.files import write_atomic


def begin_update(context: BuildContext, retire: Sequence[str] | None = ()) -> bool:
    """Set aside the present version, unless nothing has changed since; return whether there is anything to build.

    An update that was interrupted goes on, and items that failed are tried again; neither is another version.

    Args:
        context: the build.
        retire: ids of queries, documents, sources or chunks, or files of such ids, a line each: these queries, and all
            that were written from these documents, are retired, and no new ones are written from them. In an update
            that goes on, they replace those that were named for it; None takes these back.

    Raises:
        InputError: if there is no finished benchmark, a plain rebuild was interrupted, an id is unknown, or all queries
            of a language would be retired.
    """
    workspace = context.workspace
    with workspace.locked():
        update = workspace.update
        if update.done:
            _check_whole(context)
        named = requested_ids(workspace, retire or ())
        if named:
            refuse_to_empty(workspace, named)
        if not update.done:
            _go_on(workspace, named if named or retire is None else update.requested)
            return True
        known = statuses(context)
        new = sorted({*named} - {*update.retire})
        if all(status.usable for status in known.values()) and not new:
            return StageStatus.FAILED in known.values()
        _set_aside(workspace, _next(workspace, new))
    return True


def conclude_update(context: BuildContext) -> bool:
    """Return whether the last update, once it is built, is a version; if no row changed, it is taken back.

    Then the rows stay, under the version before; only the export has to be written again. What was named to be retired
    stays named, so that no new queries are written from it.
    """
    workspace = context.workspace
    update, base = workspace.update, workspace.build / workspace.update.base
    if update.done or not (base / UPDATE_FILE).is_file() or has_changes(context):
        return True
    with workspace.locked():
        before = read_update(base)
        workspace.set_update(replace(before, retire=update.retire))
        adopt_rows(context, export.NAME)
        shutil.rmtree(base)
    return False


def sources_changed(context: BuildContext) -> bool:
    """Return whether a finished benchmark has documents that are no longer those of its sources."""
    finished = context.workspace.finished().get(export.NAME)
    if finished is None or not context.workspace.update.done:
        return False
    return statuses(context)[ingest.NAME] is StageStatus.STALE


def _check_whole(context: BuildContext) -> None:
    """Refuse rows that are not all of one version; those that the settings no longer ask for do not count."""
    workspace = context.workspace
    finished = workspace.finished()
    wanted = {stage.name for stage in wanted_stages(context.settings)}
    if export.NAME not in finished or not (workspace.path / "bench.json").is_file():
        raise InputError(f"{workspace.path}: no finished benchmark to update; run `ragaliq build all` first")
    if not finished[export.NAME].settings:
        raise InputError(
            f"{workspace.state_file}: written before there were updates; run `ragaliq build all` once, with the "
            "documents as they were"
        )
    for name, stage in finished.items():
        for need, rows in {**stage.needs, name: stage.rows}.items():
            if {name, need} <= wanted and workspace.rows_hash(need) != rows:
                path = workspace.rows_file(need)
                if path.is_file() and not path.read_bytes().endswith(b"\n"):
                    number = path.read_bytes().count(b"\n") + 1
                    raise InputError(
                        f"{path}:{number}: the line is cut off; `ragaliq build all` writes it anew, then update"
                    )
                raise InputError(
                    f"{path}: newer than the benchmark, so its version cannot be set aside; "
                    "`ragaliq build all` finishes the rebuild (with documents and settings as they were, it restores "
                    "the version), then update"
                )


def _go_on(workspace: Workspace, requested: Sequence[str]) -> None:
    """Record for an open update what is to be retired."""
    update = workspace.update
    standing = {*update.retire} - {*update.requested}
    now = replace(update, retire=tuple(sorted({*standing, *requested})), requested=tuple(requested))
    if now != update:
        workspace.set_update(now)


def _next(workspace: Workspace, requested: Sequence[str]) -> Update:
    earlier, finished = workspace.update, workspace.finished()
    named = load_settings(workspace.settings_file).version
    settings = {key: value for stage in finished.values() for key, value in stage.settings.items()}
    released = str(settings["version"])
    # Another version in `build.yaml` is the next one itself.
    number = earlier.number + 1 if released == earlier.version_for(named) else 0
    retired = {
        one["query_id"]
        for changes in read_changes(workspace.build)
        for one in changes["retired"]
        if one["reason"] in FOR_GOOD
    }
    return Update(
        serial=earlier.serial + 1,
        named=named,
        number=number,
        earlier_version=released,
        settings=settings,
        retired=tuple(sorted(retired)),
        retire=tuple(sorted({*earlier.retire, *requested})),
        done=False,
        requested=tuple(requested),
    )


def _set_aside(workspace: Workspace, update: Update) -> None:
    """Copy the rows of all stages, then switch to the update; a kill in between leaves the version as it is."""
    folder = workspace.build / update.base
    shutil.rmtree(folder, ignore_errors=True)
    # Of all stages: one that is wanted again goes on from the rows that it has.
    for path in (workspace.rows_file(stage.name) for stage in STAGES):
        if path.is_file():
            write_atomic(folder / path.name, path.read_bytes())
    # The version before is taken up again if nothing has changed.
    write_update(folder, workspace.update)
    workspace.set_update(update)

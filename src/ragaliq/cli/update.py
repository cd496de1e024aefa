"""`ragaliq build update`: the next version of a benchmark whose documents have changed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragaliq.cli.options import tell
from ragaliq.errors import InputError

if TYPE_CHECKING:
    from ragaliq.build.context import BuildContext


def begin(arguments: argparse.Namespace, context: BuildContext) -> bool:
    """Begin the update that a command asks for, if any; return whether there is anything to build."""
    from ragaliq.build.update.begin import begin_update
    from ragaliq.build.update.changelog import refuse_foreign_changelog

    if arguments.stage != "update":
        tell(advice(arguments, context))
        return True
    refuse_foreign_changelog(context.workspace.path)
    if not begin_update(context, _named(arguments)):
        print(f"nothing has changed since version {context.settings.version}")
        return False
    if context.workspace.update.requested and not arguments.retire:
        tell(open_lines(context))
    return True


def advice(arguments: argparse.Namespace, context: BuildContext) -> list[str]:
    """Return what to say before a stage other than `update` runs on documents that have changed.

    Raises:
        InputError: if it is `ingest`: afterwards, the finished version could not be updated any more.
    """
    from ragaliq.build.update.begin import sources_changed

    if arguments.stage not in ("all", "ingest") or not sources_changed(context):
        return []
    version = context.settings.version
    next_one = "`ragaliq build update` makes the next version, keeps ids, and lists what has changed"
    if arguments.stage == "all":
        return [f"ragaliq: the documents have changed; this builds version {version} anew. {next_one}"]
    raise InputError(
        f"build {arguments.stage}: the documents have changed since version {version}. {next_one}; "
        f"`ragaliq build all` builds version {version} anew"
    )


def preview(arguments: argparse.Namespace, context: BuildContext) -> str:
    """Return what an update would change."""
    from ragaliq.build.update.preview import preview_update

    return "\n".join(preview_update(context, _named(arguments)))


def open_lines(context: BuildContext) -> list[str]:
    """Return a line on an update that was begun and not finished; none otherwise."""
    from ragaliq.build.update.preview import open_update_lines

    return open_update_lines(context)


def settle(context: BuildContext) -> bool:
    """Return whether a build that has ended is a version; an update in which no row changed is taken back."""
    from ragaliq.build.pipeline import run_build
    from ragaliq.build.update.begin import conclude_update

    if conclude_update(context):
        return True
    run_build(context, ["export"])
    return False


def conclude(arguments: argparse.Namespace, context: BuildContext, is_version: bool) -> None:
    """Write the changelog of the last update, if there was one, and print the counts of one that was asked for."""
    from ragaliq.build.update.changelog import finish_update

    lines = finish_update(context) if is_version else [f"nothing has changed since version {context.settings.version}"]
    if arguments.stage == "update":
        print("\n".join(lines))


def _named(arguments: argparse.Namespace) -> list[str] | None:
    """Return what `--retire` names; None if it names nothing, and an empty list without it."""
    return [] if arguments.retire is None else arguments.retire or None
